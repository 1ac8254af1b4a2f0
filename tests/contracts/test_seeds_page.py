"""`docs/seeds.md`: what it names is there."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Final

import pytest

from context import seeds

_ROOT: Final = Path(__file__).parents[2]
_NAMED: Final = re.compile(r"`([^`]+)`")
_FRONT: Final = re.compile(r"\*\*front\*\* ([^;]+)")
"""What a row names as fronts; behind a semicolon stands what a meeting uses."""
_ELSEWHERE: Final = {
    "worker.realtime_worker.RealtimeWorker",
    "context.speaker_context.SpeakerContext.speaker_buffers",
    "context.speaker_context.SpeakerContext.add_utterance",
}
_ROWS: Final = [
    line.strip("|").split("|")
    for line in (_ROOT / "docs" / "seeds.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| name |")
]
each_row = pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0].strip()[:60])


def test_every_seed_has_rows() -> None:
    assert len(_ROWS) > 100


def test_fronts_stand_in_one_file_but_for_three() -> None:
    fronts = {
        name for _, code, _ in _ROWS for named in _FRONT.findall(code) for name in _NAMED.findall(named)
    }
    assert fronts == _ELSEWHERE | {f"context.seeds.{name}" for name in seeds.__all__}


@each_row
def test_code_and_tests_that_a_row_names_are_there(row: list[str]) -> None:
    _, code, shown = row
    for name in _NAMED.findall(code):
        if name.startswith(("context.", "worker.")):
            assert resolve_name(name), name
    tests = _NAMED.findall(shown)
    assert tests
    for test in tests:
        file, _, name = test.partition("::")
        text = (_ROOT / "tests" / file).read_text(encoding="utf-8")
        assert not name or re.search(rf"def {name}\b", text), test
