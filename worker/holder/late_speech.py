"""Speech that was left without text (`worker.record.left_speech`): recognised by a worker of its machine.

Theory of operation. A holder stops in seconds; a worker stays. It looks every two seconds for what holders
left on this machine, has it recognised beside the meetings that go on, and offers the words to the meeting's
record through the database, where whoever holds the meeting folds them (`late_words`), or a dispatcher, where
the meeting is over. A stretch is deleted when its words are there: who is killed in between offers them
again under the same key, which counts once.

Two more ends are possible. Who refuses to be heard, or has their words erased, is heard no more: their
stretches are deleted at the next look, and become gaps; so do those that no engine has made text of in six
hours. And a job that was killed has left its sound log
only; once its meeting is over, or is held elsewhere, the log is cut into such stretches
(`orphaned_sound_logs`).

The engine's queue is fair between connections, so live meetings wait for one request of ours at most.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, Protocol

import structlog

from context.events.erasure_target import Erasure
from context.models import GapReason
from context.ports import PortError, Refused
from stt.backlog import Backlog
from stt.outage import Outage
from stt.segment import SpeechEngine
from stt.spoken_language import SpokenLanguages
from stt.spoken_terms import Terms, no_terms
from stt.track_events import Heard, LeftStretch, Missed, TrackEvent, Wordless
from stt.turn_queue import TurnQueue, TurnQueueOptions
from worker.bootstrap.database import database
from worker.bootstrap.language_models import mask_of
from worker.bootstrap.speech_engines import speech_engine
from worker.clock import Clock, SystemClock
from worker.configuration.settings import Settings
from worker.holder.late_words import lost
from worker.holder.orphaned_sound_logs import OrphanedSoundLogs
from worker.meeting.record_privacy import masked
from worker.participants.turns import gap_of, speech_waits, utterance_of, wordless_of
from worker.ports import MeetingRegistry
from worker.record.late_word_store import LateEvent, LateWordStore
from worker.record.left_speech import LeftFile, Whose, left_in, remove_torn
from worker.record.sound_log import KEPT_FOR_S, root_of, whose_of

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
STRETCHES_AT_ONCE: Final = 8
"""So many stretches of a track are in this process's memory at once."""
_SEEN_EVERY_S: Final = 60.0
_TORN_AFTER_S: Final = 10.0
"""A file that takes longer to write, some MB of memory, is nobody's any more."""


class Refusals(Protocol):
    """Port that knows who has refused to be heard. Errors are the ports'."""

    async def newest(self, participant: str) -> bool | None:
        """Tell what somebody said last; None: neither yes nor no."""


class Marks(Protocol):
    """The erasures of a meeting. Errors are the ports'."""

    async def marks(self, meeting_id: str) -> Sequence[Erasure]:
        """Give every erasure that was ever asked for of a meeting."""


class LateSpeech:
    """Has what was left on this machine recognised, for one tenant and one worker process."""

    def __init__(
        self,
        root: Path,
        whose: Callable[[str], Whose],
        engine: SpeechEngine,
        late: LateWordStore,
        *,
        dead: OrphanedSoundLogs,
        registry: MeetingRegistry,
        erasures: Marks,
        refusals: Refusals,
        clock: Clock,
        mask: Callable[[str], str] = lambda text: text,
        terms: Terms = no_terms,
    ) -> None:
        """`root`: of all sound logs of this machine. `whose` names a meeting of ours, by its id.

        `dead` leaves what killed jobs have heard. `mask`: for texts, before they are recorded. `terms`: those
        of every meeting.
        """
        self._root, self._whose, self._engine = root, whose, engine
        self._store, self._registry, self._dead = late, registry, dead
        self._erasures, self._refusals = erasures, refusals
        self._clock, self._mask, self._terms = clock, mask, terms
        self._outage, self._backlog = Outage(), Backlog(inf)
        self._tracks: dict[tuple[str, str], _LeftTrack] = {}
        self._seen_s = -inf

    @asynccontextmanager
    async def working(self, stop: asyncio.Event, limit_s: float) -> AsyncIterator[None]:
        """Work during the block, and behind it until nothing waits; that within `limit_s` of `stop`."""
        running, stopping = asyncio.ensure_future(self.run()), asyncio.ensure_future(_when(stop))
        try:
            yield
            if stopping.done():
                with suppress(TimeoutError, PortError):
                    async with asyncio.timeout_at(stopping.result() + limit_s):
                        while await self._ours():  # noqa: ASYNC110 - files: other processes leave them
                            await asyncio.sleep(LOOK_EVERY_S / 4)
        finally:
            for task in (running, stopping):
                task.cancel()
            await asyncio.wait({running, stopping})

    async def run(self) -> None:
        """Look every two seconds, until cancelled; what is under way then is found by the next worker."""
        try:
            while True:
                try:
                    await self.step()
                except PortError as error:
                    log.info("late_speech_waits", error=str(error))
                except Exception:
                    log.exception("late_speech_failed")
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            for track in self._tracks.values():
                await track.aclose()

    async def step(self) -> int:
        """Look once: give up what nobody may hear, offer what is text, begin what waits; how many wait still.

        Raises `PortError`: nothing is lost, the next look goes on.
        """
        await self._dead.cut()
        ours = await self._ours()
        await self._tell_seen({file.whose.meeting_id for file in ours})
        unheard = await self._unheard(ours)
        by_track: dict[tuple[str, str], list[LeftFile]] = defaultdict(list)
        for file in ours:
            by_track[file.whose.meeting_id, file.stretch.track_id].append(file)
        for key, files in by_track.items():
            if key not in self._tracks:
                self._tracks[key] = _LeftTrack(self._queue, key[0])
            files.sort(key=lambda file: file.stretch.start_ms)
            try:
                await self._go_on(self._tracks[key], files, unheard)
            except Refused as error:  # one meeting's trouble is not the others'
                log.warning("late_speech_refused", meeting_id=key[0], error=str(error))
        for key in [key for key in self._tracks if key not in by_track]:
            await self._tracks.pop(key).aclose()
        return len(ours)

    async def _ours(self) -> list[LeftFile]:
        """Find what was left of our meetings; of one that is on no record any more, it is deleted."""
        torn_s = self._clock.now_utc().timestamp() - _TORN_AFTER_S
        await asyncio.to_thread(remove_torn, self._root, torn_s)
        files = await asyncio.to_thread(lambda: list(left_in(self._root)))
        ours = [file for file in files if file.whose == self._whose(file.whose.meeting_id)]
        meetings = {file.whose.meeting_id for file in ours}
        gone = {meeting_id for meeting_id in meetings if await self._registry.get(meeting_id) is None}
        for file in ours:
            if file.whose.meeting_id in gone:
                file.remove()
        return [file for file in ours if file.whose.meeting_id not in gone]

    async def _go_on(
        self, track: _LeftTrack, files: Sequence[LeftFile], unheard: Mapping[Path, GapReason]
    ) -> None:
        """Offer what is known of a track's stretches, delete these, and begin the next ones."""
        gone = [file for file in files if file.path in unheard]
        for file in gone:
            file.remove()
        if any(file.stretch.key in track.begun for file in gone):
            await track.aclose()  # those that may be heard begin anew
            track.begin_anew()
        offered: list[LateEvent] = [lost(speech_waits(file.stretch), unheard[file.path]) for file in gone]
        offered += [self._late(event) for event in track.outcomes.values()]
        if offered:
            await self._store.offer(track.meeting_id, offered)
        for file in files:
            if track.outcomes.pop(file.stretch.key, None) is not None:
                file.remove()
                track.begun.discard(file.stretch.key)
        waiting = [file for file in files if file.path not in unheard and file.path.exists()]
        for file in waiting:
            if len(track.begun) >= STRETCHES_AT_ONCE:
                return
            if file.stretch.key not in track.begun and (left := await asyncio.to_thread(file.read)):
                track.begin(left)

    def _queue(self, left: LeftStretch, tell: Callable[[TrackEvent], None]) -> TurnQueue:
        stretch = left.stretch
        return TurnQueue(
            stretch.participant,
            stretch.track_id,
            self._engine,
            tell,
            language=left.language,
            languages=SpokenLanguages(left.expected),
            options=TurnQueueOptions(in_flight=1),
            outage=self._outage,
            backlog=self._backlog,
            terms=self._terms,
        )

    async def _unheard(self, files: Sequence[LeftFile]) -> dict[Path, GapReason]:
        """Find those of people who refuse to be heard, those that were erased, and those that are too old."""
        unheard: dict[Path, GapReason] = {}
        oldest_s = self._clock.now_utc().timestamp() - KEPT_FOR_S
        marks = {
            meeting_id: await self._erasures.marks(meeting_id)
            for meeting_id in {f.whose.meeting_id for f in files}
        }
        people = {file.stretch.participant for file in files}
        refused = {who for who in people if await self._refusals.newest(who) is False}
        for file in files:
            who, start_ms, end_ms = file.stretch.participant, file.stretch.start_ms, file.stretch.end_ms
            erased = any(mark.withholds(who, start_ms, end_ms) for mark in marks[file.whose.meeting_id])
            if who in refused or erased:
                unheard[file.path] = "off_record"
            elif file.left_s < oldest_s:
                unheard[file.path] = "stt_timeout"
        return unheard

    async def _tell_seen(self, meetings: set[str]) -> None:
        """Tell now and then that the sound is still there; else it is given up as gone."""
        now_s = self._clock.monotonic_s()
        if meetings and now_s >= self._seen_s + _SEEN_EVERY_S:
            for meeting_id in meetings:
                await self._store.seen(meeting_id)
            self._seen_s = now_s

    def _late(self, event: Heard | Missed | Wordless) -> LateEvent:
        """Make the event that is folded of an outcome."""
        match event:
            case Heard() as heard:  # its speaker's name is the one that the meeting knows
                return masked(utterance_of(heard, ""), self._mask).model_copy(update={"late": True})
            case Wordless() as none:
                return wordless_of(none, none.key)
            case Missed() as missed:
                return gap_of(missed, missed.key)


class _LeftTrack:
    """The stretches of one track that are being recognised."""

    def __init__(
        self, make: Callable[[LeftStretch, Callable[[TrackEvent], None]], TurnQueue], meeting_id: str
    ) -> None:
        self._make, self.meeting_id = make, meeting_id
        self._made: TurnQueue | None = None
        self.begun = set[str]()
        """The keys of the stretches that are being recognised, or have been."""
        self.outcomes: dict[str, Heard | Missed | Wordless] = {}
        """What is known and not offered yet, by key."""

    def begin(self, left: LeftStretch) -> None:
        """Have a stretch recognised."""
        stretch = left.stretch
        if self._made is None:
            self._made = self._make(left, self._take)
        turn = self._made.join(left.sound_ms, stretch.start_ms)
        self._made.grow(turn, left.pcm)
        self._made.end(turn, stretch.end_ms, stretch.track_end_ms)
        self.begun.add(stretch.key)

    def _take(self, event: TrackEvent) -> None:
        if isinstance(event, Heard | Missed | Wordless) and event.key is not None:
            self.outcomes[event.key] = event

    def begin_anew(self) -> None:
        """Forget what was begun and is not known."""
        self._made = None
        self.begun.intersection_update(self.outcomes)

    async def aclose(self) -> None:
        """Stop, without a word."""
        if self._made is not None:
            await self._made.aclose()


async def _when(happened: asyncio.Event) -> float:
    await happened.wait()
    return asyncio.get_running_loop().time()


@asynccontextmanager
async def late_speech(settings: Settings) -> AsyncIterator[LateSpeech | None]:
    """Give a `LateSpeech` by the settings for the block; None where no sound is kept, or none recognised."""
    root = root_of(settings.process.sound_dir, settings.process.state_dir)
    async with database(settings, max_size=2) as tables, speech_engine(settings) as engine:
        if root is None or engine is None:
            yield None
            return
        ours, clock = partial(whose_of, settings), SystemClock()
        dead = OrphanedSoundLogs(
            root,
            ours,
            engine,
            tables.late,
            registry=tables.registry,
            record=tables.record,
            clock=clock,
            config=settings.context,
        )
        yield LateSpeech(
            root,
            ours,
            engine,
            tables.late,
            dead=dead,
            registry=tables.registry,
            erasures=tables.erasures,
            refusals=tables.consents,
            clock=clock,
            mask=mask_of(settings, record=True),
            terms=lambda: (*settings.stt.terms, *settings.agent.wake_words),
        )
