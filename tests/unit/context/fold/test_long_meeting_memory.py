"""What each utterance of a long meeting leaves behind: itself, its share of topics, where its words stand."""

from __future__ import annotations

import functools
import gc
import tracemalloc
from datetime import UTC, datetime
from typing import Final

from context.events import effects, events
from context.fold.meeting import Meeting
from context.retrieval.lexical import LexicalIndex
from tests.chaos.script import Say, script
from tests.unit.context.meetings import by_extraction

_FROM: Final = 100
_TO: Final = 300
_MOST_BYTES: Final = 2200
"""It is 1,430 to 1,680, of Python 3.11, by what else the process has imported. Four in five of these utterances
are a statement of their topic's summary, too, and each holds a figure that nobody says again."""


def test_an_utterance_leaves_little_behind() -> None:
    meeting, index = Meeting("long"), LexicalIndex()
    _take(meeting, events.MeetingOpened(meeting_id="long", language="auto", topics_beside=True))
    _take(meeting, events.MeetingStarted(at=datetime(2026, 3, 2, tzinfo=UTC)))
    said = [step for step in script(1, _TO, people=15, gap_ms=4000) if isinstance(step, Say)]
    tracemalloc.start()
    try:
        for say in said[:_FROM]:
            _hear(meeting, index, say)
        before = _held()  # with whatever is made once, by whoever runs first
        for say in said[_FROM:]:
            _hear(meeting, index, say)
        left = _held() - before
    finally:
        tracemalloc.stop()
    assert left / (_TO - _FROM) < _MOST_BYTES


def _hear(meeting: Meeting, index: LexicalIndex, say: Say) -> None:
    text = say.text.encode().decode()  # each event read from a stream brings its own
    spoken = events.UtteranceSpoken(
        key=say.id,
        speaker_id=say.speaker,
        speaker_name=say.name,
        text=text,
        start_ms=say.start_ms,
        end_ms=say.end_ms,
    )
    _take(meeting, spoken)
    meeting.catch_up()
    index.add(meeting.utterances[-1])


def _take(meeting: Meeting, event: events.Event) -> None:
    for wanted in meeting.receive(event):
        if isinstance(wanted, effects.Summarise):
            _take(meeting, by_extraction(wanted))


def _held() -> int:
    """Bytes, what is only remembered apart: that has its own bounds, whatever the meeting's length."""
    # Not `isinstance`: it asks a lazily imported module for its class, and 20 MB are imported there and then.
    remembered = [each for each in gc.get_objects() if type(each) is functools._lru_cache_wrapper]
    for each in remembered:
        bounded = each.cache_info().maxsize is not None  # what is loaded once stays
        if bounded and each.__module__.startswith("context."):
            each.cache_clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
