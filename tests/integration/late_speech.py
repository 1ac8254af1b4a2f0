"""A meeting in a room without LiveKit, whose speech is recognised after its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from stt.segment import Segment, Stretch
from tests.conftest import Database
from tests.fakes.outlet import FakeOutlet
from tests.fakes.speech import LevelVad, frames, silence, tone
from worker.bootstrap.database import Database as Tables
from worker.bootstrap.database import database as connected
from worker.bootstrap.parts import Parts, correcting, parts
from worker.configuration.settings import Settings
from worker.holder.late_speech import LateSpeech
from worker.holder.late_words import LateWords
from worker.holder.meeting_job import MeetingJob
from worker.holder.orphaned_sound_logs import OrphanedSoundLogs
from worker.holder.presence import Presence
from worker.participants.tracks import track_maker
from worker.ports import Holder
from worker.record.sound_log import root_of, whose_of

WORDS = [
    "출시는 금요일로 하겠습니다",
    "서버를 한 대 더 삽시다",
    "We ship it on Friday",
    "예산은 다음에 봅시다",
]


@dataclass
class Clerk:
    """Writes down one of `WORDS` after the other by where they were said; not while it is `away`."""

    away: bool = False
    name: str = "clerk"
    gives_interims: bool = False
    asked: list[str] = field(default_factory=list)

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        size = 0
        async for chunk in stretch.sound:
            size += len(chunk)
        self.asked.append(stretch.id)
        while self.away:
            await asyncio.sleep(0.05)
        number = int(stretch.id.rpartition("@")[2]) // 2_000
        yield Segment(WORDS[number], 0, size // 32, final=True, confidence=0.9, language="ko")

    async def aclose(self) -> None:
        """Nothing to let go of."""


@dataclass
class World:
    """A meeting in a room without LiveKit, whose engine is away."""

    shared: Parts
    tables: Tables
    settings: Settings
    root: Path
    engine: Clerk
    id: str = "m-1"

    async def job(self) -> MeetingJob:
        row = await self.shared.tables.registry.want("회의실", meeting_id=self.id)
        pid = os.getpid()
        holder = Holder(host="here", worker_pid=pid, job_pid=pid)
        epoch = await self.shared.tables.leases.acquire(self.id, holder, 60)
        assert epoch is not None
        return MeetingJob(self.shared, row, epoch, run_dir=self.root.parent / "jobs", pid=pid)

    def enter(self, job: MeetingJob, presence: Presence, people: tuple[str, ...] = ("minji", "ben")) -> None:
        """Have each of them say two of the lines, one after the other, at once as to the clock."""
        session, attendant = presence.session, presence.attendant
        attendant.tracks._make = track_maker(session, self.engine, "ko", make_vad=LevelVad, keeper=job.sound)
        for who in people:
            attendant.joined(who, who.title())
        for place, who in enumerate(people):
            lead = silence(400 + 4_000 * place)
            sound = lead + (tone(1_000) + silence(1_000)) * 2
            sink = attendant.track_opened(who, f"TR_{who}")
            began_s, done = session.zero_s, 0
            for frame in frames(sound):
                done += len(frame)
                sink.push(frame, began_s + done / 32_000)

    async def hold_and_end(self) -> None:
        job = await self.job()

        async def enter(presence: Presence) -> None:
            self.enter(job, presence)
            presence.tasks.create_task(presence.end("requested"))

        await job.run(FakeOutlet(), enter, engine=self.engine)

    def late(self) -> LateSpeech:
        tables, settings = self.tables, self.settings
        ours, clock = partial(whose_of, settings), self.shared.clock
        dead = OrphanedSoundLogs(
            self.root,
            ours,
            self.engine,
            tables.late,
            registry=tables.registry,
            record=tables.record,
            clock=clock,
            config=settings.context,
            make_vad=LevelVad,
        )
        return LateSpeech(
            self.root,
            ours,
            self.engine,
            tables.late,
            dead=dead,
            registry=tables.registry,
            erasures=tables.erasures,
            refusals=tables.consents,
            clock=clock,
        )

    async def work_off(self, late: LateSpeech, within_s: float = 20) -> None:
        async with asyncio.timeout(within_s):
            while await late.step():
                await asyncio.sleep(0.05)

    async def fold(self) -> None:
        """What a dispatcher does."""
        for meeting_id in await self.tables.late.over(10):
            await correcting(self.shared, self.tables).add_late(
                meeting_id,
                lambda session: LateWords(self.tables.late, session, self.shared.metrics).take_all(),
            )

    async def document(self) -> dict[str, Any]:
        from worker.record.restoring import load_document

        row = await self.shared.tables.registry.get(self.id)
        assert row is not None
        shape = await load_document(self.shared.store, row, self.settings)
        assert shape is not None
        return shape

    async def waiting_ms(self) -> int:
        row = await self.shared.tables.registry.get(self.id)
        assert row is not None
        assert row.shown().get("waiting_ms", 0) == row.waiting_ms
        return row.waiting_ms

    @property
    def kept(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())


@asynccontextmanager
async def world_of(database: Database, tmp_path: Path, **more: str) -> AsyncIterator[World]:
    settings = Settings.from_env(
        {
            "DATABASE_URL": database.url,
            "MOIM_STATE_DIR": str(tmp_path / "state"),
            "MOIM_SOUND_DIR": str(tmp_path / "sound"),
            "STT_ENGINE": "none",
            "EMBED_ENGINE": "none",
            **more,
        }
    )
    root = root_of(settings.process.sound_dir, settings.process.state_dir)
    assert root is not None
    engine = Clerk(away=True)
    async with parts(settings) as shared, connected(settings, max_size=3) as tables:
        yield World(replace(shared, engine=engine), tables, settings, root, engine)
