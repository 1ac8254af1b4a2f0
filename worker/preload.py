"""Imported once, in the fork server that all job processes of a worker come from.

What is loaded here is shared by all jobs, page by page, and no meeting waits for it: the exact
tokenizer alone is 145 MB and a second of work. Nothing here may start a thread or open a
connection: those do not survive a fork.
"""

from __future__ import annotations

import worker.entrypoint  # noqa: F401 - for what it brings along
from context.budget import ExactTokenizer

ExactTokenizer().count("모임")
