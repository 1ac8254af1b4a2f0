"""One tenant at work beside others, on one Postgres and one Valkey: a worker for text, a dispatcher's doors, a
webhook, the command line. Each thing it says carries a word that nobody else says."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import aiohttp
import redis.asyncio as redis

from tests.conftest import migrated_postgres, open_directory
from tests.fakes.addresses import LOOPBACK
from tests.fakes.webhook import Webhook
from tests.security.acl import user_of
from worker.adapters.redis_bus import RedisBus
from worker.adapters.redis_dispatches import RedisDispatches
from worker.adapters.redis_streams import StreamNames
from worker.bootstrap.database import database
from worker.bootstrap.parts import Parts, parts
from worker.bootstrap.pushes import pusher
from worker.bootstrap.streams import dispatches
from worker.configuration.settings import Settings
from worker.embedded.valkey import EmbeddedValkey
from worker.fleet.room_requests import want_from_redis
from worker.messages import SegmentMessage
from worker.monitoring.health import serving
from worker.monitoring.jobs import OwnBoard
from worker.process.text_worker import TextHost
from worker.web.api import API_PREFIX
from worker.web.wiring import served_api

WITHIN_S: Final = 180.0


@dataclass(frozen=True, slots=True)
class Servers:
    """Postgres and Valkey, for all tenants."""

    database_url: str
    redis_url: str
    """With all rights, as whoever runs it has."""
    folder: Path


@asynccontextmanager
async def servers() -> AsyncIterator[Servers]:
    """Fresh ones."""
    with open_directory() as directory:
        valkey = EmbeddedValkey(directory / "valkey", durable=False)
        async with migrated_postgres(directory) as postgres:
            await valkey.start()
            try:
                yield Servers(postgres.url, valkey.url, directory)
            finally:
                await valkey.stop()


@dataclass
class Tenant:
    """One tenant, with all of its doors."""

    name: str
    word: str
    """In all that it says."""
    environment: dict[str, str]
    shared: Parts
    base: str
    client: aiohttp.ClientSession
    own_redis: redis.Redis
    """A connection to Redis as the tenant's own user there."""
    wishes: RedisDispatches
    hook: Webhook
    seen: list[str] = field(default_factory=list)
    """All that came out of its doors."""
    commands: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Two command lines at a time: each is a process of its own."""

    @property
    def bus(self) -> RedisBus:
        assert self.shared.bus is not None
        return self.shared.bus

    async def http(self, method: str, path: str, body: Any = None) -> int:
        """The status; what it says is `seen`."""
        token = self.environment["MOIM_API_TOKEN"]
        headers = {"Authorization": f"Bearer {token}"}
        async with self.client.request(
            method, f"{self.base}/v1{path}", json=body, headers=headers
        ) as response:
            self.seen.append(await response.text())
            return response.status

    async def document(self, meeting_id: str) -> dict[str, Any]:
        """The meeting as the HTTP API exports it; {} where there is none."""
        status = await self.http("GET", f"/meetings/{quote(meeting_id, safe='')}/export?format=json")
        return json.loads(self.seen[-1]) if status == 200 else {}

    async def command(self, *arguments: str) -> int:
        """A command line's exit code; what it says is `seen`."""
        async with self.commands:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "worker", *arguments),
                env={**os.environ, **self.environment},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            said, _ = await process.communicate()
        self.seen.append(said.decode())
        assert process.returncode is not None
        return process.returncode

    async def say(self, meeting_id: str, number: int, text: str) -> None:
        """One turn, with the tenant's own word in it."""
        segment = SegmentMessage(
            id=f"s{number}", speaker="minji", text=f"{text} {self.word}", start_ms=number * 5000,
            end_ms=number * 5000 + 4000,
        )  # fmt: skip
        await self.bus.send_segment(meeting_id, segment)

    async def heard(self, meeting_id: str, utterances: int) -> None:
        """Until so many turns have come out."""
        async with asyncio.timeout(WITHIN_S):
            count = 0
            async for _, event in self.bus.follow(meeting_id):
                count += event["kind"] == "utterance"
                if count == utterances:
                    return

    async def status(self, meeting_id: str) -> str:
        """The meeting's status in its own list of meetings."""
        row = await self.shared.tables.registry.get(meeting_id)
        return row.status if row is not None else "unknown"

    async def reaches(self, meeting_id: str, status: str) -> None:
        """Until its meeting is so."""
        async with asyncio.timeout(WITHIN_S):
            while await self.status(meeting_id) != status:
                await asyncio.sleep(0.1)


@asynccontextmanager
async def at_work(servers: Servers, name: str, word: str, **more: str) -> AsyncIterator[Tenant]:
    """A tenant, with a Redis user of its own by the documentation's ACL line."""
    folder = servers.folder / f"tenant-{name}"
    redis_url = await user_of(servers.redis_url, name)
    async with Webhook(secret=f"secret-of-{name}").running() as hook:
        environment = {
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": redis_url,
            "MOIM_TENANT": name,
            "MOIM_API_TOKEN": f"0123456789-token-of-{name}",
            "MOIM_WEBHOOK_URL": hook.url,
            "MOIM_WEBHOOK_SECRET": hook.secret,
            "MOIM_STATE_DIR": str(folder),
            "STT_ENGINE": "none",
            "EMBED_ENGINE": "none",
            **more,
        }
        settings = Settings.from_env(environment)
        async with (
            parts(settings) as shared,
            database(settings) as tables,
            pusher(settings, shared.metrics) as pushing,
            dispatches(settings) as wishes,
            served_api(shared, tables, tables) as app,
            serving(shared.metrics, lambda: ([], []), LOOPBACK, mounts={API_PREFIX: app}) as port,
            aiohttp.ClientSession() as client,
            redis.Redis.from_url(redis_url) as own_redis,
        ):
            assert pushing is not None
            assert wishes is not None
            stop = asyncio.Event()
            wanting = want_from_redis(wishes, tables.registry, tenant=name, on_wanted=lambda: None)
            hosting = asyncio.ensure_future(TextHost(shared, OwnBoard()).run(stop))
            beside = [asyncio.ensure_future(wanting), asyncio.ensure_future(pushing.run())]
            try:
                yield Tenant(
                    *(name, word, environment, shared, f"http://127.0.0.1:{port}", client),
                    *(own_redis, _another(settings), hook),
                )
            finally:
                for task in beside:
                    task.cancel()
                stop.set()
                await asyncio.gather(hosting, *beside, return_exceptions=True)


def _another(settings: Settings) -> RedisDispatches:
    """To write wishes, as the tenant's own programs do."""
    return RedisDispatches(
        settings.redis.url.get_secret_value(),
        names=StreamNames(settings.process.tenant),
        name="writer",
        token=settings.api.token.get_secret_value(),
    )
