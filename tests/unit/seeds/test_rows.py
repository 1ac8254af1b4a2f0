"""Each row of the seeds is used by a running meeting, and the page that says where is up to date."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.fakes.virtual_time import run_virtual
from tests.unit.seeds.row import Row
from tests.unit.seeds.scene import Scene, play
from tests.unit.seeds.table import PAGE, SEEDS, page
from tests.unit.seeds.tracer import Trace, traced

_ROOT = Path(__file__).parents[3]
_ROWS = [(seed, row) for seed, (_, rows) in SEEDS.items() for row in rows]
each_row = pytest.mark.parametrize(
    "row", [row for _, row in _ROWS], ids=[f"{seed} {row.name}"[:60] for seed, row in _ROWS]
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trace, Scene]:
    with traced() as trace:
        scene = run_virtual(play(trace, tmp_path_factory.mktemp("cache")))
    return trace, scene


def _is_taken(trace: Trace, step: str) -> bool:
    kind, _, name = step.partition(":")
    match kind:
        case "reads":
            return name in trace.read
        case "sets":
            return name in trace.keys
        case "sends":
            return any(name in prompt for prompt in trace.sent)
        case "keeps":
            return name in trace.kept
        case _:
            return trace.called(import_module(kind), name)


@each_row
def test_a_running_meeting_uses_it(row: Row, played: tuple[Trace, Scene]) -> None:
    trace, _ = played
    assert [step for step in row.path if not _is_taken(trace, step)] == []


@each_row
def test_its_tests_are_there(row: Row) -> None:
    assert row.shown
    for shown in row.shown:
        file, _, name = shown.partition("::")
        text = (_ROOT / file).read_text(encoding="utf-8")
        assert not name or re.search(rf"def {name}\b", text), shown


def test_the_agents_seeds_have_no_dead_row() -> None:
    """What only fronts offer is the meeting's seed alone."""
    assert {seed for seed, row in _ROWS if row.front} <= {"000"}


def test_what_does_not_run_is_seen(played: tuple[Trace, Scene]) -> None:
    trace, scene = played
    assert not _is_taken(trace, "worker.realtime_worker:RealtimeWorker._on_stt_result")
    assert not _is_taken(trace, "sends:no such words")
    replies = scene.session.manager.meeting.replies
    assert sum(not reply.degraded for reply in replies) == len(replies) > 10, "the model's answers stood"
    assert any(reply.run and reply.run.cache_hit for reply in replies)
    assert any(reply.run and reply.run.compression_applied for reply in replies)
    assert {row.status for row in scene.session.manager.meeting.thread.summaries.rows} == {"COMPLETED"}
    assert "결정" in scene.closing


def test_the_page_is_written_from_the_rows() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.unit.seeds.table"
