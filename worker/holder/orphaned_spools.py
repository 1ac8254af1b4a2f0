"""Spools that no living job owns: what they hold is brought to the meeting's holder, or reported as lost.

A job that dies while the database is away leaves what it heard on its machine's disk. Where the meeting comes
back to this machine, its next job reads the spool. Otherwise a worker of this machine carries it: it looks at
its start and every 30 s, and brings what was said to the meeting's holder through the database. Where nobody
holds the meeting now, the turns wait there for the next holder, which goes on with the meeting or ends it
(`worker.fleet.closing_from_record`), and the file stays: that holder may be on this machine and read it all.
To an ended meeting nothing is added that nobody said was to come (what was sent out as its record stays its
record), so the file is kept aside and reported.

Turns are carried, and what people wanted of their words: an erasure is asked for, a no to being heard and a
pause are told to the holder as if they came by Redis, unless something else was said since. What more a spool
holds (joins, questions, verdicts) the other holder has seen by itself or can't use: an answer would be given
twice.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol

import structlog
from pydantic import ValidationError

from context.erasure.erased_record import as_hidden
from context.events.actors import Actor, operator
from context.events.erasure_target import Erasure, Target
from context.events.events import UtteranceSpoken
from context.events.privacy_events import ConsentTold, Erased, RecordingPaused, RecordingResumed
from context.ports import PortError, RecordedEvent, Refused
from worker.bootstrap.database import database
from worker.bootstrap.streams import bus_if_any
from worker.clock import now_utc
from worker.configuration.settings import Settings
from worker.messages import AskMessage, CommandStream, ConsentMessage
from worker.monitoring.metrics import Metrics, process_metrics
from worker.ports import MeetingRegistry, MeetingRow
from worker.record.late_word_store import LateWordStore
from worker.record.sound_log import root_of, sweep
from worker.record.spool import SpoolOwner, hold, read_orphan, write_spool

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 30.0
KEPT_SUFFIX: Final = ".kept"
"""The ending of a spool that is kept aside, since its meeting has ended."""

Fate = Literal["owned", "left", "known", "offered", "kept", "unknown"]
"""What became of a spool at one look.

owned: its job lives · left: for the usual restore, or until Redis is back · known: all of it is on record; it
was deleted · offered: put into the database for the holder, and deleted · kept: aside, as its meeting has
ended · unknown: unreadable, or of no meeting of this tenant.
"""


class AskedErasures(Protocol):
    """The erasures that were asked for and done, on record. Errors are the ports'."""

    async def ask(self, target: Target, *, id_: str, actor: Actor, by: str, meeting_id: str) -> int:
        """Ask for an erasure in one meeting; the same `id_` again changes nothing."""

    async def marks(self, meeting_id: str) -> Sequence[Erasure]:
        """Give every erasure that was ever asked for of a meeting."""

    async def held(self, meeting_id: str) -> bool:
        """Tell whether a meeting is on hold: nothing of it is taken out."""

    async def newest(self) -> datetime | None:
        """Give when words were last taken out of any meeting; None: never."""


class OrphanedSpools:
    """Carries the spools of dead jobs of this machine, for one worker process of one tenant.

    Several on one machine do no harm: a spool is locked while one looks at it.
    """

    def __init__(
        self,
        folder: Path,
        tenant: str,
        registry: MeetingRegistry,
        late: LateWordStore,
        erasures: AskedErasures,
        *,
        metrics: Metrics,
        sound: Path | None = None,
        commands: CommandStream | None = None,
    ) -> None:
        """`folder`: of the spools. `sound`: of the sound logs of jobs, of which old ones are deleted.

        `commands`: None where there is no Redis; then a no or a pause cannot be told to the holder.
        """
        self._folder, self._tenant, self._sound = folder, tenant, sound
        self._registry, self._late, self._erasures = registry, late, erasures
        self._metrics, self._commands = metrics, commands
        self._erased_at: datetime | None = None
        self._told: set[str] = set()
        self._seen: set[Path] = set()

    async def run(self) -> None:
        """Call `step` at once and then every 30 s, until cancelled."""
        while True:
            try:
                if self._sound is not None:
                    await asyncio.to_thread(sweep, self._sound, now_utc().timestamp())
                await self.step()
            except PortError as error:
                log.info("spools_wait", error=str(error))
            except Exception:
                log.exception("spools_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def step(self) -> dict[Path, Fate]:
        """Look at every spool once; return what became of each. Raises `PortError` if Postgres is away."""
        if (erased_at := await self._erasures.newest()) != self._erased_at:
            # Words were erased since: what is kept of ended meetings may hold some. A spool by the same name
            # is looked at first, and kept with it; the next look finds both.
            kept_paths = [(path, path.with_suffix(".jsonl")) for path in self._folder.glob(f"*{KEPT_SUFFIX}")]
            alone = [(path, spool) for path, spool in kept_paths if not spool.exists()]
            for path, spool in alone:
                path.rename(spool)
            if alone == kept_paths:
                self._erased_at = erased_at
        return {path: await self._look_at(path) for path in sorted(self._folder.glob("*.jsonl"))}

    async def _look_at(self, path: Path) -> Fate:
        try:
            file = await asyncio.to_thread(hold, path)
        except (BlockingIOError, FileNotFoundError):  # its job lives, or has cleared it since we looked
            return "owned"
        except OSError as error:
            self._tell("spool_unreadable", str(path), error=str(error))
            return "unknown"
        with file:
            return await self._settle(path, file)

    async def _settle(self, path: Path, file: BinaryIO) -> Fate:
        owner, events = await asyncio.to_thread(read_orphan, file)
        if owner is None:
            # Of a version before spools said whose they are: a plain file name is the meeting's id, and the
            # tenant that of deployments that named none. For another it might be somebody else's words.
            owner = SpoolOwner(path.stem, "default")
        meeting_id = owner.meeting_id
        row = await self._registry.get(meeting_id) if owner.tenant == self._tenant else None
        if row is None:
            self._tell("spool_of_unknown_meeting", str(path), meeting_id=meeting_id)
            return "unknown"
        return await self._bring(path, owner, row, events)

    async def _bring(
        self, path: Path, owner: SpoolOwner, row: MeetingRow, events: Sequence[RecordedEvent]
    ) -> Fate:
        """Bring what a spool of a known meeting holds to where it belongs."""
        meeting_id = owner.meeting_id
        missing, emptied = await self._missing(meeting_id, events)
        await self._ask_for_erasures(meeting_id, emptied)
        requests, untellable = await self._unrecorded_requests(meeting_id, events)
        # What its job took out is here alone: on hold it stays here until the hold is lifted.
        stays = bool(emptied) and await self._erasures.held(meeting_id)
        if stays:
            missing = [turn for turn in missing if turn.hidden is None]
        if row.status in {"ended", "failed"}:
            if stays:
                return "left"
            missing = await self._without_erased(meeting_id, missing, emptied)
            return self._keep(path, owner, missing) if missing else self._done(path, "known")
        if row.holder is None:
            await self._offer(meeting_id, missing)
            return "left"
        if row.holder.host == socket.gethostname() and path not in self._seen:
            # The holder is on this machine, and may be about to read the spool: not before long.
            self._seen.add(path)
            return "left"
        if not missing and not requests and not untellable and not stays:
            return self._done(path, "known")
        await self._offer(meeting_id, missing)
        delivered = await self._tell_holder(meeting_id, requests)
        return self._done(path, "offered") if delivered and not untellable and not stays else "left"

    async def _missing(
        self, meeting_id: str, events: Sequence[RecordedEvent]
    ) -> tuple[list[UtteranceSpoken], list[_Emptied]]:
        """Return the spool's turns with words that are not on record nor erased by their job; its erasures.

        The turns come without `position`: how far inputs were read is the present holder's to say.
        """
        turns = {
            recorded.event.key: recorded.event.model_copy(update={"position": None})
            for recorded in events
            if isinstance(recorded.event, UtteranceSpoken)
        }
        unrecorded = await self._late.missing(meeting_id, list(turns))
        emptied = _emptied(events, unrecorded)
        gone = {key for spool in emptied for key in spool.keys}
        hidden = {key for spool in emptied for key in spool.hidden}
        turns = {key: as_hidden(event) if key in hidden else event for key, event in turns.items()}
        # Others were off the record.
        with_words = {key: event for key, event in turns.items() if event.text or event.hidden}
        return [event for key, event in with_words.items() if key in unrecorded and key not in gone], emptied

    async def _ask_for_erasures(self, meeting_id: str, emptied: Sequence[_Emptied]) -> None:
        """Ask for the erasures that a job carried out while the database was away, and died with.

        The numbers of turns that are on no record are left out: other turns may have them there.
        """
        for spool in emptied:
            target = spool.erased.target
            if target.what == "utterances":
                there = tuple(number for number in target.utterances if number not in spool.numbers)
                if not there:
                    continue
                target = target.model_copy(update={"utterances": there})
            by = spool.erased.by
            actor = spool.erased.actor or operator(by)
            await self._erasures.ask(target, id_=spool.erased.id, actor=actor, by=by, meeting_id=meeting_id)

    async def _unrecorded_requests(
        self, meeting_id: str, events: Sequence[RecordedEvent]
    ) -> tuple[list[AskMessage | ConsentMessage], int]:
        """Return each no to being heard, and the pause, that are on no record and still stand, as messages.

        Also returns how many cannot be told: an identity may be longer than a message allows, or blank.
        """
        requests: list[AskMessage | ConsentMessage] = []
        untellable = 0
        # Who has said no last, themselves and in this meeting; and what the recording came to last.
        consents = {
            recorded.event.participant_id: recorded.event
            for recorded in events
            if isinstance(recorded.event, ConsentTold)
        }
        refusals = [last for last in consents.values() if not last.agreed and last.how != "earlier"]
        course = [
            recorded.event
            for recorded in events
            if isinstance(recorded.event, RecordingPaused | RecordingResumed)
        ]
        for event in (*refusals, *course[-1:]):
            try:
                match event:
                    case ConsentTold(participant_id=who) if await self._late.refused(meeting_id, event):
                        id_ = f"spooled-{event.at_ms}-{who}"[:1000]
                        requests.append(
                            ConsentMessage(id=id_, person=who, agreed=False, how="command", by=event.told_by)
                        )
                    case RecordingPaused() if await self._late.paused(meeting_id, event.at_ms):
                        command = "/off" if event.off_the_record else "/pause"
                        requests.append(AskMessage(id=f"spooled-{event.at_ms}", by=event.by, text=command))
            except ValidationError as error:  # without what was refused: identities are people's
                untellable += 1
                self._tell("wish_untellable", meeting_id, error=error.errors(include_url=False)[0]["msg"])
            except Refused as error:
                untellable += 1
                self._tell("wish_untellable", meeting_id, error=str(error))
        return requests, untellable

    async def _tell_holder(self, meeting_id: str, requests: Sequence[AskMessage | ConsentMessage]) -> bool:
        """Tell the holder; told twice counts once. False where it cannot be told now."""
        for request in requests:
            if self._commands is None:
                self._tell("wishes_untold", meeting_id, error="without REDIS_URL the holder can't be told")
                return False
            try:
                await self._commands.ask(meeting_id, request)
            except PortError as error:
                log.info("wishes_wait", meeting_id=meeting_id, error=str(error))
                return False
        return True

    async def _offer(self, meeting_id: str, missing: Sequence[UtteranceSpoken]) -> None:
        """Leave turns for the holder in the database; offered twice counts once."""
        if missing and (offered := await self._late.offer(meeting_id, missing)):
            log.info("spool_offered", meeting_id=meeting_id, turns=offered)
            self._metrics.late_words("offered", offered)

    async def _without_erased(
        self, meeting_id: str, turns: Sequence[UtteranceSpoken], emptied: Sequence[_Emptied]
    ) -> list[UtteranceSpoken]:
        """Return the turns of an ended meeting, which no holder filters, without what was taken back."""
        here = {spool.erased.id: spool.erased.at_ms for spool in emptied}
        marks = [
            mark.model_copy(update={"at_ms": here.get(mark.id, mark.at_ms)})
            for mark in (await self._erasures.marks(meeting_id) if turns else ())
        ]
        return [
            turn
            for turn in turns
            if not any(mark.withholds(turn.speaker_id, turn.start_ms, turn.end_ms) for mark in marks)
        ]

    def _done(self, path: Path, fate: Fate) -> Fate:
        path.unlink(missing_ok=True)
        self._seen.discard(path)
        return fate

    def _keep(self, path: Path, owner: SpoolOwner, utterances: Sequence[UtteranceSpoken]) -> Fate:
        """Keep aside those turns of an ended meeting that are nowhere else, beside those kept before."""
        aside = path.with_suffix(KEPT_SUFFIX)
        before: list[UtteranceSpoken] = []
        if aside.exists():
            with aside.open("rb", buffering=0) as file:
                _, events = read_orphan(file)
            before = [recorded.event for recorded in events if isinstance(recorded.event, UtteranceSpoken)]
        turns = {turn.key: turn for turn in (*before, *utterances)}.values()
        write_spool(aside, owner, [RecordedEvent(seq=n, event=turn) for n, turn in enumerate(turns, 1)])
        path.unlink(missing_ok=True)
        log.error(
            "spool_of_ended_meeting", meeting_id=owner.meeting_id, turns=len(utterances), kept=str(aside)
        )
        self._metrics.late_words("kept", len(utterances))
        return "kept"

    def _tell(self, what: str, of: str, **more: object) -> None:
        """Log an error once per process: what it is about is found again at every look."""
        if (key := f"{what}:{of}") not in self._told:
            self._told.add(key)
            log.error(what, of=of, **more)


@asynccontextmanager
async def orphaned_spools(settings: Settings) -> AsyncIterator[OrphanedSpools]:
    """Give an `OrphanedSpools` by the settings, on a connection of its own, for the block."""
    async with database(settings, max_size=1) as tables, bus_if_any(settings) as commands:
        yield OrphanedSpools(
            settings.process.state_dir / "spool",
            settings.process.tenant,
            tables.registry,
            tables.late,
            tables.erasures,
            metrics=process_metrics(),
            sound=root_of(settings.process.sound_dir, settings.process.state_dir),
            commands=commands,
        )


@dataclass(frozen=True, slots=True)
class _Emptied:
    """An erasure of a spool, and the turns that it emptied and that are on no record."""

    erased: Erased
    keys: set[str]
    """The turns' keys."""
    numbers: set[int]
    """The ids that the turns had in their own job."""
    hidden: set[str] = field(default_factory=set)
    """The keys of turns that it only hid: these have words, which wait."""


def _emptied(events: Iterable[RecordedEvent], unrecorded: Collection[str]) -> list[_Emptied]:
    """Find the erasures of a spool; `unrecorded`: the keys of its turns that are not on record."""
    keys: set[str] = set()
    erasures = []
    for recorded in events:
        match recorded.event:
            case UtteranceSpoken(key=key) if key in unrecorded:
                keys.add(key)
            case Erased(keys=()) as erased:
                # Of before there were keys. The newest numbers may be this spool's turns; which of them has
                # which is not known (one that fell into a pause has none): rather all are withheld.
                first = erased.state.get("utterances", 0) - len(keys) + 1
                numbers = {number for number in erased.utterances if number >= first}
                erasures.append(_Emptied(erased, keys.copy() if numbers else set(), numbers))
            case Erased() as erased:
                here = {
                    number: key
                    for number, key in zip(erased.utterances, erased.keys, strict=False)
                    if key in keys
                }
                hidden = {key for number, key in here.items() if number in erased.hidden}
                erasures.append(_Emptied(erased, set(here.values()) - hidden, set(here), hidden))
            case _:
                pass
    return erasures
