"""Stretches that are left without text: a worker that finds them knows all that their holder knew."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stt.spoken_language import SpokenLanguages, evidence_of
from stt.track_events import LeftStretch, TrackEvent, Waits
from stt.turn_queue import TurnQueue
from tests.fakes.speech import Act, FakeEngine
from tests.fakes.virtual_time import in_virtual_time
from worker.record.left_speech import Whose, left_in, remove_torn, write_left

WHOSE = Whose("localhost:5432/moim", "t", "m-1")
LEFT = LeftStretch(
    Waits("minji:TR_1@2000", "minji", "TR_1", 2000, 2900, 3400),
    1700,
    "auto",
    bytes(32_000),
    {"ko": 0.95, "en": 0.05},
)


def test_a_stretch_comes_back_as_it_was_left(tmp_path: Path) -> None:
    write_left(tmp_path / "m-1", WHOSE, LEFT)
    (file,) = left_in(tmp_path)
    assert (file.whose, file.read()) == (WHOSE, LEFT)


def test_what_was_half_written_when_its_process_was_killed_is_deleted(tmp_path: Path) -> None:
    whole = write_left(tmp_path / "m-1", WHOSE, LEFT)
    alone, beside = tmp_path / "m-2" / "a.part", tmp_path / "m-1" / "b.part"
    alone.parent.mkdir()
    for torn in (alone, beside):
        torn.write_bytes(LEFT.pcm)
    remove_torn(tmp_path, alone.stat().st_mtime - 1)
    assert alone.exists(), "somebody may be writing it"
    remove_torn(tmp_path, beside.stat().st_mtime + 1)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [whole]
    assert not alone.parent.exists()


@in_virtual_time
@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
async def test_what_is_left_says_which_languages_were_expected_of_its_speaker(ours: str, other: str) -> None:
    languages, left, told = SpokenLanguages(), list[LeftStretch](), list[TrackEvent]()
    for _ in range(4):
        languages.hear("minji", evidence_of(ours, 4000))
    queue = TurnQueue(
        "minji",
        "TR_1",
        FakeEngine([Act(hangs=True)]),
        told.append,
        languages=languages,
        leave=lambda one: left.append(one) is None,
    )
    turn = queue.join(1700, 2000)
    queue.grow(turn, bytes(32_000))
    queue.end(turn, 2900, 3400)
    await asyncio.sleep(0.1)
    queue.leave()
    await queue.aclose()
    assert left[0].expected == languages.expected("minji")
    assert left[0].expected[ours] > 0.9 > left[0].expected[other]
