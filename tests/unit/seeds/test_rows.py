"""`docs/seeds.md` is true: a running meeting takes each row's path, and the tests that it names are there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.virtual_time import run_virtual
from tests.unit.seeds.scene import Scene, play
from tests.unit.seeds.tracer import Trace, traced

_ROOT: Final = Path(__file__).parents[3]
_STEP: Final = re.compile(r"(?:(setting|state|prompt:|event) )?`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a seed's table."""

    seed: str
    name: str
    path: tuple[tuple[str, str], ...]
    """What uses it: what kind of thing that is (empty for code), and its name as the page has it."""
    shown: tuple[str, ...]
    """Tests, each as a file below `tests/`, alone or with a function's name behind `::`."""
    front: bool
    """Offered to whoever uses `context` alone; the worker does not call it."""


def _rows() -> list[Row]:
    found, seed = [], ""
    for line in (_ROOT / "docs" / "seeds.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            seed = line[3:6]
        elif line.startswith("| ") and not line.startswith("| row |"):
            name, path, shown = line.removeprefix("| ").removesuffix(" |").split(" | ")
            tests = tuple(test for _, test in _STEP.findall(shown))
            found.append(Row(seed, name, tuple(_STEP.findall(path)), tests, front=path == "**front**"))
    return found


ROWS: Final = _rows()
each_row = pytest.mark.parametrize("row", ROWS, ids=[f"{row.seed} {row.name}"[:60] for row in ROWS])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trace, Scene]:
    with traced() as trace:
        scene = run_virtual(play(trace, tmp_path_factory.mktemp("cache")))
    return trace, scene


def _is_taken(trace: Trace, kind: str, name: str) -> bool:
    match kind:
        case "setting":
            return name in trace.read
        case "state":
            return name in trace.keys
        case "prompt:":
            return any(name in prompt for prompt in trace.sent)
        case "event":
            return name in trace.kept
        case _:
            return trace.called(name)


@each_row
def test_a_running_meeting_uses_it(row: Row, played: tuple[Trace, Scene]) -> None:
    trace, _ = played
    assert [name for kind, name in row.path if not _is_taken(trace, kind, name)] == []


@each_row
def test_its_tests_are_there(row: Row) -> None:
    assert row.shown
    for shown in row.shown:
        file, _, name = shown.partition("::")
        text = (_ROOT / "tests" / file).read_text(encoding="utf-8")
        assert not name or re.search(rf"def {name}\b", text), shown


def test_the_agents_seeds_have_no_dead_row() -> None:
    """What only fronts offer is the meeting's seed alone."""
    assert len(ROWS) > 100
    assert {row.seed for row in ROWS if row.front} <= {"000"}


def test_what_does_not_run_is_seen(played: tuple[Trace, Scene]) -> None:
    trace, scene = played
    assert not trace.called("worker.realtime_worker.RealtimeWorker._on_stt_result")
    assert not _is_taken(trace, "prompt:", "no such words")
    replies = scene.session.manager.meeting.replies
    assert sum(not reply.degraded for reply in replies) == len(replies) > 10, "the model's answers stood"
    assert any(reply.run and reply.run.cache_hit for reply in replies)
    assert any(reply.run and reply.run.compression_applied for reply in replies)
    assert {row.status for row in scene.session.manager.meeting.thread.summaries.rows} == {"COMPLETED"}
    assert "결정" in scene.closing
