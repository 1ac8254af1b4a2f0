"""What `worker/agent/DESIGN.md` says of where the seeds live, and of which test shows it, is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_DESIGN = (_ROOT / "worker" / "agent" / "DESIGN.md").read_text(encoding="utf-8")
_TABLES = _DESIGN[_DESIGN.index("### Table 002") : _DESIGN.index("## Answers that were given before")]
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in _TABLES.splitlines()
    if line.startswith("| ") and not line.startswith("| row |")
]
_PACKAGES = ("", "worker/agent/", "worker/agent/graph/", "worker/", "context/")
_TESTS = (
    "",
    *(f"tests/{folder}" for folder in ("", "unit/agent/", "unit/context/", "unit/corpora/", "unit/worker/")),
)
"""Where a name may be meant; a bare file stands beside the one before it, too."""


def _found(name: str, folders: tuple[str, ...]) -> Path | None:
    ways = (_ROOT / f"{folder}{name}{ending}" for folder in folders for ending in ("", ".py"))
    return next((path for path in ways if path.exists()), None)


def _missing_files(where: str) -> list[str]:
    """The files and names of the middle column that are not there."""
    missing, beside = [], "worker/agent/"
    for quoted in re.findall(r"`([^`]+)`", where):
        name, _, member = quoted.partition("::")
        if not re.fullmatch(r"[\w/*]+(?:/|\.py|\.csv)", name):
            continue
        path = _found(name, (*_PACKAGES, beside))
        if path is None or (member and member not in path.read_text(encoding="utf-8")):
            missing.append(quoted)
        else:
            beside = f"{path.parent.relative_to(_ROOT)}/"
    return missing


def _missing_tests(shown: str) -> list[str]:
    """The tests of the last column that are not there. `…` is the file that was named before."""
    missing = []
    path: Path | None = _ROOT / "tests/unit/agent/test_graph.py"
    for quoted in re.findall(r"`([^`]*test_[^`]*)`", shown):
        file, _, test = quoted.partition("::")
        path = path if file == "…" else _found(file, _TESTS)
        if path is None or (
            test and not re.search(rf"def {test.rstrip('…')}", path.read_text(encoding="utf-8"))
        ):
            missing.append(quoted)
    return missing


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0][:40])
def test_every_file_and_every_test_is_there(row: list[str]) -> None:
    _, where, shown = row
    assert _missing_files(where) == []
    assert _missing_tests(shown) == []
    assert "test_" in shown or "moim bench" in shown or "integration/" in shown, "no test is named"


def test_both_seeds_have_their_tables() -> None:
    assert re.findall(r"^### Table (\d{3}):", _TABLES, re.MULTILINE) == ["002", "000"]
    assert len(_ROWS) >= 35
