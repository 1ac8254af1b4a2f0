"""The error of all readers of files. It stands alone: who reports it needs no codecs."""

from __future__ import annotations

from pathlib import Path


class BadInput(Exception):
    """A file of the user's can't be read: `FILE:LINE: what is wrong; how to mend it`. Exit code 2."""

    def __init__(self, path: Path, problem: str, *, line: int | None = None) -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.problem = problem
        """What is wrong, and how to mend it, without the file and the line."""
        self.line = line
