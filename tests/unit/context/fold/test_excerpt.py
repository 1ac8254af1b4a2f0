"""A stretch of a meeting is asked about as if nothing else had been said."""

from __future__ import annotations

import pytest

from context.events.corrections import UtteranceFix
from context.events.events import Corrected, MeetingOpened, MeetingStarted
from context.fold.excerpt import excerpt, since
from context.fold.meeting import Meeting
from tests.unit.context.meetings import START, met, talk


def meeting() -> Meeting:
    opened = MeetingOpened(meeting_id="m", title="주간 회의")
    return met(opened, MeetingStarted(at=START), *talk(30))


@pytest.mark.parametrize("text", ["고친 말입니다.", "Put right."])
def test_it_has_these_utterances_as_they_read_now_and_no_others(text: str) -> None:
    whole = meeting()
    fix = UtteranceFix(of="utterance", utterance=12, text=text, was="?")
    whole.receive(Corrected(id="c", by="a", at_ms=1, fix=fix))
    part = excerpt(whole, 11, 20)
    taken = whole.utterances[10:20]
    assert [(u.text, u.start_ms) for u in part.utterances] == [(u.text, u.start_ms) for u in taken]
    assert part.utterances[1].text == text
    assert [each.id for each in part.utterances] == list(range(1, 11))
    assert part.opened is not None
    assert part.opened.title == "주간 회의"
    assert len(whole.utterances) == 30


def test_the_last_minutes_begin_with_what_was_still_being_said() -> None:
    whole = meeting()
    last_ms = whole.utterances[-1].end_ms
    first = since(whole, 1)
    assert whole.utterances[first - 1].end_ms >= last_ms - 60_000
    assert first == 1 or whole.utterances[first - 2].end_ms < last_ms - 60_000
    assert since(Meeting("empty"), 5) == 1
