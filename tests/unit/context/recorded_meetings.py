"""A meeting with its record, as a worker keeps both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from context.erasure.erased_record import erased, hidden_words, rewritten
from context.erasure.erasure_reach import demand, reach_of
from context.events.actors import Actor, operator
from context.events.erasure_target import Target
from context.events.events import Event, MeetingStarted, decode, encode
from context.events.privacy_events import WordsShown
from context.fold.meeting import Meeting
from context.ports import RecordedEvent
from tests.unit.context.lives import TIGHT
from tests.unit.context.meetings import START, spoken

OPS = operator("ops")


class Told:
    """A meeting with its record, as a worker keeps both."""

    def __init__(self, language: str = "ko") -> None:
        self.meeting = Meeting("m", TIGHT, judge=True)
        self.record: list[RecordedEvent] = []
        self.numbers: dict[int, int] = {}

    def fold(self, event: Event) -> list[Any]:
        before = len(self.meeting.utterances)
        effects = self.meeting.receive(event)
        self.record.append(RecordedEvent(seq=len(self.record) + 1, event=event))
        if len(self.meeting.utterances) > before:
            self.numbers[len(self.record)] = before + 1
        return effects

    def erase(self, target: Target, id_: str = "x", actor: Actor = OPS, at_ms: int = 9) -> list[Any]:
        made = erased(self.meeting, target, id_=id_, actor=actor, by="민지", at_ms=at_ms)
        if made is None:
            return []
        event, _ = made
        changes = {each.seq: each for each in rewritten(self.record, event, self.numbers)}
        self.record = [changes.get(each.seq, each) for each in self.record]
        return self.fold(event)

    def show(self, numbers: Sequence[int], actor: Actor) -> list[Any]:
        """Show hidden words again, as a worker does."""
        target = Target(what="utterances", utterances=tuple(numbers), show=True)
        reach = reach_of(self.meeting, target)
        demand(actor, target, reach)
        words = hidden_words(self.record, self.numbers, reach.erased)
        return self.fold(WordsShown(id="s", by=actor.shown, actor=actor, at_ms=10, words=words))

    def replayed(self) -> Meeting:
        """From what is stored: through JSON, as another worker reads it."""
        meeting = Meeting("m", TIGHT, judge=True)
        for each in self.record:
            meeting.receive(decode(json.loads(json.dumps(encode(each.event)))))
        return meeting

    def text(self) -> str:
        """All that is stored, and all that is in memory."""
        stored = [encode(each.event) for each in self.record]
        held = [self.meeting.snapshot(), [u.model_dump(mode="json") for u in self.meeting.utterances]]
        return json.dumps([stored, held], ensure_ascii=False)


def told(events: Sequence[Event]) -> Told:
    meeting = Told()
    for event in events:
        meeting.fold(event)
    return meeting


def meeting_of(*said: tuple[str, str]) -> Told:
    return told([MeetingStarted(at=START), *(spoken(n, text, who) for n, (who, text) in enumerate(said, 1))])
