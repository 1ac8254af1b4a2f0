"""The lifetime of the fork server, which imports this first, and of its jobs: they end with their worker.

Else a worker that is refused at its start (a wrong key) would leave a fork server that goes on importing and
logs much later; and one that is killed would leave jobs that hold their meetings, or wait for it for ever.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from worker.parent_death import die_with_parent

PARENT: Final = "MOIM_FORKED_BY"
"""Environment variable by which a worker tells its fork server its process id; it is no setting."""

if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    die_with_parent()
    if os.environ.get(PARENT, str(os.getppid())) != str(os.getppid()):  # noqa: TID251 - see above
        os._exit(0)  # it was gone before we could ask to be told of it
    os.register_at_fork(after_in_child=die_with_parent)
