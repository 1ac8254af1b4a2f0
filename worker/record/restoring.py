"""From the record back to a meeting at work: snapshot, the events after it, then the local spool."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from context import effects, events
from context.config import ContextConfig
from context.decided import ConsentTold, Erased, ParticipantInformed
from context.manager import ContextManager
from context.meeting import Meeting
from context.ports import MeetingStore, RecordedEvent, StoredMeeting, Tokenizer
from worker.collector import at_rest
from worker.record.spool import Spool

log = structlog.get_logger(__name__)

_REPEATABLE = (
    events.MeetingStarted,
    events.ParticipantJoined,
    ParticipantInformed,
    ConsentTold,
    events.UtteranceSpoken,
    events.GapNoted,
    events.SpeechWordless,
    events.QuestionAsked,
    events.AnswerGiven,
    events.ThreadTuned,
    events.ThreadSummaryReady,
    events.RecordingPaused,
    events.RecordingResumed,
    Erased,
)
"""What a spool may bring twice without harm: each is known by its key, id, turns or place on its track.
Consent is told in order, so the newest word stands; an erasure is made anew of what the meeting is then."""


_SHOWN = (
    effects.PublishUtterance,
    effects.PublishCorrected,
    effects.PublishTopic,
    effects.PublishGap,
    effects.PublishReply,
)
_SHOWN_AGAIN = 50
"""At most so many: a snapshot is taken every ten utterances, unless the database is slow."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A meeting as the record has it."""

    manager: ContextManager
    last_seq: int
    spooled: tuple[events.Event, ...]
    """Events of a dead job on this machine that may not be on the record: to be posted again."""
    unshown: tuple[effects.Effect, ...] = ()
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
    """Load a meeting; a new one is empty. Raises `Unavailable` while the store is out of reach."""
    try:
        with at_rest():  # once over both: the collection that it puts off comes at the end
            stored = await store.load(meeting_id) if store is not None else None
            meeting, last_seq, wanted = _rebuilt(stored, meeting_id, config, tokenizer=tokenizer, judge=judge)
    except ValueError as error:
        # A snapshot is only a faster way to the same state: the events are the record.
        log.warning("snapshot_unusable", error=str(error))
        assert store is not None
        stored = await store.load(meeting_id, use_snapshot=False)
        meeting, last_seq = rebuilt(stored, meeting_id, config, tokenizer=tokenizer, judge=judge)
        wanted = []  # the whole meeting's: nobody wants all of it again
    manager = ContextManager(meeting_id, config, store=store, meeting=meeting)
    left = await asyncio.to_thread(_left_in, spool) if spool is not None else []
    if left:
        log.info("spool_found", events=len(left), after=last_seq)
    again = tuple(r.event for r in left if isinstance(r.event, _REPEATABLE))
    return Restored(manager, last_seq, again, tuple(wanted))


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


def rebuilt(
    stored: StoredMeeting | None,
    meeting_id: str,
    config: ContextConfig,
    *,
    tokenizer: Tokenizer | None = None,
    judge: bool = False,
) -> tuple[Meeting, int]:
    """The meeting that a record describes, and the number of its last event."""
    with at_rest():
        meeting, last_seq, _ = _rebuilt(stored, meeting_id, config, tokenizer=tokenizer, judge=judge)
        return meeting, last_seq


def _rebuilt(
    stored: StoredMeeting | None,
    meeting_id: str,
    config: ContextConfig,
    *,
    tokenizer: Tokenizer | None,
    judge: bool,
) -> tuple[Meeting, int, list[effects.Effect]]:
    wanted: list[effects.Effect] = []
    if stored is None:
        return Meeting(meeting_id, config, tokenizer=tokenizer, judge=judge), 0, wanted
    if stored.snapshot is None:
        meeting, last_seq = Meeting(meeting_id, config, tokenizer=tokenizer, judge=judge), 0
    else:
        meeting = Meeting.restore(
            meeting_id, config, stored.snapshot.state, stored.utterances, tokenizer=tokenizer, judge=judge
        )
        last_seq = stored.snapshot.seq
    for recorded in stored.events:
        wanted += meeting.receive(recorded.event)
        last_seq = recorded.seq
    shown: list[effects.Effect] = [effect for effect in wanted if isinstance(effect, _SHOWN)]
    return meeting, last_seq, shown[-_SHOWN_AGAIN:]
