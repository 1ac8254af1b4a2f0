"""A process that holds a meeting as a job does, whose engine is away: it hears MINUTES of speech, says so, and goes on.

    python -m tests.integration.sound_holder MINUTES

One line of `SPOKEN_S` begins every `EVERY_S`; all of it has been said by now, by a meeting that began so long ago.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from stt.segment import Segment, Stretch
from tests.fakes.outlet import FakeOutlet
from tests.fakes.speech import LevelVad, frames, silence, tone
from worker.bootstrap.parts import parts
from worker.configuration.settings import Settings
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.participants.tracks import track_maker
from worker.ports import Holder

SPOKEN_S, EVERY_S = 15, 20


class Away:
    """A speech engine that never answers."""

    name, gives_interims = "away", False

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        async for _ in stretch.sound:
            pass
        await asyncio.Event().wait()
        yield Segment("", 0, 0, final=True)

    async def aclose(self) -> None:
        """Nothing to let go of."""


async def main(minutes: float) -> None:
    settings, engine = Settings.from_env(dict(os.environ)), Away()
    async with parts(settings) as shared:
        row = await shared.tables.registry.get("m-1")
        assert row is not None
        me = Holder(host="here", worker_pid=os.getpid(), job_pid=os.getpid())
        epoch = await shared.tables.leases.acquire("m-1", me, 5)
        assert epoch is not None
        folder = Path(os.environ["MOIM_STATE_DIR"])
        job = MeetingJob(replace(shared, engine=engine), row, epoch, run_dir=folder, pid=os.getpid())

        async def enter(presence: Presence) -> None:
            session, attendant = presence.session, presence.attendant
            kept_mb = settings.stt.kept_mb
            attendant.tracks._make = track_maker(
                session, engine, "ko", make_vad=LevelVad, keeper=job.sound, kept_mb=kept_mb
            )
            attendant.joined("minji", "Minji")
            sink, done = attendant.track_opened("minji", "TR_minji"), 0
            line = list(frames(tone(SPOKEN_S * 1000) + silence((EVERY_S - SPOKEN_S) * 1000)))
            for _ in range(round(minutes * 60 / EVERY_S)):
                for frame in line:
                    done += len(frame)
                    sink.push(frame, session.zero_s + done / 32_000)
                await asyncio.sleep(0)
            await session.settle()
            await session.recorder.settled(session.seq)
            await asyncio.sleep(4)  # the lease is renewed, with what is not written
            print("> heard", flush=True)
            await asyncio.Event().wait()

        await job.run(FakeOutlet(), enter, engine=engine)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
