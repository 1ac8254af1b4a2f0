"""Imported by the fork server before all else: the names in what jobs run, made side by side.

A name is one object in the whole process, made by whoever needs it first; the counts of those that
jobs look up change in each job. See `worker.layout`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

JOB_CODE: Final = Path(__file__).with_name("job_code.txt")
"""One function a line: its file, its qualified name, and the names in it that no line above has."""


def _names() -> list[str]:
    try:
        lines = JOB_CODE.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [sys.intern(name) for line in lines for name in line.split("\t")[2].split()]


NAMES: Final = _names()
"""Held, so that they stay where they are."""
