"""A name means one thing: who looks for `question_turns.py` has one file to open, for `Backlog` one class.

Who looks for the unit tests of a package has one folder to open.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HOUSE = Path(__file__).parents[2]
STANDARD = {"__init__.py", "__main__.py", "ports.py"}
"""Names that say what a file is to its package, not what is in it."""
COMMANDS = HOUSE / "worker" / "commands"
"""Called as what is typed: `moim consent` is `consent.py`."""
TOOLS = HOUSE / "worker" / "mcp" / "tools.py"
"""Its classes are the arguments of MCP's tools, and called as these: clients see the names."""
_CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)


def product() -> Iterator[Path]:
    for package in ("worker", "context", "stt"):
        yield from (HOUSE / package).rglob("*.py")


def test_no_two_files_have_the_same_name() -> None:
    files = defaultdict(list)
    for path in product():
        if path.parent != COMMANDS and path.name not in STANDARD:
            files[path.name].append(str(path.relative_to(HOUSE)))
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


def test_no_two_classes_have_the_same_name() -> None:
    files = defaultdict(list)
    for path in product():
        if path != TOOLS:
            for name in _CLASS.findall(path.read_text(encoding="utf-8")):
                files[name].append(str(path.relative_to(HOUSE)))
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


def test_a_folder_of_unit_tests_mirrors_a_package() -> None:
    """The tests of `worker/fleet` stand in `tests/unit/worker/fleet`; `unit/bench` is for `tests/bench`."""
    unit = HOUSE / "tests" / "unit"
    for folder in {path.parent.relative_to(unit) for path in unit.rglob("*.py")}:
        package = folder / "__init__.py"
        assert (HOUSE / package).exists() or (HOUSE / "tests" / package).exists(), folder
