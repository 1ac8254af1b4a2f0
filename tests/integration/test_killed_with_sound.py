"""Kill −9 of a job with minutes of speech that wait for an engine which is away: what the ledger and the gaps say."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from context.events import events
from context.ports import RecordedEvent
from stt.segment import Segment, Stretch
from tests.conftest import Database
from tests.integration.late_speech import Clerk, World, world_of
from tests.integration.sound_holder import EVERY_S, SPOKEN_S
from worker.bootstrap.parts import correcting
from worker.fleet.closing_from_record import close_from_record
from worker.holder import late_words, orphaned_sound_logs
from worker.holder.late_words import LateWords
from worker.ports import Holder

pytestmark = [pytest.mark.postgres]

# An hour is the same: MOIM_TEST_MINUTES=60.
MINUTES: Final = float(os.environ.get("MOIM_TEST_MINUTES", "4"))
LINES: Final = round(MINUTES * 60 / EVERY_S)
KEPT_MB: Final = round(LINES * SPOKEN_S * 0.032 * 2 / 3)
"""Two thirds of the sound."""


@dataclass
class Writer(Clerk):
    """Writes down where each line began."""

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        size = sum([len(chunk) async for chunk in stretch.sound])
        number = round(int(stretch.id.rpartition("@")[2]) / 1000 / EVERY_S)
        yield Segment(f"{number}번 줄입니다", 0, size // 32, final=True, confidence=0.9, language="ko")


async def heard_and_killed(world: World, database: Database, folder: Path, **more: str) -> None:
    await world.shared.tables.registry.want("회의실", meeting_id=world.id)
    epoch = await world.shared.tables.leases.acquire(
        world.id, Holder(host="here", worker_pid=1, job_pid=1), 60
    )
    assert epoch is not None
    began = datetime.now(UTC) - timedelta(seconds=LINES * EVERY_S + 1)
    happened = [events.MeetingOpened(meeting_id=world.id, room="회의실"), events.MeetingStarted(at=began)]
    recorded = [RecordedEvent(seq=n, event=event) for n, event in enumerate(happened, 1)]
    await world.shared.store.append(world.id, epoch, recorded)
    await world.shared.tables.registry.mark_live(world.id, epoch, began)
    await world.shared.tables.leases.release(world.id, epoch)
    settings = {
        "DATABASE_URL": database.url,
        "MOIM_STATE_DIR": str(folder / "state"),
        "MOIM_SOUND_DIR": str(folder / "sound"),
        "STT_ENGINE": "none",
        "EMBED_ENGINE": "none",
        **more,
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
        while (row := await world.shared.tables.registry.get(world.id)) is None or row.status != "ended":
            await close_from_record(world.shared, world.id)
            await asyncio.sleep(0.5)


async def gone_for_good(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a dispatcher does once no worker has seen the sound for ten minutes."""
    monkeypatch.setattr(late_words, "GONE_AFTER_S", 0.0)
    assert await world.tables.late.unseen(0, 10) == [world.id]
    await correcting(world.shared, world.tables).add_late(
        world.id, lambda session: LateWords(world.tables.late, session, world.shared.metrics).give_up()
    )


def ledger(shape: dict[str, Any]) -> dict[str, Any]:
    (person,) = shape["participants"]
    return dict(person["speech"])


async def test_on_its_machine_nothing_is_lost_and_the_ledger_is_exact(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphaned_sound_logs, "TAKEN_UP_S", -1.0)
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


async def test_what_the_bound_took_is_a_gap_and_the_ledger_is_exact(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphaned_sound_logs, "TAKEN_UP_S", -1.0)
    async with world_of(database, tmp_path) as made:
        world = replace(made, engine=Writer())
        await heard_and_killed(world, database, tmp_path, STT_KEPT_MB=str(KEPT_MB))
        await over(world)
        late = world.late()
        await late.step()
        await world.fold()
        told = ledger(await world.document())
        await world.work_off(late, 60)
        await world.fold()
        after = await world.document()
        (gap,) = after["gaps"]
        texts = [line["text"] for line in after["utterances"]]
        first = LINES - len(texts)
        assert 0 < first < LINES
        assert texts == [f"{n}번 줄입니다" for n in range(first, LINES)]
        assert gap["reason"] == "takeover"
        assert (gap["start_ms"], gap["end_ms"]) == pytest.approx(
            (0, after["utterances"][0]["start_ms"]), abs=EVERY_S * 1000
        )
        assert ledger(after)["heard_ms"] == ledger(after)["transcribed_ms"] == told["heard_ms"]
        assert ledger(after)["unheard_ms"] == {"takeover": gap["end_ms"] - gap["start_ms"]}
        assert await world.waiting_ms() == 0


async def test_what_is_gone_with_its_machine_is_a_gap_after_ten_minutes(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world_of(database, tmp_path) as world:
        await heard_and_killed(world, database, tmp_path)
        shutil.rmtree(tmp_path / "sound")
        await over(world)
        said_ms = LINES * EVERY_S * 1000
        assert await world.waiting_ms() == ledger(await world.document())["waiting_ms"] >= said_ms - 5_000
        await gone_for_good(world, monkeypatch)
        shape = await world.document()
        (gap,) = shape["gaps"]
        assert (gap["participant"], gap["start_ms"], gap["reason"]) == ("minji", 0, "takeover")
        assert gap["end_ms"] >= said_ms - 5_000
        told = ledger(shape)
        assert told["heard_ms"] == await world.waiting_ms() == 0
        assert told["unheard_ms"] == {"takeover": gap["end_ms"]}
