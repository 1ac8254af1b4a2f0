"""What `context/DESIGN.md` says of where the seeds live, and of which test shows it, is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_DESIGN = (_ROOT / "context" / "DESIGN.md").read_text(encoding="utf-8")
_TABLES = _DESIGN[_DESIGN.index("## Where the seeds live") : _DESIGN.index("## Summaries without a model")]
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in _TABLES.splitlines()
    if line.startswith("| ") and not line.startswith("| row |")
]
_SHORT = {"T": "test_thread_", "B": "test_budgets_"}
_WHERE = ("", "context/", "worker/")
_SHOWN = ("", "tests/unit/context/", "tests/unit/agent/", "tests/unit/worker/", "tests/integration/")


def _exists(name: str, folders: tuple[str, ...]) -> bool:
    return any(
        next(_ROOT.glob(f"{folder}{name.rstrip('/')}{ending}"), None)
        for folder in folders
        for ending in ("", ".py")
    )


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0][:40])
def test_every_file_and_every_test_is_there(row: list[str]) -> None:
    _, where, shown = row
    files = [
        name for name in re.findall(r"`([a-z_*/]+(?:\.py)?)`", where) if "/" in name[1:] or ".py" in name
    ]
    tests = re.findall(r"`((?:tests/[\w/]+/)?test_\w+)(?:\.py)?`", shown)
    tests += [f"{_SHORT[letter]}{word}" for letter, word in re.findall(r"(?<![\w`])([TB]) ([a-z]\w+)", shown)]
    assert [name for name in files if not _exists(name, _WHERE)] == []
    assert [name for name in tests if not _exists(f"{name}.py", _SHOWN)] == []
    assert tests or re.search(r"`moim bench|\b[SI]\b|^triggers", shown), f"no test is named: {shown}"


def test_every_seed_has_its_table() -> None:
    assert re.findall(r"^### (\d{3}):", _TABLES, re.MULTILINE) == ["000", "004"]
    assert len(_ROWS) > 45
