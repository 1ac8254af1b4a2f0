"""Imported once, in the fork server that all job processes of a worker come from.

What is loaded here is shared by all jobs, page by page, and no meeting waits for it: the exact
tokenizer alone is 145 MB and a second of work. Nothing here may start a thread or open a
connection: those do not survive a fork.
"""

from __future__ import annotations

import os
import sys

import worker.entrypoint  # noqa: F401 - for what it brings along
from context.budget import ExactTokenizer
from worker.parent_death import die_with_parent

if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    # A worker that is killed takes its jobs with it, at once: another takes over sooner, and a job
    # that was just being started does not wait for ever for a worker that is gone.
    die_with_parent()
    os.register_at_fork(after_in_child=die_with_parent)

ExactTokenizer().count("모임")
