"""What is wrong with a file, in one line."""

from __future__ import annotations

from pathlib import Path


class BadInput(Exception):
    """`FILE:LINE: what is wrong; how to mend it`. For the user's eyes; exit code 2."""

    def __init__(self, path: Path, problem: str, *, line: int | None = None) -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.line = line
