"""The record in Postgres (`MeetingStore`), and where late words wait (`PostgresLateWords`).

An append is one statement: it names the tenant, checks the lease's epoch under a lock, writes the
events and their projections, and commits. A takeover waits for that lock and the other way round,
so no event of an old holder lands after the new one has begun.

The rows were validated as events when they were written. A restore does not validate them again, since
nobody is heard while it runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import asyncpg

from context.events.events import VERSION, SpeechWaits, decode, encode
from context.events.privacy_events import ConsentTold
from context.fold.snapshot import stamps, with_topics
from context.models import Utterance
from context.ports import Fenced, PortError, RecordedEvent, Refused, Snapshot, StoredMeeting, Unavailable
from context.primitives.text import storable
from context.primitives.values import made
from worker.adapters.postgres_pool import Tables
from worker.adapters.sql import statements
from worker.garbage_collection import at_rest
from worker.record.batching import Batch, BatchRefused
from worker.record.late_word_store import LateEvent, late_key

_SQL: Final = statements("store")
_LATE_SQL: Final = statements("late")
_LOCKED: Final = "55P03"
_LOAD_DEADLINE_S: Final = 30.0
"""A long meeting after a cold start of the server takes its time."""


class PostgresStore(Tables):
    """`MeetingStore` for the pool's tenant: events, snapshots and what is projected from them."""

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """See `MeetingStore.append`: one transaction; the same events again count once.

        Raises `Fenced` where `epoch` is not the present one or another event has such a number,
        `Refused` where a number was left out, `Unavailable` where it may work later.
        """
        if not events:
            return
        try:
            answer = await self._pool.call(_SQL["append"], meeting_id, epoch, _batch_json(events))
        except Refused as refusal:
            raise _reason(refusal, meeting_id) from refusal
        _demand_ok(answer, meeting_id, epoch)

    async def append_many(self, batches: Sequence[Batch]) -> list[bool]:
        """Append to several meetings in one transaction; for each batch, False where it is fenced.

        Raises `BatchRefused` where that cannot be done, though `append` may work for each of them.
        """
        ids, epochs = [batch.meeting_id for batch in batches], [batch.epoch for batch in batches]
        try:
            events = [_batch_json(batch.events) for batch in batches]
            answers = await self._pool.call(_SQL["append_many"], ids, epochs, events)
        except PortError as error:
            cause = error.__cause__
            locked = isinstance(cause, asyncpg.PostgresError) and cause.sqlstate == _LOCKED
            if locked or isinstance(error, Refused):
                raise BatchRefused(str(error)) from error
            raise
        return [answer == "ok" for answer in answers]

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """See `MeetingStore.save_snapshot`."""
        key, state = (meeting_id, epoch, snapshot.seq), storable_json(snapshot.state)
        if snapshot.topics is None:
            answer = await self._pool.call(_SQL["save_snapshot"], *key, state)
        else:
            topics = [{"place": place, "topic": topic} for place, topic in snapshot.topics.items()]
            answer = await self._pool.call(
                _SQL["save_changes"], *key, snapshot.since, state, storable_json(topics)
            )
        if answer == "parted":
            raise Refused(f"snapshot {snapshot.seq} builds on {snapshot.since}, which is not the stored one")
        _demand_ok(answer, meeting_id, epoch)

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """See `MeetingStore.load`; all of it is as of one moment."""
        key = (self._pool.tenant, meeting_id)
        with at_rest():
            async with self._pool.transaction(deadline_s=_LOAD_DEADLINE_S, read_only=True) as connection:
                head = await connection.fetchrow(_SQL["snapshot"], *key)
                if head is None or not head["recorded"]:
                    return None
                snapshot = None
                heard: tuple[Utterance, ...] = ()
                if use_snapshot and head["seq"] is not None:
                    state = json.loads(head["state"])
                    if head["topics"] is not None:
                        state = with_topics(state, json.loads(f"[{head['topics']}]"))
                    # What `json.loads` gives is JSON: validating some megabytes of it would find nothing.
                    snapshot = Snapshot.model_construct(seq=head["seq"], state=state)
                    rows = await connection.fetch(_SQL["utterances"], *key, snapshot.seq)
                    heard = tuple(map(_utterance, rows, stamps(state)))
                later = await connection.fetch(_SQL["events"], *key, snapshot.seq if snapshot else 0)
                return StoredMeeting(snapshot=snapshot, utterances=heard, events=_events(later))

    async def events_after(self, meeting_id: str, seq: int, most: int) -> tuple[RecordedEvent, ...]:
        """Return at most `most` events of a meeting's record behind number `seq`, in order."""
        rows = await self._pool.rows(_SQL["events_after"], meeting_id, seq, most, read_only=True)
        return _events(rows)


def _batch_json(events: Sequence[RecordedEvent]) -> str:
    return storable_json([{"seq": e.seq, "version": VERSION, "payload": encode(e.event)} for e in events])


def storable_json(value: Any) -> str:
    """Return JSON that Postgres takes: NUL and lone surrogates, which it cannot hold, become U+FFFD.

    Raises `Refused` for numbers that JSON cannot write, such as infinity.
    """
    try:
        text = _json(value)
        if "\\u0000" not in text:  # or these letters themselves: then nothing is mended
            text.encode()
            return text
    except UnicodeEncodeError:
        pass
    except ValueError as error:  # infinity and the like
        raise Refused(f"this cannot be recorded: {error}") from error
    return _json(_mended(value))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _mended(value: Any) -> Any:
    match value:
        case str():
            return storable(value, len(value))
        case Mapping():
            return {_mended(k): _mended(v) for k, v in value.items()}
        case list() | tuple():
            return [_mended(item) for item in value]
        case _:
            return value


def _demand_ok(answer: str, meeting_id: str, epoch: int) -> None:
    if answer != "ok":
        raise Fenced.of(meeting_id, epoch)


def _reason(refusal: Refused, meeting_id: str) -> PortError:
    """Return the error that a refused append means; `MO…` are SQLSTATEs of our function `append_events`."""
    cause = refusal.__cause__
    if isinstance(cause, asyncpg.PostgresError):
        if cause.sqlstate == "MO002":
            return Fenced(f"meeting {meeting_id!r}: {cause.detail}; somebody else wrote it")
        if cause.sqlstate == "MO001":
            return Refused(f"meeting {meeting_id!r}: {cause.detail}; nothing was written")
        if isinstance(cause, asyncpg.UniqueViolationError):
            # Our own earlier attempt, given up here and still at work there, has just committed.
            return Unavailable(f"meeting {meeting_id!r}: an earlier append is still under way")
    return refusal


def _events(rows: Sequence[asyncpg.Record]) -> tuple[RecordedEvent, ...]:
    """Decode rows of events. Raises `Refused` where one was written by a newer Moim."""
    events = []
    for seq, version, payload in rows:
        try:
            events.append(RecordedEvent(seq=seq, event=decode(json.loads(payload), version)))
        except ValueError as error:
            raise Refused(f"event {seq} cannot be read: {error}") from error
    return tuple(events)


def _utterance(row: asyncpg.Record, stamp: tuple[str | None, str | None]) -> Utterance:
    """Make an utterance of its row; `stamp`: its topic's name and id."""
    number, key, speaker_id, speaker_name, text, start_ms, end_ms, at, *about = row
    confidence, language, first, last, derived = about
    fields = {
        "id": number,
        "speaker_id": speaker_id,
        "speaker_name": speaker_name,
        "text": text,
        "start_ms": start_ms,
        "end_ms": end_ms,
        "confidence": confidence,
        "absolute_timestamp": at,
        "topic": stamp[0],
        "topic_id": stamp[1],
        "language": language,
        "key": key,
        "source": None if first is None else (first, last),
        "times_derived": derived,
        "heard": None,
        "corrected_by": None,
        "hidden": False,  # marks of the snapshot say which are
        "late": False,  # the snapshot says which are
        "doubtful": (),  # the same
    }
    return made(Utterance, fields)


class PostgresLateWords(Tables):
    """`LateWordStore` for the pool's tenant."""

    async def offer(self, meeting_id: str, said: Sequence[LateEvent]) -> int:
        """See `LateWordStore.offer`."""
        turns = [
            {"key": late_key(one), "start_ms": one.start_ms, "version": VERSION, "payload": encode(one)}
            for one in said
        ]
        return int(await self._pool.value(_LATE_SQL["offer"], meeting_id, storable_json(turns)))

    async def missing(self, meeting_id: str, keys: Sequence[str]) -> set[str]:
        """See `LateWordStore.missing`."""
        rows = await self._pool.rows(_LATE_SQL["missing"], meeting_id, list(keys))
        return {row["key"] for row in rows}

    async def waiting(self, meeting_id: str, limit: int) -> Sequence[LateEvent]:
        """See `LateWordStore.waiting`."""
        async with self._pool.connection() as connection:
            rows = await connection.fetch(_LATE_SQL["waiting"], self._pool.tenant, meeting_id, limit)
        late_events: list[LateEvent] = []
        for row in rows:
            try:
                event = decode(json.loads(row["payload"]), row["version"])
            except ValueError as error:
                raise Refused(f"late words of {meeting_id!r} cannot be read: {error}") from error
            if isinstance(event, LateEvent):
                late_events.append(event)
        return late_events

    async def over(self, limit: int) -> Sequence[str]:
        """See `LateWordStore.over`."""
        rows = await self._pool.rows(_LATE_SQL["over"], limit)
        return [row["meeting_id"] for row in rows]

    async def taken(self, meeting_id: str, keys: Sequence[str]) -> None:
        """See `LateWordStore.taken`."""
        await self._pool.run(_LATE_SQL["taken"], meeting_id, list(keys))

    async def seen(self, meeting_id: str) -> None:
        """See `LateWordStore.seen`."""
        await self._pool.run(_LATE_SQL["seen"], meeting_id)

    async def unseen(self, for_s: float, limit: int) -> Sequence[str]:
        """See `LateWordStore.unseen`."""
        rows = await self._pool.rows(_LATE_SQL["unseen"], for_s, limit)
        return [row["meeting_id"] for row in rows]

    async def unseen_of(self, meeting_id: str, for_s: float) -> Sequence[SpeechWaits]:
        """See `LateWordStore.unseen_of`."""
        rows = await self._pool.rows(_LATE_SQL["unseen_of"], meeting_id, for_s)
        return [SpeechWaits(**dict(row)) for row in rows]

    async def refused(self, meeting_id: str, told: ConsentTold) -> bool:
        """See `LateWordStore.refused`."""
        stored = await self._pool.value(
            _LATE_SQL["refused"], meeting_id, told.participant_id, told.how, told.told_by, told.at_ms
        )
        return bool(stored)

    async def paused(self, meeting_id: str, at_ms: int) -> bool:
        """See `LateWordStore.paused`."""
        return bool(await self._pool.value(_LATE_SQL["paused"], meeting_id, at_ms))
