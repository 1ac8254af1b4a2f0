"""Restores a meeting from its record, makes its document, and saves the snapshots that make that faster."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, get_args
from urllib.parse import quote
from zoneinfo import ZoneInfo

import structlog

from context.config import ContextConfig
from context.events import effects, events
from context.events.privacy_events import (
    ConsentTold,
    Erased,
    ParticipantInformed,
    RecordingPaused,
    RecordingResumed,
)
from context.export.document import document
from context.export.subtitles import to_jsonl, to_srt, to_vtt
from context.fold.meeting import Meeting
from context.fold.snapshot import changed_topics
from context.manager import ContextManager
from context.models import TopicSegment
from context.ports import (
    Fenced,
    MeetingStore,
    PortError,
    RecordedEvent,
    Refused,
    Snapshot,
    StoredMeeting,
    Tokenizer,
)
from worker.configuration.settings import Settings
from worker.errors import InputError
from worker.garbage_collection import at_rest
from worker.minutes.minutes_writing import minutes
from worker.monitoring.tracebacks import told
from worker.ports import MeetingRow
from worker.record.recorder import Recorder
from worker.record.spool import Spool

log = structlog.get_logger(__name__)

Format = Literal["json", "jsonl", "md", "vtt", "srt"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
"""Those of `moim export`."""


async def read_meeting(store: MeetingStore, meeting_id: str, settings: Settings) -> Meeting | None:
    """Restore a meeting up to its last durable event, to read it; None: nothing is on record.

    It is computed in a thread, since a long meeting takes seconds. Raises as `MeetingStore.load`.
    """
    meeting, last_seq = await read_with_seq(store, meeting_id, settings.context)
    return meeting if last_seq else None


async def load_meeting(store: MeetingStore, meeting_id: str, settings: Settings) -> Meeting:
    """Restore a meeting as `read_meeting` does; raise `InputError` where nothing is on record."""
    meeting = await read_meeting(store, meeting_id, settings)
    if meeting is None:
        raise InputError(
            f"nothing is on record of meeting {meeting_id!r}: `moim meetings` shows whether it is live"
        )
    return meeting


async def read_with_seq(store: MeetingStore, meeting_id: str, config: ContextConfig) -> tuple[Meeting, int]:
    """Restore a meeting to read it, with the number of its last event; nothing on record: an empty one, 0."""
    stored = await store.load(meeting_id)
    try:
        return await asyncio.to_thread(rebuild, stored, meeting_id, config)
    except ValueError as error:
        log.warning("snapshot_unusable", error=told(error))
        stored = await store.load(meeting_id, use_snapshot=False)
        return await asyncio.to_thread(rebuild, stored, meeting_id, config)


async def load_document(store: MeetingStore, row: MeetingRow, settings: Settings) -> dict[str, Any] | None:
    """Make the document (`context.export.document`) of a meeting on record; None: nothing is on record."""
    meeting = await read_meeting(store, row.id, settings)
    return None if meeting is None else await asyncio.to_thread(document_of, meeting, row, settings)


async def load_minutes(store: MeetingStore, row: MeetingRow, settings: Settings) -> dict[str, Any] | None:
    """Make the minutes as the webhook sends them (`url`, `markdown`); None: nothing is on record."""
    shape = await load_document(store, row, settings)
    if shape is None:
        return None
    zone, url = ZoneInfo(settings.agent.time_zone), minutes_url(settings, row.id)
    return {
        "url": url,
        "markdown": await minutes(shape, settings, transcript=False, zone=zone, url=url or ""),
    }


def minutes_url(settings: Settings, meeting_id: str) -> str | None:
    """The URL of a meeting's minutes on the pages; None without `MOIM_PAGES_URL`."""
    pages = settings.pages.url.rstrip("/")
    return f"{pages}/m/{quote(meeting_id, safe='')}/minutes" if pages else None


def empty_document(row: MeetingRow, settings: Settings) -> dict[str, Any]:
    """Make the document of a meeting without a record: it is wanted, or nobody came."""
    return document_of(Meeting(row.id, settings.context), row, settings)


def document_of(meeting: Meeting, row: MeetingRow, settings: Settings) -> dict[str, Any]:
    """Make the document of a meeting, with what the registry knows of it (`row`)."""
    # The speech engine is named if it had a part in the words, or, in a room without words, could have had.
    by_sound = meeting.speech.everybody.heard_ms > 0 or (row.room is not None and not meeting.utterances)
    return document(
        meeting,
        title=row.title,
        room=row.room,
        status=row.status,
        started_at=row.started_at,
        ended_at=row.ended_at,
        engines={
            "stt": settings.stt.engine if by_sound else "none",
            "llm": settings.llm.model or settings.llm.engine,
            "embeddings": settings.embed.encoder_name,
        },
        zone=ZoneInfo(settings.agent.time_zone),
    )


async def exported(shape: dict[str, Any], form: str, settings: Settings) -> str:
    """Write a document in the format `form`, with a newline at its end."""
    if form != "md":
        return await asyncio.to_thread(formatted, shape, form)
    zone, url = ZoneInfo(settings.agent.time_zone), minutes_url(settings, shape["meeting"]["id"])
    return await minutes(shape, settings, zone=zone, url=url or "")


def formatted(shape: dict[str, Any], form: str) -> str:
    """Write a document in one of the formats that programs read, with a newline at its end."""
    match form:
        case "json":
            return json.dumps(shape, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        case "jsonl":
            return to_jsonl(shape)
        case "vtt":
            return to_vtt(shape)
        case _:
            return to_srt(shape)


_REPEATABLE_EVENTS = (
    events.MeetingStarted,
    events.ParticipantJoined,
    ParticipantInformed,
    ConsentTold,
    events.UtteranceSpoken,
    events.GapNoted,
    events.InputNoted,
    events.SpeechWordless,
    events.QuestionAsked,
    events.AnswerGiven,
    events.ThreadTuned,
    events.ThreadSummaryReady,
    RecordingPaused,
    RecordingResumed,
    Erased,
)
"""What a spool may bring twice without harm: each is known by its key, id, turns, words or place on its
track. Consent is told in order, so the newest word stands; an erasure is made anew of what the meeting
then is."""


_MAX_SHOWN_AGAIN_EVENTS: Final = 50
"""At most so many are shown again: a snapshot is taken every ten utterances, unless the database is slow."""
_TICK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Restored:
    """A meeting as the record has it, and what a dead holder may have left undone."""

    manager: ContextManager
    last_seq: int
    """The number of the last event on record; 0: there is none."""
    spooled: tuple[events.Event, ...]
    """Events of a dead job on this machine that may not be on the record: to be posted again."""
    unshown: tuple[effects.Published, ...] = ()
    """What the events behind the snapshot wanted shown: their holder may have died before it was."""


async def restore(
    store: MeetingStore | None,
    meeting_id: str,
    config: ContextConfig,
    *,
    tokenizer: Tokenizer | None = None,
    judge: bool = False,
    spool: Spool | None = None,
) -> Restored:
    """Load a meeting to go on with it; a new one is empty.

    `store` None: nothing is kept. `judge`: see `Meeting`. `spool` is that of the meeting on this machine: its
    lock is taken and its events are read. Raises `Unavailable` while the store is out of reach.
    """
    wanted: list[effects.Published] = []
    fold = partial(rebuild, meeting_id=meeting_id, config=config, tokenizer=tokenizer, judge=judge)
    try:
        with at_rest():  # once over both: the collection that it puts off comes at the end
            stored = await store.load(meeting_id) if store is not None else None
            meeting, last_seq = fold(stored, wanted=wanted)
    except ValueError as error:
        # A snapshot is only a faster way to the same state: the events are the record.
        log.warning("snapshot_unusable", error=told(error))
        assert store is not None
        meeting, last_seq = fold(await store.load(meeting_id, use_snapshot=False))
        wanted.clear()  # the whole meeting's: nobody wants all of it again
    manager = ContextManager(meeting_id, config, meeting=meeting)
    left = await asyncio.to_thread(_left_in, spool) if spool is not None else []
    if left:
        log.info("spool_found", events=len(left), after=last_seq)
    again = tuple(one.event for one in left if isinstance(one.event, _REPEATABLE_EVENTS))
    return Restored(manager, last_seq, again, tuple(wanted[-_MAX_SHOWN_AGAIN_EVENTS:]))


def _left_in(spool: Spool) -> list[RecordedEvent]:
    try:
        if not spool.claim():
            log.warning("spool_held_by_another", path=str(spool.path))
            return []
        return spool.read()
    except OSError as error:
        # The record is the truth; what this disk cannot tell must not keep the meeting waiting.
        log.warning("spool_unreadable", error=str(error))
        return []


def rebuild(
    stored: StoredMeeting | None,
    meeting_id: str,
    config: ContextConfig,
    *,
    tokenizer: Tokenizer | None = None,
    judge: bool = False,
    wanted: list[effects.Published] | None = None,
) -> tuple[Meeting, int]:
    """Fold a record to its meeting; returns also the number of its last event. `stored` None: a new meeting.

    To `wanted` is added what the events behind the snapshot wanted shown. Raises `ValueError` where the
    snapshot can't be read.
    """
    with at_rest():
        if stored is None or stored.snapshot is None:
            meeting, last_seq = Meeting(meeting_id, config, tokenizer=tokenizer, judge=judge), 0
        else:
            meeting = Meeting.restore(
                meeting_id, config, stored.snapshot.state, stored.utterances, tokenizer=tokenizer, judge=judge
            )
            last_seq = stored.snapshot.seq
        for event in stored.events if stored is not None else ():
            effects_of = meeting.receive(event.event)
            if wanted is not None:
                shown = (effect for effect in effects_of if isinstance(effect, effects.Published))
                # A status is of its moment: it is not told again.
                wanted += [effect for effect in shown if not isinstance(effect, effects.PublishStatus)]
            last_seq = event.seq
        return meeting, last_seq


class Snapshots:
    """Saves snapshots of a meeting's state; `run` does so whenever one is due.

    The first one of a holder has everything; those that follow bring only the topics that changed since the
    one before, so the eighth hour of talk costs no more than the first. After one that failed everything is
    saved once more, as nobody knows what became of it.
    """

    def __init__(
        self,
        manager: ContextManager,
        recorder: Recorder,
        *,
        seq: Callable[[], int],
        shown_up_to: Callable[[int], Awaitable[None]],
    ) -> None:
        """`seq` gives the number of the last folded event; `shown_up_to` waits until one has been shown."""
        self._manager, self._recorder = manager, recorder
        self._seq, self._shown_up_to = seq, shown_up_to
        self._saved_seq, self._saved_utterances = recorder.committed, self._utterances()
        self._saving = asyncio.Lock()
        """One snapshot is saved at a time, since each builds on the one before."""
        self._base: tuple[int, list[TopicSegment]] | None = None
        """What the next snapshot builds on: the number of the last one and its topics; None: on none."""

    async def run(self) -> None:
        """Save a snapshot whenever enough was said or enough time went by since the last. Never returns."""
        config = self._manager.config
        patience_s = config.db_sync_interval_seconds
        waited_s = 0.0
        while True:
            await asyncio.sleep(_TICK_S)
            waited_s += _TICK_S
            fresh = self._utterances() - self._saved_utterances
            due = waited_s >= patience_s or fresh >= config.db_sync_utterance_threshold
            if due and self._seq() > self._saved_seq and not self._recorder.away:
                waited_s = 0.0
                await self.save()

    async def save(self) -> None:
        """Save the present state, if there is anything new in it. Failures are logged, none is raised."""
        if not self._recorder.keeps:
            return
        async with self._saving:
            try:
                if self._seq() != self._saved_seq:
                    await self._save_now()
            except PortError as error:
                log.warning("snapshot_failed", error=str(error))
            except Exception:
                # A snapshot is only a faster way to the same state: no fault in it may end the meeting.
                log.exception("snapshot_failed")

    async def _save_now(self) -> None:
        since, saved = self._base or (None, [])
        meeting, utterances = self._manager.meeting, self._utterances()
        state, topics = meeting.snapshot(topics=False), list(meeting.segments)
        # JSON by its making: to validate it would take longer than to make it.
        snapshot = Snapshot.model_construct(
            seq=self._seq(), state=state, topics=changed_topics(topics, saved), since=since
        )
        if not await self._recorder.settled(snapshot.seq):
            return
        await self._shown_up_to(snapshot.seq)
        self._base = None  # unless it is known to have been saved
        try:
            await self._recorder.save(snapshot)
        except Fenced:
            raise
        except Refused:
            if since is None:
                raise
            # What it builds on is gone: a crash of the database took it back.
            await self._recorder.save(
                snapshot.model_copy(update={"topics": changed_topics(topics), "since": None})
            )
        self._base = snapshot.seq, topics
        self._saved_seq, self._saved_utterances = snapshot.seq, utterances

    def _utterances(self) -> int:
        return len(self._manager.meeting.utterances)
