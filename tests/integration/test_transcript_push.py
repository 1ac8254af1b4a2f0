"""Transcript push from a real Postgres to a real HTTP receiver that fails, hangs, hangs up and has enough."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import aiohttp
import asyncpg
import pytest
from prometheus_client import CollectorRegistry

from context.events.events import Event, MeetingEnded, MeetingStarted
from context.ports import Unavailable
from tests.conftest import Database, cut_off_others
from tests.contracts.events import NINE, answered, numbered, spoken
from tests.contracts.world import HOLDER
from tests.fakes.webhook import Mood, Webhook
from tests.integration.summary_jobs import begun, done
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_pushes import Minutes, PostgresPushes
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.adapters.webhook_receiver import WebhookReceiver
from worker.clock import SystemClock
from worker.commands.dispatcher import _dispatch
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.monitoring.metrics import Metrics
from worker.push import pusher as pushing
from worker.push.pusher import Pusher

KO, EN = "출시일은 십이월 이십이일로 결정하겠습니다.", "We ship on December 22nd. 👋"


@pytest.fixture
async def hook() -> AsyncIterator[Webhook]:
    async with Webhook().running() as hook:
        yield hook


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, only faster."""
    monkeypatch.setattr(pushing, "RETRY_FIRST_S", 0.02)
    monkeypatch.setattr(pushing, "RETRY_MAX_S", 0.2)
    monkeypatch.setattr(pushing, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(pushing, "BACKLOG_EVERY_S", 0.05)


@asynccontextmanager
async def at_work(
    url: str,
    hook: Webhook,
    metrics: Metrics | None = None,
    tenant: str = "default",
    minutes: Minutes | None = None,
    *,
    patience_s: float = 5.0,
):  # type: ignore[no-untyped-def] # a pusher of its own, like a process's
    pool = PostgresPool(url, tenant)
    async with WebhookReceiver(hook.url, hook.secret, clock=SystemClock(), deadline_s=patience_s) as receiver:
        pusher = Pusher(PostgresPushes(pool, minutes), receiver, metrics or Metrics(CollectorRegistry()))
        task = asyncio.get_running_loop().create_task(pusher.run())
        try:
            yield pusher
        finally:
            task.cancel()
            await asyncio.wait([task])
    await pool.aclose()


class Meeting:
    """A meeting whose holder writes."""

    def __init__(self, pool: PostgresPool, meeting_id: str) -> None:
        self.pool, self.id, self.epoch, self.seq = pool, meeting_id, 0, 0

    async def hold(self, *, pushed: bool = True) -> Meeting:
        """Hold it; `pushed`: its tenant has a webhook from before."""
        if pushed:
            await PostgresPushes(self.pool).open()
        await PostgresRegistry(self.pool).want(None, meeting_id=self.id)
        epoch = await PostgresLeases(self.pool).acquire(self.id, HOLDER, 60)
        assert epoch is not None
        self.epoch = epoch
        await self.write(MeetingStarted(at=NINE))
        return self

    async def write(self, *events: Event) -> None:
        await PostgresStore(self.pool).append(self.id, self.epoch, numbered(*events, after=self.seq))
        self.seq += len(events)


@pytest.fixture
async def meeting(pool: PostgresPool) -> Meeting:
    """One that is held and has begun."""
    return await Meeting(pool, "m-1").hold()


async def until(hook: Webhook, count: int) -> None:
    async with asyncio.timeout(20):
        while len(hook.taken) < count:
            await asyncio.sleep(0.01)


def ids(hook: Webhook, meeting_id: str) -> list[str]:
    return [body["id"] for body in hook.taken if body["meeting_id"] == meeting_id]


pytestmark = pytest.mark.postgres


async def test_what_is_said_arrives_signed_whole_and_in_order(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    async with at_work(database.url, hook):
        await asyncio.sleep(0.1)  # the feed is open
        meeting = await Meeting(pool, "m-1").hold()
        await meeting.write(spoken(1, KO), *answered(2), *answered(3, private=True))
        await meeting.write(spoken(4, EN, speaker_id="alice", speaker_name="Alice"))
        await until(hook, 3)
    assert hook.forged == 0
    assert [(body["id"], body["kind"]) for body in hook.taken] == [
        ("m-1/2", "utterance"),
        ("m-1/4", "reply"),
        ("m-1/7", "utterance"),
    ]
    first, reply, last = hook.taken
    assert first["version"] == 1
    assert (first["utterance"]["text"], first["utterance"]["speaker_name"]) == (KO, "김민지")
    assert (last["utterance"]["id"], last["utterance"]["text"]) == (2, EN)
    assert reply["reply"]["text"] == "12월 22일입니다. #2"
    assert datetime.fromisoformat(first["recorded_at"]).tzinfo is not None


@pytest.mark.parametrize(
    "moods",
    [
        ["500"] * 3,
        ["429"],
        ["401", "404"],
        ["redirect"],
        ["hang"],
        ["hang_up", "500", "hang", "well", "hang_up"],
    ],
    ids="-".join,
)
async def test_a_receiver_that_fails_gets_everything_once_it_is_well(
    database: Database, hook: Webhook, moods: list[Mood], meeting: Meeting
) -> None:
    hook.once = list(moods)
    await meeting.write(*(spoken(n) for n in range(1, 8)))
    async with at_work(database.url, hook, patience_s=0.5 if "hang" in moods else 5.0):
        await until(hook, 7)
    assert ids(hook, "m-1") == [f"m-1/{n}" for n in range(2, 9)]
    assert hook.requests >= 7 + len([mood for mood in moods if mood != "well"])


async def test_what_was_taken_without_an_answer_comes_again_under_its_id(
    database: Database, hook: Webhook, meeting: Meeting
) -> None:
    hook.once = ["well", "takes_and_hangs_up"]
    await meeting.write(spoken(1), spoken(2), spoken(3))
    async with at_work(database.url, hook):
        await until(hook, 4)
    assert ids(hook, "m-1") == ["m-1/2", "m-1/3", "m-1/3", "m-1/4"]


async def test_gone_is_gone_also_after_a_restart(
    pool: PostgresPool, database: Database, hook: Webhook, meeting: Meeting
) -> None:
    hook.once = ["well", "410"]
    await meeting.write(spoken(1), spoken(2), spoken(3))
    async with at_work(database.url, hook):
        await until(hook, 1)
        await asyncio.sleep(0.3)
    other = await Meeting(pool, "m-2").hold()
    await other.write(spoken(1))
    async with at_work(database.url, hook):
        await until(hook, 2)
        await meeting.write(spoken(9))
        await asyncio.sleep(0.3)
    assert [body["id"] for body in hook.taken] == ["m-1/2", "m-2/2"]
    assert hook.requests == 3


async def test_restarts_takeovers_and_several_pushers_lose_nothing_and_keep_the_order(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    meetings = [await Meeting(pool, f"m-{n}").hold() for n in range(5)]
    for number in range(1, 13):
        for meeting in meetings:
            await meeting.write(spoken(number, KO if number % 2 else EN))
    hook.once = ["well"] * 7 + ["hang_up"] + ["well"] * 9 + ["500"]
    for _ in range(3):  # each is stopped in the middle of its work
        hook.room_for = len(hook.taken) + 5
        async with at_work(database.url, hook), at_work(database.url, hook):
            await until(hook, hook.room_for)
    hook.room_for = None
    for meeting in meetings:  # another worker holds the meetings now
        epoch = await PostgresLeases(pool).acquire(meeting.id, HOLDER, 60)
        assert epoch is not None
        meeting.epoch = epoch
        await meeting.write(spoken(13))
    async with at_work(database.url, hook):
        async with asyncio.timeout(20):
            while any(len(set(ids(hook, meeting.id))) < 13 for meeting in meetings):
                await asyncio.sleep(0.02)
    for meeting in meetings:
        firsts = list(dict.fromkeys(ids(hook, meeting.id)))
        assert firsts == [f"{meeting.id}/{n}" for n in range(2, 15)]
    assert len(hook.taken) <= 65 + 6 * 5, "what was under way at a stop came twice at most"


async def test_tenants_push_their_own_meetings_alone(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    theirs = PostgresPool(database.url, "theirs")
    await (await Meeting(pool, "m-1").hold(pushed=False)).write(spoken(1, KO))
    await (await Meeting(theirs, "m-1").hold()).write(spoken(1, EN))
    async with at_work(database.url, hook, tenant="theirs"):
        await until(hook, 1)
        await asyncio.sleep(0.2)
    assert [body["utterance"]["text"] for body in hook.taken] == [EN]
    async with theirs.transaction() as connection:
        assert await connection.fetchval("SELECT count(*) FROM moim.pushes") == 1
        assert await connection.fetchval("SELECT count(*) FROM moim.push_feeds") == 1
    async with pool.transaction() as connection:
        assert await connection.fetchval("SELECT count(*) FROM moim.pushes") == 0
    await theirs.aclose()


async def test_an_outage_of_the_database_is_waited_out(
    pool: PostgresPool, database: Database, hook: Webhook, owner: asyncpg.Connection, meeting: Meeting
) -> None:
    async with at_work(database.url, hook):
        await meeting.write(spoken(1))
        await until(hook, 1)
        await cut_off_others(owner)
        for number in (2, 3):
            async with asyncio.timeout(5):
                while True:
                    try:
                        await PostgresRegistry(pool).get("m-1")
                        break
                    except Unavailable:  # the pool's own connections were killed, too
                        await asyncio.sleep(0.05)
            await meeting.write(spoken(number))
        await until(hook, 3)
    assert list(dict.fromkeys(ids(hook, "m-1"))) == ["m-1/2", "m-1/3", "m-1/4"]


async def test_lag_and_failures_can_be_read_off_the_metrics(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    hook.mood = "500"
    metrics = Metrics(CollectorRegistry())
    await (await Meeting(pool, "m-1").hold()).write(spoken(1))

    def value(name: str, **labels: str) -> float:
        return metrics.registry.get_sample_value(name, labels) or 0.0

    async with at_work(database.url, hook, metrics), asyncio.timeout(10):
        while not (value("moim_push_failing_meetings") == 1 and value("moim_push_lag_seconds") > 0.2):
            await asyncio.sleep(0.05)
        assert value("moim_pushes_total", outcome="failed") >= 1
        hook.mood = "well"
        while value("moim_push_failing_meetings") or value("moim_push_lag_seconds"):
            await asyncio.sleep(0.05)
    assert value("moim_pushes_total", outcome="sent") == 1
    assert value("moim_push_latency_seconds_count") >= 2


async def test_a_held_up_push_holds_nobody_else_up(
    database: Database, hook: Webhook, meeting: Meeting
) -> None:
    hook.mood = "hang"
    async with at_work(database.url, hook, patience_s=60.0):
        await meeting.write(spoken(1))
        while not hook.requests:
            await asyncio.sleep(0.01)
        async with asyncio.timeout(5):  # less than the receiver's patience
            await meeting.write(*(spoken(n) for n in range(2, 12)))


async def test_a_dispatcher_pushes_and_tells_how_it_goes(
    database: Database, hook: Webhook, meeting: Meeting
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = Settings.from_env(
        {
            "DATABASE_URL": database.url,
            "LIVEKIT_URL": "ws://127.0.0.1:1",
            "LIVEKIT_API_KEY": "k",
            "LIVEKIT_API_SECRET": "s" * 40,
            "STT_ENGINE": "none",
            "MOIM_WEBHOOK_URL": hook.url,
            "MOIM_WEBHOOK_SECRET": hook.secret,
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_HTTP_PORT": str(port),
        }
    )
    hook.mood = "500"
    await meeting.write(spoken(1, KO))
    dispatching = asyncio.get_running_loop().create_task(_dispatch(settings))
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client, asyncio.timeout(15):
            while not (degraded := await _degraded(client)):
                await asyncio.sleep(0.05)
            assert degraded[0].startswith("webhook: 1 meetings cannot be sent")
            hook.mood = "well"
            await until(hook, 1)
            while await _degraded(client):
                await asyncio.sleep(0.05)
            async with client.get("/metrics") as response:
                assert 'moim_pushes_total{outcome="sent"} ' in await response.text()
    finally:
        dispatching.cancel()
        await asyncio.wait([dispatching])
    assert [body["utterance"]["text"] for body in hook.taken] == [KO]


async def test_a_dispatcher_without_a_webhook_keeps_nothing_for_a_later_one(
    database: Database, redis_url: str, meeting: Meeting, owner: asyncpg.Connection
) -> None:
    settings = Settings.from_env(
        {
            "DATABASE_URL": database.url,
            "REDIS_URL": redis_url,
            "LIVEKIT_URL": "ws://127.0.0.1:9",
            "LIVEKIT_API_KEY": "k",
            "LIVEKIT_API_SECRET": "s" * 40,
            "STT_ENGINE": "none",
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_HTTP_PORT": "0",
        }
    )
    await meeting.write(spoken(1, KO))
    dispatching = asyncio.get_running_loop().create_task(_dispatch(settings))
    try:
        async with asyncio.timeout(60):
            while await owner.fetchval("SELECT count(*) FROM moim.push_feeds") > 0:
                await asyncio.sleep(0.05)
    finally:
        dispatching.cancel()
        await asyncio.wait([dispatching])
    assert await owner.fetchval("SELECT count(*) FROM moim.pushes") == 0


async def _degraded(client: aiohttp.ClientSession) -> list[str]:
    try:
        async with client.get("/readyz") as response:
            body = await response.json()
            assert body["ready"]
            return list(body["degraded"])
    except aiohttp.ClientConnectionError:  # it is being started
        return []


@pytest.mark.parametrize(
    ("mood", "state", "what"),
    [
        ("well", "ok", "takes a signed push"),
        ("400", "ok", "answers 400 to a push of kind ping"),
        ("401", "wrong", "check MOIM_WEBHOOK_SECRET"),
        ("404", "wrong", "check MOIM_WEBHOOK_URL"),
        ("redirect", "wrong", "redirects are not followed"),
        ("500", "unreachable", "500 mood 500"),
        ("hang_up", "unreachable", "it hung up"),
    ],
)
async def test_check_says_what_the_webhook_does(hook: Webhook, mood: Mood, state: str, what: str) -> None:
    hook.mood = mood
    url = f"{hook.url.replace('//', '//user:pa55word@')}?token=t0ken"
    settings = Settings.from_env({"MOIM_WEBHOOK_URL": url, "MOIM_WEBHOOK_SECRET": hook.secret})
    (finding,) = await diagnose(settings, ["webhook"])
    assert (finding.state, what in finding.text) == (state, True), finding.text
    assert "pa55word" not in finding.text
    assert "t0ken" not in finding.text
    (unset,) = await diagnose(Settings.from_env({}), ["webhook"])
    assert (unset.state, unset.text) == ("ok", "MOIM_WEBHOOK_URL is not set: nothing is pushed")


async def test_at_the_end_the_minutes_are_sent_once_their_meeting_is_closed(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    async def minutes(meeting_id: str) -> dict[str, str]:
        return {"url": f"https://moim.example/m/{meeting_id}/minutes", "markdown": "# 주간 회의\n"}

    async with at_work(database.url, hook, minutes=minutes):
        await asyncio.sleep(0.1)  # the feed is open
        meeting = await Meeting(pool, "m-1").hold()
        await meeting.write(spoken(1, KO), MeetingEnded(at_ms=9_000, reason="room closed"))
        await until(hook, 1)
        await asyncio.sleep(0.2)
        assert [body["kind"] for body in hook.taken] == ["utterance"], "its holder may still summarise"
        await PostgresRegistry(pool).mark_ended(meeting.id, meeting.epoch, NINE)
        await until(hook, 2)
    told = hook.taken[1]
    assert (told["kind"], told["id"]) == ("minutes", "m-1/3")
    assert told["minutes"]["url"].endswith("/m/m-1/minutes")
    assert told["minutes"]["markdown"] == "# 주간 회의\n"


async def test_a_draft_behind_the_end_sends_the_minutes_again_and_is_awaited(
    pool: PostgresPool, database: Database, hook: Webhook
) -> None:
    told = iter(["# 인용", "# 요약"])

    async def minutes(meeting_id: str) -> dict[str, str]:
        return {"url": meeting_id, "markdown": next(told)}

    async with at_work(database.url, hook, minutes=minutes):
        await asyncio.sleep(0.1)
        meeting = await Meeting(pool, "m-1").hold()
        await meeting.write(spoken(1, KO), begun(1, 1), MeetingEnded(at_ms=9_000, reason="room closed"))
        await PostgresRegistry(pool).mark_ended(
            meeting.id, meeting.epoch, datetime.now(UTC) - timedelta(minutes=2)
        )
        await until(hook, 2)
        await PostgresPushes(pool).open()  # but for the draft it would be let go
        await meeting.write(done(1, 1, "요약"))
        await until(hook, 3)
    assert [(each["id"], each["minutes"]["markdown"]) for each in hook.taken[1:]] == [
        ("m-1/4", "# 인용"),
        ("m-1/5", "# 요약"),
    ]
