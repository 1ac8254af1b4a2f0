"""A text meeting that is held in this process, and somebody who feeds and follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.integration.conftest import say
from tests.unit.worker.metrics import samples
from worker.adapters.redis_bus import RedisBus
from worker.bootstrap.parts import Parts, parts
from worker.configuration.settings import Settings
from worker.messages import AskMessage
from worker.monitoring.jobs import OwnBoard
from worker.process.text_worker import TextHost
from worker.record.restoring import rebuild

KO = [
    "출시 일정부터 정하겠습니다.",
    "출시일은 11월 20일로 결정하겠습니다.",
    "QA는 박준호 님이 맡아 주세요.",
    "네, 다음 주 수요일까지 끝내겠습니다.",
]
EN = [
    "Let us talk about the search latency.",
    "We decided to buy the second server next month.",
    "Ben will write the migration plan by Friday.",
    "Thanks, that is all.",
]


@dataclass
class World:
    """A text meeting that is being held, and somebody who feeds and follows it."""

    shared: Parts
    bus: RedisBus
    id: str
    board: OwnBoard
    before: dict[Any, float]
    out: list[dict[str, Any]] = field(default_factory=list)
    _said: int = 0

    async def say(self, *lines: str, who: str = "minji") -> None:
        await say(self.bus, self.id, lines, after=self._said, who=who)
        self._said += len(lines)

    async def ask(self, text: str, id_: str = "q1") -> dict[str, Any]:
        await self.bus.ask(self.id, AskMessage(id=id_, by="ben", text=text))
        reply = await self.bus.wait_reply(self.id, id_, 40)
        assert reply is not None
        return reply

    @property
    def shown(self) -> list[str]:
        return [entry["text"] for entry in self.out if entry["kind"] == "utterance"]

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the meeting's status says, `/readyz` and `moim meetings` with it."""
        return tuple(part for status in self.board.statuses() for part in status.degraded)

    def figure(self, name: str, **labels: str) -> float:
        """What `/metrics` says, less what it said before this meeting: counters are the process's."""
        key = name, tuple(sorted(labels.items()))
        return samples(self.shared.metrics.render().decode())[key] - self.before[key]

    async def recorded(self) -> list[str]:
        """What a restored meeting has."""
        stored = await self.shared.store.load(self.id)
        meeting, _ = rebuild(stored, self.id, self.shared.settings.context)
        return [utterance.text for utterance in meeting.utterances]


@asynccontextmanager
async def held(
    database_url: str, redis_url: str, tmp_path: Path, *, meeting_id: str = "회의/1 'a'", **more: str
) -> AsyncIterator[World]:
    """The meeting, ended by its input at the end of the block."""
    settings = Settings.from_env(
        {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "MOIM_STATE_DIR": str(tmp_path / "state"),
            "STT_ENGINE": "none",
            "MOIM_HTTP_PORT": "0",
            **more,
        }
    )
    async with parts(settings) as shared:
        row = await shared.tables.registry.want(None, meeting_id=meeting_id)
        bus, follower = RedisBus(redis_url), RedisBus(redis_url)
        world = World(shared, bus, row.id, OwnBoard(), samples(shared.metrics.render().decode()))

        async def follow() -> None:
            async for _, entry in follower.follow(row.id):
                world.out.append(entry)

        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(follow())
            holding = tasks.create_task(TextHost(shared, world.board)._hold(row))
            yield world
            await bus.end(row.id)
            async with asyncio.timeout(40):
                await holding
            following.cancel()
        after = await shared.tables.registry.get(row.id)
        assert after is not None
        assert (after.status, after.holder) == ("ended", None), after
        await bus.aclose()
        await follower.aclose()
