"""Kill −9 of a job with minutes of speech that wait for an engine which is away: what the ledger and the gaps say."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from context import events
from context.ports import RecordedEvent
from stt.segment import Segment, Stretch
from tests.conftest import Database
from tests.integration.sound_holder import EVERY_S, SPOKEN_S
from tests.integration.test_late_speech import Clerk, World, world_of
from worker.fleet.closing import close_from_record
from worker.holder import dead_sound
from worker.ports import Holder

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

# An hour is the same: MOIM_TEST_MINUTES=60.
MINUTES: Final = float(os.environ.get("MOIM_TEST_MINUTES", "3"))
LINES: Final = round(MINUTES * 60 / EVERY_S)


@dataclass
class Writer(Clerk):
    """Writes down where each line began."""

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        size = sum([len(chunk) async for chunk in stretch.sound])
        number = round(int(stretch.id.rpartition("@")[2]) / 1000 / EVERY_S)
        yield Segment(f"{number}번 줄입니다", 0, size // 32, final=True, confidence=0.9, language="ko")


async def heard_and_killed(world: World, database: Database, folder: Path) -> None:
    await world.shared.registry.want("회의실", meeting_id=world.id)
    epoch = await world.shared.leases.acquire(world.id, Holder(host="here", worker_pid=1, job_pid=1), 60)
    assert epoch is not None
    began = datetime.now(UTC) - timedelta(seconds=LINES * EVERY_S + 1)
    happened = [events.MeetingOpened(meeting_id=world.id, room="회의실"), events.MeetingStarted(at=began)]
    recorded = [RecordedEvent(seq=n, event=event) for n, event in enumerate(happened, 1)]
    await world.shared.store.append(world.id, epoch, recorded)
    await world.shared.registry.mark_live(world.id, epoch, began)
    await world.shared.leases.release(world.id, epoch)
    settings = {
        "DATABASE_URL": database.url,
        "MOIM_STATE_DIR": str(folder / "state"),
        "MOIM_SOUND_DIR": str(folder / "sound"),
        "STT_ENGINE": "none",
        "EMBED_ENGINE": "none",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.sound_holder", str(MINUTES)),
        env=os.environ | settings,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async for line in process.stdout:
        if line.startswith(b"> heard"):
            break
    process.send_signal(signal.SIGKILL)
    assert await process.wait() == -signal.SIGKILL


async def over(world: World) -> None:
    """What a dispatcher does once the dead holder's lease is over."""
    async with asyncio.timeout(30):
        while (row := await world.shared.registry.get(world.id)) is None or row.status != "ended":
            await close_from_record(world.shared, world.id)
            await asyncio.sleep(0.5)


def ledger(shape: dict[str, Any]) -> dict[str, Any]:
    (person,) = shape["participants"]
    return dict(person["speech"])


async def test_on_its_machine_nothing_is_lost_and_the_ledger_is_exact(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_sound, "TAKEN_UP_S", -1.0)
    async with world_of(database, tmp_path) as made:
        world = replace(made, engine=Writer())
        await heard_and_killed(world, database, tmp_path)
        await over(world)
        late = world.late()
        assert await late.step() == LINES
        await world.fold()
        before = await world.document()
        told = ledger(before)
        assert told["heard_ms"] == told["waiting_ms"] == await world.waiting_ms()
        assert told["heard_ms"] == pytest.approx(LINES * SPOKEN_S * 1000, abs=100 * LINES)
        assert before["gaps"] == []
        await world.work_off(late, 60)
        await world.fold()
        after = await world.document()
        assert [line["text"] for line in after["utterances"]] == [f"{n}번 줄입니다" for n in range(LINES)]
        assert ledger(after)["transcribed_ms"] == ledger(after)["heard_ms"] == told["heard_ms"]
        assert after["gaps"] == world.kept == []
