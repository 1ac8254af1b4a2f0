"""Holders that are paused, cut off, slow, or deaf: two or three in one room, on virtual time, then the history.

Each schedule has its own seed. Two or three processes host the same meeting's room or stream as text workers
do (claim, lease, restore, session, recorder, lease keeper: the product's own), over links to a record in
memory that keeps the contract of the one in Postgres. Its faults are drawn, half of them at the very moment
at which a request has left. Everything that the servers did is written down, and judged afterwards.
`--real` does a handful with real processes, Postgres and SIGSTOP.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from structlog.testing import capture_logs

from context.config import ContextConfig
from context.events.events import UtteranceSpoken
from context.fold.window import RoughTokenizer
from context.models import Utterance
from context.ports import Fenced, PortError, RecordedEvent, Snapshot, StoredMeeting
from tests.chaos import paused_real
from tests.chaos.report import Report, progress
from tests.chaos.script import Say, script
from tests.chaos.simulation import Link, Process, Universe, at_once
from tests.fakes.database import FakeDatabase
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.leases import FakeLeases
from tests.fakes.passages import FakePassages
from tests.fakes.record import MeetingRecord, Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.store import FakeStore
from worker.adapters.redis_bus import READERS, InputEntry, input_streams
from worker.adapters.redis_outlet import RedisOutlet
from worker.adapters.redis_streams import StreamNames
from worker.bootstrap.parts import Parts
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.monitoring.metrics import process_metrics
from worker.monitoring.observer import Observer
from worker.passages.indexers import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever
from worker.ports import Holder, MeetingRow, Renewal
from worker.record.restoring import rebuild
from worker.record.spool import Spool

MEETING: Final = "m-paused"
LINES: Final = 24
_HEALED_BY_S: Final = 55.0
_END_DEADLINE_S: Final = 120.0
Fault = Literal["pause", "pause in flight", "suspend", "cut", "deaf", "slow", "wall clock", "room cut"]
_FAULTS: Final[tuple[Fault, ...]] = (
    *("pause", "pause", "pause in flight", "pause in flight", "pause in flight"),
    *("suspend", "cut", "cut", "deaf", "slow", "wall clock", "room cut"),
)


@dataclass(frozen=True, slots=True)
class Granted:
    """A lease was given."""

    at_s: float
    epoch: int
    to: str


@dataclass(frozen=True, slots=True)
class Written:
    """A store's door was used: `accepted`, or fenced off."""

    at_s: float
    what: str
    epoch: int
    by: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A final reached the followers."""

    sent_s: float
    at_s: float
    epoch: int
    by: str
    segment: str
    number: int
    text: str
    durable: bool


@dataclass
class History:
    """What the servers saw, in order."""

    grants: list[Granted] = field(default_factory=list)
    writes: list[Written] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)

    def highest(self, at_s: float) -> int:
        """The highest epoch granted by then."""
        return max((grant.epoch for grant in self.grants if grant.at_s <= at_s), default=0)


# ---- the servers, as a process sees them -------------------------------------------------------------


class SimRecord:
    """Store, leases and registry at the end of one process's link."""

    def __init__(self, record: Record, link: Link, history: History) -> None:
        self._store, self._leases, self._registry = (
            FakeStore(record),
            FakeLeases(record),
            FakeRegistry(record),
        )
        self._record, self._link, self._history = record, link, history

    @property
    def _now_s(self) -> float:
        return self._link.process.universe.now_s

    def _written(self, what: str, epoch: int, *, accepted: bool) -> None:
        self._history.writes.append(Written(self._now_s, what, epoch, self._link.process.name, accepted))

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """See `MeetingStore`."""

        def serve() -> None:
            try:
                at_once(self._store.append(meeting_id, epoch, events))
            except Fenced:
                self._written("append", epoch, accepted=False)
                raise
            self._written("append", epoch, accepted=True)

        await self._link.call("append", serve)

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """See `MeetingStore`."""

        def serve() -> None:
            at_once(self._store.save_snapshot(meeting_id, epoch, snapshot))
            self._written("snapshot", epoch, accepted=True)

        await self._link.call("snapshot", serve)

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """See `MeetingStore`."""
        return await self._link.call(
            "load", lambda: at_once(self._store.load(meeting_id, use_snapshot=use_snapshot))
        )

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """See `LeaseStore`."""

        def serve() -> int | None:
            epoch = at_once(self._leases.acquire(meeting_id, holder, ttl_s))
            if epoch is not None:
                self._history.grants.append(Granted(self._now_s, epoch, self._link.process.name))
            return epoch

        return await self._link.call("acquire", serve)

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """See `LeaseStore`."""
        return await self._link.call(
            "renew", lambda: at_once(self._leases.renew(meeting_id, epoch, ttl_s, unwritten=unwritten))
        )

    async def release(self, meeting_id: str, epoch: int) -> None:
        """See `LeaseStore`."""
        await self._link.call("release", lambda: at_once(self._leases.release(meeting_id, epoch)))

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        """See `MeetingRegistry`."""
        return await self._link.call(
            "claim",
            lambda: at_once(self._registry.claim_unheld(limit=limit, retry_after_s=retry_after_s, text=text)),
        )

    async def mark_live(self, meeting_id: str, epoch: int, started_at: Any) -> None:
        """See `MeetingRegistry`."""
        await self._link.call(
            "mark_live", lambda: at_once(self._registry.mark_live(meeting_id, epoch, started_at))
        )

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: Any, failure: str | None = None
    ) -> None:
        """See `MeetingRegistry`."""
        await self._link.call(
            "mark_ended",
            lambda: at_once(self._registry.mark_ended(meeting_id, epoch, ended_at, failure)),
        )


class Streams:
    """Redis: entries by stream, and who waits for more."""

    def __init__(self) -> None:
        self.entries: defaultdict[str, list[bytes]] = defaultdict(list)
        self.waiting: list[tuple[Process, asyncio.Event]] = []

    def add(self, stream: str, payload: bytes) -> None:
        """One more; readers hear of it."""
        self.entries[stream].append(payload)
        waiting, self.waiting = self.waiting, []
        for process, event in waiting:
            process.universe.after(0.001, event.set)


class SimBus:
    """One job's view of the streams."""

    away = False

    def __init__(self, streams: Streams, link: Link, history: History, epoch: int) -> None:
        self._streams, self._link, self._history, self._epoch = streams, link, history, epoch

    async def pass_on(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Words under way are on no record: nothing here is held to them."""

    async def pause(self, wait_s: float) -> None:
        """Until the streams may be back."""
        await asyncio.sleep(wait_s)

    async def put(self, meeting_id: str, event: bytes, *, again: bool = False) -> int:
        """Into `moim:out`, which is the history's."""
        del meeting_id, again
        fields = json.loads(event)
        kind = fields["kind"]
        sent_s, process = self._link.process.universe.now_s, self._link.process

        def serve() -> int:
            if kind == "utterance":
                self._history.shown.append(
                    Shown(
                        *(sent_s, process.universe.now_s, self._epoch, process.name),
                        *(fields["segment_id"], fields["id"], fields["text"], fields["durable"]),
                    )
                )
            return 1

        return await self._link.call("publish", serve, 2.0)

    async def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        """Entries behind `positions`, and all that come."""
        streams = input_streams(StreamNames(), meeting_id)
        places = {stream: int(positions.get(stream, "0").split("-")[0]) for stream in streams}
        while True:
            news = asyncio.Event()
            self._streams.waiting.append((self._link.process, news))
            for stream, place in places.items():
                for number, payload in enumerate(self._streams.entries[stream][place:], start=place + 1):
                    places[stream] = number
                    yield InputEntry(stream, f"{number}-0", READERS[streams[stream]](payload))
            await news.wait()


class Room:
    """Where jobs see each other's epochs; those who are cut off from it see nothing."""

    def __init__(self) -> None:
        self._present: list[tuple[int, Link, Any]] = []

    def join(self, epoch: int, link: Link, presence: Presence) -> None:
        """`moim.epoch` is there for all to see."""
        entry = (epoch, link, presence)
        self._present.append(entry)
        presence.closers.append(partial(self._leave, entry))
        self.tell()

    async def _leave(self, entry: tuple[int, Link, Presence]) -> None:
        if entry in self._present:
            self._present.remove(entry)

    def tell(self) -> None:
        """Whoever is connected and outranked hears of it."""
        highest = max((epoch for epoch, link, _ in self._present if not link.cut), default=0)
        for entry in list(self._present):
            epoch, link, presence = entry
            if epoch < highest and not link.cut:
                self._present.remove(entry)
                told = partial(link.process.loop.call_soon, _outrank, presence, highest)
                link.process.universe.after(0.05, told)


def _outrank(presence: Presence, epoch: int) -> None:
    if presence.session.stopped is None:
        presence.attendant.outranked(epoch)


# ---- one schedule ------------------------------------------------------------------------------------


@dataclass
class Verdict:
    """What is wrong with a schedule's history; empty lists: nothing."""

    seed: int
    faults: list[str]
    takeovers: int = 0
    fenced: int = 0
    stale: list[str] = field(default_factory=list)
    two_ids: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    undurable: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    late: int = 0
    """Finals that a holder published after another one's epoch had been granted."""
    late_durable: int = 0
    late_of_paused: int = 0
    """Those of a schedule where nobody was cut off from anything: at most what was in flight."""
    renumbered: int = 0
    """Published before they were durable, under a number that another turn has on the record."""
    unended: bool = False
    faulty: list[str] = field(default_factory=list)
    """Exceptions that the product logged."""


class Schedule:
    """Two or three processes and one meeting."""

    def __init__(self, seed: int, directory: Path) -> None:
        self.seed, self._directory = seed, directory
        self.dice = Random(seed)
        self.universe = Universe(self.dice)
        self.record = Record(self.universe)  # type: ignore[arg-type]  # its clock: all that is asked is `now`
        self.record.meetings[MEETING] = MeetingRecord(MEETING, None, None)
        self.history, self.streams, self.room = History(), Streams(), Room()
        self.seen_in_room = self.dice.random() < 0.5
        """Do the holders see each other's epochs, as in a room?"""
        self.links: dict[str, tuple[Link, Link]] = {}
        """The links of each process: to the record, to the streams and the room."""
        self.faults: list[str] = []
        self.says = [step for step in script(seed, LINES, people=3, gap_ms=1200) if isinstance(step, Say)]
        self._holder = ""

    def run(self) -> Verdict:
        """Let it happen, and judge."""
        for number in range(self.dice.choice([2, 2, 3])):
            self._begin(f"p{number}")
        for say in self.says:
            self.universe.after(say.start_ms / 1000, partial(self._hear, say))
        for _ in range(self.dice.randint(1, 4)):
            self._plan(self.dice.choice(_FAULTS))
        self.universe.after(_HEALED_BY_S, self._end)
        with capture_logs() as logs:
            try:
                ended = self.universe.run(
                    lambda: self.record.meetings[MEETING].status == "ended",
                    at_most_s=_HEALED_BY_S + _END_DEADLINE_S,
                )
            finally:
                self.universe.close()
        verdict = self._judge()
        verdict.unended = not ended
        verdict.faulty = [str(log) for log in logs if log["log_level"] in {"error", "critical"}]
        return verdict

    def _hear(self, say: Say) -> None:
        self.streams.add(StreamNames().of("in", MEETING), json.dumps(say.entry).encode())

    def _end(self) -> None:
        for record_link, stream_link in self.links.values():
            for link in (record_link, stream_link):
                link.cut = link.deaf = False
                link.delay_s = 0.002
        self.room.tell()
        self.streams.add(StreamNames().of("in", MEETING), b'{"end": true}')

    # ---- processes ----------------------------------------------------------------------------

    def _begin(self, name: str) -> None:
        process = self.universe.process(name)
        self.links[name] = Link(process), Link(process)
        process.start(self._host(process))

    async def _host(self, process: Process) -> None:
        """Claim meetings and hold them, as `worker.process.text_worker` does."""
        link, streams = self.links[process.name]
        record = SimRecord(self.record, link, self.history)
        await asyncio.sleep(self.dice.uniform(0, 0.5))
        while True:
            try:
                for row in await record.claim_unheld(limit=1, retry_after_s=LEASE_S, text=True):
                    await self._hold(process, row, record, streams)
            except PortError:
                pass
            await asyncio.sleep(0.5)

    async def _hold(self, process: Process, row: MeetingRow, record: SimRecord, streams: Link) -> None:
        pid = int(process.name[1:]) + 1
        epoch = await record.acquire(row.id, Holder(host="sim", worker_pid=pid, job_pid=pid), LEASE_S)
        if epoch is None:
            return
        self._holder = process.name
        bus = SimBus(self.streams, streams, self.history, epoch)
        job = MeetingJob(
            self._parts(process, record, bus),
            row,
            epoch,
            run_dir=self._directory / process.name / "jobs",
            pid=pid,
        )

        async def enter(presence: Presence) -> None:
            if self.seen_in_room:
                self.room.join(epoch, streams, presence)

        outlet = RedisOutlet(bus, row.id)  # type: ignore[arg-type]  # what it needs of a bus
        await job.run(outlet, enter)

    def _parts(self, process: Process, record: SimRecord, bus: SimBus) -> Parts:
        settings = Settings.from_env({"MOIM_STATE_DIR": str(self._directory / process.name)})
        tokenizer = RoughTokenizer()
        passages = FakePassages()
        parts: Any = Parts
        made: Parts = parts(
            settings=settings,
            tables=FakeDatabase(record, record, record, FakeStandbys(self.record)),
            store=record,
            bus=bus,
            engine=None,
            thinker=Thinking(None, tokenizer, settings),
            indexers=MeetingIndexers(FakeEmbedder(), passages),
            retriever=CorporaRetriever(passages, tokenizer),
            metrics=process_metrics(),
            observer=Observer(),
            clock=process,
        )
        return made

    # ---- faults -------------------------------------------------------------------------------

    def _plan(self, fault: Fault) -> None:
        at_s, for_s = self.dice.uniform(1.0, 32.0), self.dice.choice([0.3, 2.0, 6.0, 9.0, 15.0])
        for_s *= self.dice.uniform(0.8, 1.2)
        self.faults.append(f"{fault} at {at_s:.1f} for {for_s:.1f} s")
        self.universe.after(at_s, lambda: self._strike(fault, for_s))

    def _strike(self, fault: Fault, for_s: float) -> None:
        process = next((p for p in self.universe.processes if p.name == self._holder), None)
        if process is None:
            return
        link, streams = self.links[process.name]

        def heal() -> None:
            link.cut = link.deaf = streams.cut = False
            link.delay_s = 0.002
            self.room.tell()

        match fault:
            case "pause":
                process.pause(for_s)
            case "suspend":  # a laptop's lid: it stands still, and its wall clock is wrong afterwards
                process.pause(for_s)
                process.wall_offset_s += self.dice.choice([-3600.0, for_s, 3600.0])
            case "pause in flight":
                wanted = self.dice.choice(["append", "append", "renew", "snapshot", "publish"])

                def sent(what: str) -> None:
                    if what == wanted:
                        link.on_sent = streams.on_sent = lambda _what: None
                        process.pause(for_s)

                link.on_sent = streams.on_sent = sent
            case "cut":
                link.cut = True
            case "deaf":
                link.deaf = True
            case "slow":
                link.delay_s = self.dice.uniform(0.5, 4.0)
            case "wall clock":
                process.wall_offset_s += self.dice.uniform(-7200, 7200)
            case "room cut":
                link.cut = streams.cut = True
        if fault in {"cut", "deaf", "slow", "room cut"}:
            self.universe.after(for_s, heal)

    # ---- judging ------------------------------------------------------------------------------

    def _judge(self) -> Verdict:
        history = self.history
        verdict = Verdict(self.seed, self.faults, takeovers=len(history.grants) - 1)
        verdict.fenced = sum(not write.accepted for write in history.writes)
        verdict.stale = [
            str(write)
            for write in history.writes
            if write.accepted and write.epoch < history.highest(write.at_s)
        ]
        recorded: dict[str, tuple[int, str]] = {}
        for said in self._spoken():
            key = said.key or ""
            if key in recorded:
                verdict.doubled.append(key)
            recorded[key] = (said.id, said.text)
        verdict.missing = [say.id for say in self.says if say.id not in recorded]
        spooled = self._spooled()
        segments: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        for shown in history.shown:
            key = shown.segment.removeprefix(f"{MEETING}/")
            number, text = recorded.get(key, (0, ""))
            if shown.durable:
                segments["durable", shown.number].add(shown.segment)
                if (number, text) != (shown.number, shown.text):
                    verdict.lost.append(str(shown))
            elif text != shown.text and key not in spooled:
                verdict.undurable.append(str(shown))
            elif number != shown.number:
                verdict.renumbered += 1
            if history.highest(shown.sent_s) > shown.epoch:
                verdict.late += 1
                verdict.late_durable += shown.durable
                verdict.late_of_paused += self._only_paused
        verdict.two_ids = [f"{number}: {sorted(ids)}" for number, ids in segments.items() if len(ids) > 1]
        return verdict

    @property
    def _only_paused(self) -> bool:
        kinds = {fault.split(" at ")[0] for fault in self.faults}
        return kinds <= {"pause", "pause in flight", "suspend", "wall clock"}

    def _spoken(self) -> list[Utterance]:
        """The turns of the fold: an event that came twice, from a spool, is one turn."""
        stored = at_once(FakeStore(self.record).load(MEETING, use_snapshot=False))
        return [*rebuild(stored, MEETING, ContextConfig(), tokenizer=RoughTokenizer())[0].utterances]

    def _spooled(self) -> set[str]:
        found: set[str] = set()
        for process in self.universe.processes:
            left = Spool(self._directory / process.name / "spool", MEETING).read()
            found |= {r.event.key for r in left if isinstance(r.event, UtteranceSpoken)}
        return found


def schedule(seed: int) -> Verdict:
    """One schedule from its seed."""
    memory = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="moim-paused-", dir=memory if memory.is_dir() else None))
    try:
        return Schedule(seed, directory).run()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


# ---- the command ---------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--count", type=int, default=1000, help="schedules (1000)")
    parser.add_argument("--real", type=int, default=8, help="so many with real processes and Postgres")


async def run(args: argparse.Namespace) -> Report:
    """The experiment. The simulation has loops of its own, so it runs in a thread."""
    report = Report("paused", args.seed)
    verdicts = await asyncio.to_thread(simulated, args.seed, args.count)
    if args.count:
        tell(report, verdicts)
    if args.real:
        await paused_real.run(report, args.seed, args.real)
    return report


def simulated(seed: int, count: int) -> list[Verdict]:
    """`count` schedules."""
    verdicts: list[Verdict] = []
    for number in range(count):
        verdicts.append(schedule(seed * 1_000_000 + number))
        if (number + 1) % 50 == 0:
            progress(f"{number + 1} of {count} schedules")
    return verdicts


def tell(report: Report, verdicts: Sequence[Verdict]) -> None:
    """The figures of the simulated schedules."""
    faults = Counter(fault.split(" at ")[0] for verdict in verdicts for fault in verdict.faults)
    report.say("schedules on virtual time", len(verdicts))
    for fault, times in sorted(faults.items()):
        report.say(f"  {fault}", times)
    report.say("takeovers", sum(verdict.takeovers for verdict in verdicts))
    report.say("appends fenced off", sum(verdict.fenced for verdict in verdicts))
    report.exactly("stale writes", sum(len(v.stale) for v in verdicts), 0)
    report.exactly("numbers acknowledged under two segment ids", sum(len(v.two_ids) for v in verdicts), 0)
    report.exactly("durable finals that the record has not, or otherwise", _sum(verdicts, "lost"), 0)
    report.exactly("other finals neither recorded nor spooled", _sum(verdicts, "undurable"), 0)
    report.exactly("segments not recorded in the end", _sum(verdicts, "missing"), 0)
    report.exactly("segments recorded twice", _sum(verdicts, "doubled"), 0)
    report.exactly("meetings not led to their end", sum(verdict.unended for verdict in verdicts), 0)
    report.exactly(
        "schedules in which the product logged an exception", sum(bool(v.faulty) for v in verdicts), 0
    )
    report.say("finals published by one who was no longer the holder", sum(v.late for v in verdicts))
    report.say("  durable (recorded before)", sum(v.late_durable for v in verdicts))
    report.at_most(
        "  by one who was only paused, most of a schedule",
        max((v.late_of_paused for v in verdicts), default=0),
        2,
    )
    report.say("not-durable finals that got another number", sum(v.renumbered for v in verdicts))
    for verdict in verdicts:
        for what in ("stale", "two_ids", "lost", "undurable", "missing", "doubled", "faulty"):
            if found := getattr(verdict, what):
                report.note(f"seed {verdict.seed} {verdict.faults}: {what}: {found[:2]}")
        if verdict.unended:
            report.note(f"seed {verdict.seed} {verdict.faults}: not ended")


def _sum(verdicts: Sequence[Verdict], name: str) -> int:
    return sum(len(getattr(verdict, name)) for verdict in verdicts)
