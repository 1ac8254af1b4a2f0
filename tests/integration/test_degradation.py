"""A meeting goes on while its parts go away: real Postgres, real Valkey, a real engine process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_chat import ChatServer, Status
from tests.integration.conftest import say
from tests.unit.worker.test_metrics import samples
from worker.adapters.redis_bus import RedisBus
from worker.bootstrap.parts import Parts, parts
from worker.configuration.settings import Settings
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey
from worker.messages import AskMessage
from worker.monitoring.jobs import OwnBoard
from worker.process.text_worker import TextHost
from worker.record.restoring import rebuild

pytestmark = pytest.mark.postgres

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


@pytest.fixture
async def own_valkey(tmp_path: Path) -> AsyncIterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path / "valkey")
    await server.start()
    yield server
    await server.stop()


async def until(condition: Callable[[], bool], within_s: float = 30) -> None:
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.02)


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
        row = await shared.registry.want(None, meeting_id=meeting_id)
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
        after = await shared.registry.get(row.id)
        assert after is not None
        assert (after.status, after.holder) == ("ended", None)
        await bus.aclose()
        await follower.aclose()


async def test_postgres_dies_in_the_middle_and_nothing_is_lost_or_doubled(
    own_postgres: EmbeddedPostgres, redis_url: str, tmp_path: Path
) -> None:
    async with held(own_postgres.url, redis_url, tmp_path) as world:
        await world.say(*KO[:2])
        await until(lambda: len(world.shown) == 2)
        async with asyncio.timeout(60):  # a machine with others at work may take longer than PATIENCE_S
            while await world.recorded() != KO[:2]:
                await asyncio.sleep(0.05)
        pid = own_postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await world.say(*KO[2:], *EN[:2])
        await until(lambda: len(world.shown) == 6)
        durable = [entry["durable"] for entry in world.out if entry["kind"] == "utterance"]
        # What a dying server still commits is durable; from the first that is not, nothing is.
        assert durable[2:] == sorted(durable[2:], reverse=True)
        assert not durable[-1]
        spool = list((tmp_path / "state" / "spool").iterdir())
        assert len(spool) == 1
        assert "second server" in (await world.ask("What did we decide about the second server?"))["text"]
        await own_postgres.stop()
        await own_postgres.start()
        await world.say(*EN[2:])
        await until(lambda: len(world.shown) == 8)
        await until(lambda: not spool[0].exists())
        assert await world.recorded() == KO + EN
    assert world.shown == KO + EN
    numbers = [entry["seq"] for entry in world.out]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_valkey_dies_in_the_middle_and_the_input_goes_on_where_it_stopped(
    postgres_server: EmbeddedPostgres, own_valkey: EmbeddedValkey, database: Any, tmp_path: Path
) -> None:
    async with held(database.url, own_valkey.url, tmp_path) as world:
        await world.say(*KO)
        await until(lambda: len(world.shown) == 4)
        await own_valkey.stop()
        await until(lambda: bool(world.shared.bus and world.shared.bus.away))
        await asyncio.sleep(1)
        await own_valkey.start()
        await world.say(*EN)
        await until(lambda: len(world.shown) == 8)
        assert await world.recorded() == KO + EN
        reply = await world.ask("출시일이 언제로 결정됐지?")
        assert "11월 20일" in reply["text"]
    assert world.shown == KO + EN


@pytest.mark.parametrize("trouble", ["down", "garbage", "errors"])
async def test_a_language_model_in_trouble_costs_style_not_answers(
    database: Any, redis_url: str, tmp_path: Path, trouble: str
) -> None:
    """One that hangs, and every other fault: `test_fault_matrix.py`."""
    async with ChatServer() as server:
        base_url = server.base_url if trouble != "down" else "http://127.0.0.1:1/v1"
        for _ in range(60):
            if trouble == "garbage":
                server.will("아무", fault="garbage")
            else:
                server.will(Status(500, retry_after="0"))
        model = server.settings | {"LLM_BASE_URL": base_url}
        async with held(database.url, redis_url, tmp_path, **model) as world:
            await world.say(*KO, *EN)
            await until(lambda: len(world.shown) == 8)
            for question, said in (
                ("출시일이 언제로 결정됐지?", "11월 20일"),
                ("What did we decide about the second server?", "second server"),
            ):
                reply = await world.ask(question, id_=question)
                assert said in reply["text"]
                assert reply["degraded"]
                assert reply["evidence"]
        if trouble != "down":
            assert server.requests
    assert any(entry["kind"] == "topic" for entry in world.out)


def _summary(body: dict[str, Any]) -> str:
    """A model that works: of its first lines it makes a summary that stands."""
    del body
    statement = {"text": "출시일은 11월 20일로 결정했습니다.", "evidence": [2]}
    lists = {"summary": [statement], "key_points": [statement], "decisions": [statement], "pending": []}
    return json.dumps({"topic_name": "출시일", **lists})


async def test_a_language_model_that_answers_with_nonsense_is_seen_until_it_works_again(
    database: Any, redis_url: str, tmp_path: Path
) -> None:
    """Every reply is a 200 with "ok": no request fails, and no summary is the model's."""
    async with ChatServer() as server:
        model = server.settings | {"CONTEXT_L1_UPDATE_TURN_THRESHOLD": "4"}
        async with held(database.url, redis_url, tmp_path, **model) as world:
            await world.say(*KO)
            await until(lambda: world.figure("moim_llm_calls_total", purpose="summary") == 2)
            assert not any("JSON" in part for part in world.degraded), "twice may be chance"
            await world.say(*EN)
            told = f"llm: {server.model}: its summaries are no valid JSON: its work is done without it"
            await until(lambda: told in world.degraded)
            await until(lambda: world.figure("moim_degraded", part="llm") == 1)
            of = {"purpose": "summary"}
            assert world.figure("moim_llm_useless_replies_total", fault="json", **of) >= 3
            assert world.figure("moim_llm_repairs_total", outcome="failed", **of) >= 1
            assert world.figure("moim_llm_repairs_total", outcome="repaired", **of) == 0
            assert world.figure("moim_llm_missed_total", reason="useless", **of) >= 1
            reply = await world.ask("출시일이 언제로 결정됐지?")
            assert "11월 20일" in reply["text"], "the record speaks for itself"
            assert world.figure("moim_llm_useless_replies_total", fault="evidence", purpose="answer") == 1
            server.writes = _summary
            await world.say(*KO)
            await until(lambda: not any(part.startswith("llm") for part in world.degraded))
            await until(lambda: world.figure("moim_degraded", part="llm") == 0)
