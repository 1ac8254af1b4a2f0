"""A file's name says which file it is: who looks for `question_turns.py` has one to open."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

HOUSE = Path(__file__).parents[2]
STANDARD = {"__init__.py", "__main__.py", "ports.py"}
"""Names that say what a file is to its package, not what is in it."""
COMMANDS = HOUSE / "worker" / "commands"
"""Called as what is typed: `moim consent` is `consent.py`."""
TWICE = {"elsewhere.py"}
"""What of an answer comes from elsewhere (`context.plain`), and what of a thread does (`context.thread`)."""


def test_no_two_files_have_the_same_name() -> None:
    files = defaultdict(list)
    for package in ("worker", "context", "stt"):
        for path in (HOUSE / package).rglob("*.py"):
            if path.parent != COMMANDS and path.name not in STANDARD:
                files[path.name].append(str(path.relative_to(HOUSE)))
    assert {name for name, paths in files.items() if len(paths) > 1} == TWICE, files
