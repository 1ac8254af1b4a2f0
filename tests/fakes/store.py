"""The record in memory: `MeetingStore`. Everything is kept as JSON text, so that nothing is shared."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from context.events.events import VERSION, UtteranceSpoken, decode, encode
from context.fold.meeting import Meeting
from context.fold.snapshot import with_topics
from context.models import Utterance
from context.ports import Fenced, RecordedEvent, Refused, Snapshot, StoredMeeting
from tests.fakes.record import Record, StoredEvent, as_stored


class FakeStore:
    """Events and snapshots in memory. `store.record.available = False` takes it away."""

    def __init__(self, record: Record | None = None) -> None:
        self.record = record or Record()
        self.appends = 0
        """How many commits there were."""
        self.slow: Callable[[], Awaitable[object]] | None = None
        """What each commit waits for first."""

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        if self.slow is not None:
            await self.slow()
        meeting = self.record.held(meeting_id, epoch)
        added: list[StoredEvent] = []
        for recorded in events:
            stored = StoredEvent(VERSION, as_stored(encode(recorded.event)))
            last = len(meeting.events) + len(added)
            if recorded.seq > last + 1:
                raise Refused(f"event {recorded.seq} follows event {last}; nothing was written")
            if recorded.seq == last + 1:
                added.append(stored)
            elif (meeting.events + added)[recorded.seq - 1] != stored:
                raise Fenced(f"event {recorded.seq} is another one; somebody else wrote it")
        meeting.events += added
        self.appends += bool(events)

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        meeting = self.record.held(meeting_id, epoch)
        stored = meeting.snapshot
        if snapshot.since is not None and (stored is None or stored[0] != snapshot.since):
            raise Refused(f"snapshot {snapshot.seq} builds on {snapshot.since}, which is not the stored one")
        if stored is None or stored[0] < snapshot.seq:
            meeting.snapshot = (snapshot.seq, as_stored(_whole(snapshot, stored)))

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        self.record.demand_available()
        meeting = self.record.meetings.get(meeting_id)
        if meeting is None or not meeting.events:
            return None
        events = [
            RecordedEvent(seq=seq, event=decode(json.loads(stored.payload), stored.version))
            for seq, stored in enumerate(meeting.events, start=1)
        ]
        if meeting.snapshot is None or not use_snapshot:
            return StoredMeeting(snapshot=None, utterances=(), events=tuple(events))
        seq, state = meeting.snapshot
        return StoredMeeting(
            snapshot=Snapshot(seq=seq, state=json.loads(state)),
            utterances=utterances_of(meeting_id, events[:seq]),
            events=tuple(events[seq:]),
        )

    async def events_after(self, meeting_id: str, seq: int, most: int) -> Sequence[RecordedEvent]:
        self.record.demand_available()
        return self.events_of(meeting_id)[seq : seq + most] if meeting_id in self.record.meetings else ()

    def events_of(self, meeting_id: str) -> list[RecordedEvent]:
        """What is on the record."""
        return [
            RecordedEvent(seq=seq, event=decode(json.loads(stored.payload), stored.version))
            for seq, stored in enumerate(self.record.meetings[meeting_id].events, start=1)
        ]


def _whole(snapshot: Snapshot, stored: tuple[int, str] | None) -> dict[str, Any]:
    if snapshot.topics is None:
        return snapshot.state
    known = json.loads(stored[1])["topics"]["segments"] if stored and snapshot.since is not None else []
    topics = {**dict(enumerate(known)), **snapshot.topics}
    return with_topics(snapshot.state, [topics[place] for place in sorted(topics)])


def utterances_of(meeting_id: str, events: Sequence[RecordedEvent]) -> tuple[Utterance, ...]:
    """The utterances of the fold itself, without the topics and as they were heard: what a store must match.

    A name that somebody has later is shown over what they said before; a store keeps the one it was said under.
    """
    fold, said = Meeting(meeting_id), list[Utterance]()
    for recorded in events:
        fold.receive(recorded.event)
        if len(fold.utterances) > len(said) and isinstance(recorded.event, UtteranceSpoken):
            newest = fold.utterances[-1]
            name = recorded.event.speaker_name or newest.speaker_name
            said.append(newest.model_copy(update={"speaker_name": name}))
    heard = [
        u.model_copy(update={"speaker_name": s.speaker_name})
        for u, s in zip(fold.utterances, said, strict=True)
    ]
    return tuple(u.model_copy(update={"topic": None, "topic_id": None}) for u in heard)
