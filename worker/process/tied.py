"""Imported first by the fork server: it and the jobs that come from it go with their worker, at once.

Else a worker that is refused at its start (a wrong key) would leave a fork server that goes on importing and
has its say much later; and one that is killed would leave jobs that hold their meetings, or wait for it for
ever.
"""

from __future__ import annotations

import os
import sys

from worker.process.parent_death import die_with_parent

if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    die_with_parent()
    os.register_at_fork(after_in_child=die_with_parent)
