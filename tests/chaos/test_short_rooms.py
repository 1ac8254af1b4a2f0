"""`make chaos ARGS=takeover`, short, and a worker's last hour: a real room, a real worker, no second one to help.

Dispatched again and again, its websocket cut, told to go where nobody can take over, told twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import redis.asyncio as redis
from livekit import api, rtc
from pydantic import SecretStr

from tests.acceptance.stack import PATIENCE_S, moim_in, registered, said_by, until
from tests.chaos.proxy import WorkerProxy
from tests.conftest import Database
from tests.fakes.players import Player, Stage
from worker.adapters.livekit_dispatch import LiveKitDispatch
from worker.adapters.postgres_leases import PostgresStandbys
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.clock import SystemClock
from worker.configuration.settings import Settings, child_environment
from worker.embedded import livekit_server
from worker.embedded.child import Child
from worker.embedded.livekit import LiveKitServer
from worker.fleet.dispatcher import Dispatcher
from worker.job_metadata import JobMetadata
from worker.monitoring import jobs
from worker.ports import Holder, MeetingRow

pytestmark = [pytest.mark.room, pytest.mark.postgres]

"""For whatever has to come, on a machine with others at work."""
ROOM: Final = "회의실"


@dataclass
class House:
    """Servers, a dispatcher that looks around all the time, and a proxy between workers and LiveKit."""

    server: LiveKitServer
    proxy: WorkerProxy
    livekit: LiveKitDispatch
    pool: PostgresPool
    environment: dict[str, str]
    directory: Path
    redis_url: str
    _workers: int = 0

    @property
    def registry(self) -> PostgresRegistry:
        return PostgresRegistry(self.pool)

    @asynccontextmanager
    async def worker(self, drain_s: int) -> AsyncIterator[Child]:
        """`moim worker`, registered; killed at the end if it is still there."""
        self._workers += 1
        state = self.directory / f"worker-{self._workers}"
        child = Child(
            [sys.executable, "-m", "worker", "worker"],
            log_file=state.with_suffix(".log"),
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(
                {**self.environment, "MOIM_STATE_DIR": str(state), "MOIM_DRAIN_SECONDS": str(drain_s)}
            ),
            directory=Path.cwd(),
        )
        try:
            await until(lambda: registered(child), f"a worker ({child.last_words()})")
            yield child
        finally:
            await child.stop(signal.SIGKILL, 10)

    async def dispatches(self, room: str) -> list[str]:
        """The ids of our agent's dispatches."""
        listed = await self.livekit._livekit.agent_dispatch.list_dispatch(room_name=room)
        return sorted(one.id for one in listed if one.agent_name == "moim")

    async def held(self, meeting_id: str, epoch: int = 1) -> tuple[int, Holder]:
        """Epoch and holder, as soon as somebody holds it under this epoch or a later one."""

        async def look() -> MeetingRow | None:
            row = await self.registry.get(meeting_id)
            return row if row is not None and row.epoch >= epoch and row.holder is not None else None

        row = await until(look, f"a holder of epoch {epoch}")
        assert row.holder is not None
        return row.epoch, row.holder

    async def says(self, meeting_id: str, text: str) -> None:
        """A line that comes through Redis, and is on the record when this returns."""
        entry = {"id": text, "speaker": "alice", "text": text, "final": True, "start_ms": 0, "end_ms": 900}
        async with redis.Redis.from_url(self.redis_url) as client:
            await client.xadd(f"moim:default:in:{meeting_id}", {"json": json.dumps(entry)})

        async def look() -> bool:
            return text in await self.record(meeting_id)

        await until(look, f"{text!r} on the record")

    async def record(self, meeting_id: str) -> list[str]:
        """What was said."""
        async with self.pool.transaction() as connection:
            rows = await connection.fetch(
                "SELECT text FROM moim.utterances WHERE meeting_id = $1 ORDER BY id", meeting_id
            )
        return [row["text"] for row in rows]

    async def unsaved(self, meeting_id: str) -> int:
        """Events behind the last snapshot."""
        async with self.pool.transaction() as connection:
            return int(
                await connection.fetchval(
                    "SELECT (SELECT max(seq) FROM moim.events WHERE meeting_id = $1)"
                    " - (SELECT max(seq) FROM moim.snapshots WHERE meeting_id = $1)",
                    meeting_id,
                )
            )


@pytest.fixture
async def house(database: Database, redis_url: str, tmp_path: Path) -> AsyncIterator[House]:
    binary = livekit_server.find(Settings.load())
    if binary is None:
        pytest.skip("no LiveKit server: `make livekit` builds one (needs a network)")
    server = LiveKitServer(binary, tmp_path / "livekit")
    await server.start()
    pool = PostgresPool(database.url)
    async with (
        WorkerProxy(server.url).running() as proxy,
        LiveKitDispatch(
            server.url, server.api_key, SecretStr(server.api_secret), agent_name="moim"
        ) as livekit,
    ):
        environment = {
            "DATABASE_URL": database.url, "REDIS_URL": redis_url, "LIVEKIT_URL": proxy.url,
            "LIVEKIT_API_KEY": server.api_key, "LIVEKIT_API_SECRET": server.api_secret,
            "STT_ENGINE": "none", "EMBED_ENGINE": "none", "LLM_ENGINE": "extractive",
            "MOIM_HTTP_HOST": "127.0.0.1", "MOIM_HTTP_PORT": "0",
        }  # fmt: skip
        dispatcher = Dispatcher(
            PostgresRegistry(pool),
            livekit,
            tenant=pool.tenant,
            clock=SystemClock(),
            close_meeting=_not_closed,
            standbys=PostgresStandbys(pool),
        )
        running = asyncio.ensure_future(dispatcher.run())
        yield House(server, proxy, livekit, pool, environment, tmp_path, redis_url)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    await pool.aclose()
    await server.stop()


async def _not_closed(meeting_id: str) -> None:
    raise AssertionError(f"{meeting_id} has its room")


@asynccontextmanager
async def _somebody(house: House) -> AsyncIterator[tuple[Player, set[str]]]:
    """A human in the room, and the agents that she has ever seen there."""
    server, seen = house.server, set[str]()

    def came(participant: rtc.RemoteParticipant) -> None:
        if participant.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT:
            seen.add(participant.identity)

    async with Stage(server.url, server.api_key, server.api_secret, ROOM) as stage:
        player = stage.player("alice", "Alice Moreau")
        await player.join()
        player.room.on("participant_connected", came)
        for participant in player.room.remote_participants.values():
            came(participant)
        yield player, seen


async def test_dispatched_again_or_cut_off_from_livekit_it_is_one_job_that_goes_on(house: House) -> None:
    row = await house.registry.want(ROOM)
    async with house.worker(drain_s=0) as worker, _somebody(house) as (alice, agents):
        await moim_in(alice)
        epoch, holder = await house.held(row.id)
        assert holder.worker_pid == worker.pid

        # Twice for this meeting, and once by somebody who knows of rooms alone.
        ours = JobMetadata(meeting_id=row.id, tenant=house.pool.tenant).encode()
        for metadata in (ours, ours, ""):
            await house.livekit._livekit.agent_dispatch.create_dispatch(
                api.CreateAgentDispatchRequest(agent_name="moim", room=ROOM, metadata=metadata)
            )

        async def left() -> bool:
            return sum(said.get("reason") == "held by another worker" for said in said_by(worker)) == 3

        await until(left, "the end of three jobs that got no lease")
        assert len(agents) == 1, "nobody has seen the others"
        assert await house.held(row.id) == (epoch, holder)

        dispatches, before = await house.dispatches(ROOM), house.proxy.registrations
        house.proxy.cut()

        async def turned_away() -> bool:  # after 0, 2 and 4 s more: longer than a lease
            return house.proxy.turned_away >= 3

        await until(turned_away, "a worker that tries to come back")
        await house.says(row.id, "결제는 11월로 미룹니다.")
        assert await house.held(row.id) == (epoch, holder), "renewed all the time"
        assert await house.dispatches(ROOM) == dispatches, "nobody was sent"
        assert len(agents) == 1
        house.proxy.mend()

        async def back() -> bool:
            return house.proxy.registrations > before and await registered(worker)

        await until(back, "its registration")
        second = await house.registry.want("another room")
        assert (await house.held(second.id))[1].worker_pid == worker.pid, "it takes new meetings again"
        assert await house.held(row.id) == (epoch, holder)


async def test_told_to_go_where_nobody_can_take_over_it_stays_and_told_again_it_is_gone(house: House) -> None:
    """And one that may not wait leaves in order: what was said is saved, the lease let go, exit 0."""
    row = await house.registry.want(ROOM)
    async with _somebody(house) as (alice, _agents):
        async with house.worker(drain_s=3600) as first:
            await moim_in(alice)
            epoch, holder = await house.held(row.id)
            await house.says(row.id, "The first line.")
            os.kill(first.pid, signal.SIGTERM)

            async def draining() -> bool:
                return any(said["event"] == "draining" for said in said_by(first))

            await until(draining, "a worker that drains")
            await house.says(row.id, "둘째 줄입니다.")
            await asyncio.sleep(0.6)  # a person's second signal, not the echo of the first
            assert first.returncode is None
            assert (await house.held(row.id))[1] == holder, "its meeting goes on"
            os.kill(first.pid, signal.SIGTERM)
            assert await first.wait(5) == 1, "at once"

            async def gone() -> bool:
                return not jobs.alive(holder.job_pid)

            await until(gone, "its job's end")
        async with house.worker(drain_s=0) as second:
            taken, successor = await house.held(row.id, epoch + 1)
            assert successor.worker_pid == second.pid
            await moim_in(alice, epoch=taken)
            await house.says(row.id, "The third line.")
            os.kill(second.pid, signal.SIGTERM)
            assert await second.wait(PATIENCE_S) == 0, second.last_words(5)
        after = await house.registry.get(row.id)
        assert after is not None
        assert (after.holder, after.let_go, after.status) == (None, True, "live"), "for whoever comes next"
        assert await house.record(row.id) == ["The first line.", "둘째 줄입니다.", "The third line."]
        assert await house.unsaved(row.id) == 0
