"""A meeting in the fakes' record, and jobs that hold it."""

from __future__ import annotations

from pathlib import Path

from context.fold.window import RoughTokenizer
from tests.fakes.bus import FakeBus
from tests.fakes.database import FakeDatabase
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.leases import FakeLeases
from tests.fakes.meeting import LoopClock
from tests.fakes.outlet import FakeOutlet
from tests.fakes.passages import FakePassages
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.store import FakeStore
from worker.bootstrap.parts import Parts
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Enter
from worker.meeting.session import Outcome
from worker.monitoring.metrics import process_metrics
from worker.monitoring.observer import Observer
from worker.passages.indexers import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever
from worker.ports import Holder, MeetingRow

HOLDER = Holder(host="here", worker_pid=1, job_pid=2)


class World:
    """A meeting in the fakes' record, and jobs that hold it one after the other."""

    def __init__(self, tmp_path: Path) -> None:
        self.record = Record()
        self.store, self.leases = FakeStore(self.record), FakeLeases(self.record)
        self.registry, self.bus, self.outlet = FakeRegistry(self.record), FakeBus(), FakeOutlet()
        self.passages = FakePassages()
        self.tmp_path = tmp_path
        settings = Settings.from_env({"MOIM_STATE_DIR": str(tmp_path)})
        tokenizer = RoughTokenizer()
        self.parts = Parts(
            settings=settings,
            tables=FakeDatabase(self.store, self.leases, self.registry, FakeStandbys(self.record)),
            store=self.store,
            bus=self.bus,  # type: ignore[arg-type]  # the fake has the real one's methods
            engine=None,
            thinker=Thinking(None, tokenizer, settings),
            indexers=MeetingIndexers(FakeEmbedder(), self.passages),
            retriever=CorporaRetriever(self.passages, tokenizer),
            metrics=process_metrics(),
            observer=Observer(),
            clock=LoopClock(),
        )

    async def row(self, room: str | None = "회의실") -> MeetingRow:
        return await self.registry.want(room, meeting_id="m-1")

    async def job(self, room: str | None = "회의실") -> MeetingJob:
        row = await self.row(room)
        epoch = await self.leases.acquire("m-1", HOLDER, 5)
        assert epoch is not None
        return MeetingJob(self.parts, row, epoch, run_dir=self.tmp_path / "jobs", pid=1)

    async def hold(self, enter: Enter, room: str | None = "회의실") -> Outcome:
        """One job, from its lease to its end."""
        return await (await self.job(room)).run(self.outlet, enter)

    @property
    def held(self) -> bool:
        meeting = self.record.meetings["m-1"]
        return meeting.expires_at > self.record.clock.now
