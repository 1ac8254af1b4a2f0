"""The child processes of this one in which a function runs."""

from __future__ import annotations

import os
from pathlib import Path


def children() -> list[int]:
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [
        int(pid) for pid in listed.split() if b"worker.sandbox" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
