"""Transcript push in memory: the queue over a `Record`, and a receiver on the clock of the loop."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from context.events.events import decode
from context.export.document import reply_fields
from context.fold.meeting import Meeting
from tests.fakes.record import LONG_AGO, MeetingRecord, Record
from worker.push.queue import (
    PostOutcome,
    Progress,
    PushAnswer,
    PushBacklog,
    PushBatch,
    PushClaim,
    TranscriptSegmentRequest,
)


@dataclass
class _Push:
    sent_until: int = 0
    failures: int = 0
    due_at: datetime = LONG_AGO
    claim: str | None = None
    claimed_until: datetime = LONG_AGO
    over: str | None = None
    error: str | None = None


class FakePushes:
    """`PushQueue` over the record's meetings, by its hand-moved clock."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.pushes: dict[str, _Push] = {}
        self._before: frozenset[str] | None = None
        """Meetings that were over when the feed was opened."""
        self._claims = itertools.count(1)

    async def open(self) -> None:
        self.record.demand_available()
        if self._before is None:
            self._before = frozenset(m.id for m in self.record.meetings.values() if not m.open)
            for meeting in self.record.meetings.values():
                if meeting.open:
                    self.pushes.setdefault(meeting.id, _Push(len(meeting.events)))
        minute_ago = self.record.clock.now - timedelta(minutes=1)
        for meeting, push in self._followed():
            ended = not meeting.open and meeting.ended_at is not None and meeting.ended_at <= minute_ago
            free = push.over is None and push.claimed_until <= self.record.clock.now
            if ended and free and push.sent_until >= len(meeting.events):
                push.over = "sent"

    async def close(self) -> None:
        self.record.demand_available()
        self._before = None
        self.pushes = {name: push for name, push in self.pushes.items() if push.over is not None}

    async def claim(self, limit: int, lease_s: float) -> Sequence[PushClaim]:
        self.record.demand_available()
        now, claims = self.record.clock.now, []
        for meeting, push in sorted(self._followed(), key=lambda pair: (pair[1].due_at, pair[0].id)):
            waits = push.sent_until < len(meeting.events)
            free = push.due_at <= now and push.claimed_until <= now
            if push.over is None and waits and free and len(claims) < limit:
                push.claim, push.claimed_until = str(next(self._claims)), now + timedelta(seconds=lease_s)
                claims.append(
                    PushClaim(
                        push.claim, meeting.id, meeting.room, meeting.title, push.sent_until, push.failures
                    )
                )
        return claims

    async def following(self, claim: PushClaim, limit: int) -> PushBatch:
        self.record.demand_available()
        meeting = self.record.meetings[claim.meeting_id]
        until = min(len(meeting.events), claim.sent_until + limit)
        requests = [r for r in _requests(meeting, self.record.clock.now) if claim.sent_until < r.seq <= until]
        return PushBatch(tuple(requests), until)

    async def settle(self, claim: PushClaim, progress: Progress) -> bool:
        self.record.demand_available()
        push = self.pushes[claim.meeting_id]
        if push.claim != claim.id:
            return False
        now = self.record.clock.now
        push.sent_until, push.failures, push.error = progress.sent_until, progress.failures, progress.error
        push.claim, push.claimed_until = None, LONG_AGO
        push.due_at = now + timedelta(seconds=progress.retry_s)
        push.over = "gone" if progress.gone else None
        return True

    async def backlog(self) -> PushBacklog:
        self.record.demand_available()
        return PushBacklog(failing=sum(p.failures > 0 and p.over is None for _, p in self._followed()))

    def _followed(self) -> list[tuple[MeetingRecord, _Push]]:
        if self._before is None:
            return []
        return [
            (meeting, self.pushes.setdefault(meeting.id, _Push()))
            for meeting in self.record.meetings.values()
            if meeting.id not in self._before
        ]


def _requests(meeting: MeetingRecord, now: datetime) -> list[TranscriptSegmentRequest]:
    """What the fold makes of the record: a turn or a public answer per event at most."""
    fold, requests = Meeting(meeting.id), []
    for seq, stored in enumerate(meeting.events, start=1):
        turns, answers = len(fold.utterances), len(fold.replies)
        fold.receive(decode(json.loads(stored.payload), stored.version))
        content: dict[str, object] | None = None
        if len(fold.utterances) > turns:
            u = fold.utterances[-1]
            kind = "utterance"
            content = {
                "id": u.id,
                "segment_id": f"{meeting.id}/{u.key}",
                "speaker": u.speaker_id,
                "speaker_name": u.speaker_name,
                "text": u.text,
                "start_ms": u.start_ms,
                "end_ms": u.end_ms,
                "spoken_at": u.absolute_timestamp.isoformat(),
                "confidence": u.confidence,
                "language": u.language,
            }
        elif len(fold.replies) > answers and not fold.replies[-1].private:
            kind, content = "reply", reply_fields(fold.replies[-1])
        if content is not None:
            requests.append(
                TranscriptSegmentRequest(meeting.id, meeting.room, meeting.title, seq, kind, content, now)  # type: ignore[arg-type] # one of the two
            )
    return requests


@dataclass
class FakeReceiver:
    """Takes everything, unless `answers` says otherwise: the next ones, or one per push id for ever."""

    answers: list[PushAnswer] = field(default_factory=list)
    always: dict[str, PushAnswer] = field(default_factory=dict)
    takes_s: float = 0.01
    posts: list[str] = field(default_factory=list)
    """Ids, in the order of their coming, refused ones included."""
    accepted: list[TranscriptSegmentRequest] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def post(self, request: TranscriptSegmentRequest) -> PushAnswer:
        self.posts.append(request.id)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.at_once -= 1
        answer = self.always.get(request.id) or (self.answers.pop(0) if self.answers else PushAnswer(200))
        if answer.status is not None and answer.status < 300:
            self.accepted.append(request)
        return answer


@dataclass
class FakePushMetrics:
    """Counts posts by what became of them, and keeps each backlog that it is told."""

    outcomes: list[PostOutcome] = field(default_factory=list)
    backlogs: list[tuple[float, int]] = field(default_factory=list)

    def push(self, outcome: PostOutcome, took_s: float) -> None:
        assert took_s >= 0
        self.outcomes.append(outcome)

    def push_backlog(self, lag_s: float, failing: int) -> None:
        self.backlogs.append((lag_s, failing))
