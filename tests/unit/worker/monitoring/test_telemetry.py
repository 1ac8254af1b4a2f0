"""Logs: JSON lines, the meeting bound, secrets blanked, the libraries' loggers through the same door, no flood."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from aiohttp import web
from pydantic import BaseModel, ValidationError

from worker.configuration.settings import Settings
from worker.monitoring import telemetry
from worker.monitoring.connections import BoundedSite, Connections
from worker.monitoring.telemetry import MOST_REPEATS, Repeats


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], _ = before
    root.setLevel(before[1])
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def configured(stream: io.StringIO | None = None, **environ: str) -> io.StringIO:
    stream = io.StringIO() if stream is None else stream
    telemetry.configure(Settings.from_env(environ), stream=stream)
    return stream


def test_a_line_is_json_with_the_meeting_bound() -> None:
    stream = configured()
    with telemetry.meeting_logs("회의-1", epoch=3):
        structlog.get_logger("moim.test").info("utterance_published", text="안녕하세요", number=7)
    structlog.get_logger("moim.test").info("after")
    line, after = lines(stream)
    wanted = {"event": "utterance_published", "meeting_id": "회의-1", "epoch": 3, "text": "안녕하세요"}
    assert {**wanted, "level": "info"}.items() <= line.items()
    assert str(line["timestamp"]).endswith("Z")
    assert "meeting_id" not in after


async def test_the_meeting_stays_with_its_own_tasks() -> None:
    stream = configured()

    async def one(meeting_id: str) -> None:
        with telemetry.meeting_logs(meeting_id):
            await asyncio.sleep(0)
            structlog.get_logger().info("here", expected=meeting_id)

    await asyncio.gather(one("a"), one("b"))
    assert [line["meeting_id"] == line["expected"] for line in lines(stream)] == [True, True]


def test_library_loggers_come_through_the_same_door() -> None:
    stream = configured()
    with telemetry.meeting_logs("m1"):
        logging.getLogger("livekit.agents").warning("room %s lost", "r1", extra={"attempt": 2})
        logging.getLogger("livekit.agents").info("chatter is left out")
        logging.getLogger("asyncpg").info("connected")
    first, second = lines(stream)
    assert (first["event"], first["meeting_id"], first["attempt"]) == ("room r1 lost", "m1", 2)
    assert second["event"] == "connected"


def open_database(url: str) -> None:
    raise ConnectionError(f"{url} is down")


def test_secrets_are_blanked_wherever_they_stand() -> None:
    stream = configured(LIVEKIT_API_SECRET="s3cr3t-s3cr3t", DATABASE_URL="postgresql://moim:geheim99@db/moim")
    log = structlog.get_logger()
    log.info("a", api_key="abc", nested={"password": "p", "rows": ["uses s3cr3t-s3cr3t"]}, tokens=12)
    log.info("b", url="redis://:pw123456@cache:6379/0", jwt="eyJhbGciOiJI.eyJzdWIiOiJt.c2lnbmF0dXJl")
    try:
        open_database("postgresql://moim:geheim99@db/moim")
    except ConnectionError:
        log.exception("c")
    text = stream.getvalue()
    for secret in ("s3cr3t-s3cr3t", "geheim99", "pw123456", "eyJhbGciOiJI", '"abc"'):
        assert secret not in text
    assert lines(stream)[0]["tokens"] == 12, "a count of tokens is no secret"
    assert "redis://:***@cache:6379/0" in text


def test_levels_are_kept_and_a_terminal_has_lines_for_eyes() -> None:
    stream = configured(Terminal(), MOIM_LOG_LEVEL="warning")
    structlog.get_logger().info("no")
    structlog.get_logger().warning("worker_started", port=8080)
    assert "worker_started" in stream.getvalue()
    assert "no" not in stream.getvalue().split()
    assert not stream.getvalue().startswith("{")


@pytest.mark.parametrize("level", ["info", "debug"])
def test_the_seeds_event_has_ids_and_the_topics_names_are_at_debug(level: str) -> None:
    stream = configured(MOIM_LOG_LEVEL=level)
    telemetry.l1_segment_created(
        meeting_id="m1", topic_name="출시일", l0_buffer_size=25, l1_segments_count=2, next_topic="Budget",
        topic_id="t1", next_topic_id="t2",
    )  # fmt: skip
    line, *named = lines(stream)
    wanted = {
        "event": "l1_segment_created", "meeting_id": "m1", "topic_id": "t1", "l0_buffer_size": 25,
        "l1_segments_count": 2, "next_topic_id": "t2", "level": "info",
    }  # fmt: skip
    assert wanted.items() <= line.items()
    assert [(each["topic_name"], each["next_topic"]) for each in named] == (
        [("출시일", "Budget")] if level == "debug" else []
    )
    assert ("출시일" in str(line), "Budget" in str(line)) == (False, False)


def _fold_something(said: str, topic: str) -> None:
    class Topic(BaseModel):
        name: int

    try:
        try:
            Topic.model_validate({"name": said})
        except ValidationError as error:
            raise KeyError(topic) from error
    except KeyError as error:
        raise ExceptionGroup("unhandled errors", [RuntimeError("disk full"), error]) from None


@pytest.mark.parametrize("level", ["info", "debug"])
def test_a_traceback_says_where_and_what_but_quotes_nobody(level: str) -> None:
    stream = configured(MOIM_LOG_LEVEL=level)
    words = ("두루미재단", "Heronwood")
    try:
        _fold_something(*words)
    except ExceptionGroup as error:
        structlog.get_logger().exception("event_not_folded")
        structlog.get_logger().warning("event_not_folded", error=error.exceptions[1])
        logging.getLogger("x").exception("also of other libraries")
    text = stream.getvalue()
    for word in words:
        assert (word in text) == (level == "debug")
    assert "disk full" in text
    assert "_fold_something" in text
    assert "KeyError" in text
    assert "ValidationError" in text


def stalled(seconds: float, created_s: float) -> logging.LogRecord:
    record = logging.LogRecord(
        "livekit.agents", logging.WARNING, "loop_monitor.py", 1,
        "event loop blocked for %.0fms%s; synchronous work", (seconds * 1000, " at x"), None,
    )  # fmt: skip
    record.created, record.duration, record.stack = created_s, seconds, "# a long stack"
    return record


def test_a_blocked_loop_is_told_once_in_five_minutes_with_how_often() -> None:
    stream = configured()
    (door,) = logging.getLogger().handlers
    for second in range(100):
        door.handle(stalled(0.1 + second / 1000, 1_000.0 + second))
    door.handle(stalled(0.2, 1_400.0))
    door.handle(logging.LogRecord("moim", logging.WARNING, "x.py", 1, "something else", (), None))
    first, second, other = lines(stream)
    assert str(first["event"]).startswith("event loop blocked for 100ms at x")
    assert "unsaid_since" not in first
    assert (second["unsaid_since"], second["longest_unsaid_s"]) == (99, 0.199)
    assert "stack" not in first | second
    assert other["event"] == "something else"


def test_whoever_debugs_sees_every_stall() -> None:
    stream = configured(MOIM_LOG_LEVEL="debug")
    (door,) = logging.getLogger().handlers
    for second in range(3):
        door.handle(stalled(0.1, 1_000.0 + second))
    assert [line["stack"] for line in lines(stream)] == ["# a long stack"] * 3


def record(message: object, *args: object, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord("asyncio", level, __file__, 1, message, args, None)


def test_of_one_line_so_many_a_minute_and_then_a_count() -> None:
    now_s = [0.0]
    repeats = Repeats(clock=lambda: now_s[0])
    passed = sum(repeats.filter(record("socket.accept() out of %s", "files")) for _ in range(1000))
    assert passed == MOST_REPEATS
    assert repeats.filter(record("socket.accept() out of %s", "memory")), "another line"
    now_s[0] = 61.0
    again = record("socket.accept() out of %s", "files")
    assert repeats.filter(again)
    assert (
        again.getMessage()
        == f"socket.accept() out of files (and {1000 - MOST_REPEATS} times more a minute ago)"
    )
    once_more = record("socket.accept() out of %s", "files")
    assert repeats.filter(once_more)
    assert "times more" not in once_more.getMessage()


def test_lines_with_other_fields_are_other_lines() -> None:
    repeats = Repeats(clock=lambda: 0.0)
    lines = [{"event": "answered", "meeting_id": f"m-{n}", "timestamp": str(n)} for n in range(100)]
    assert all(repeats.filter(record(line, level=logging.INFO)) for line in lines)
    same = [{"event": "accept_failed", "timestamp": str(n)} for n in range(100)]
    assert sum(repeats.filter(record(line)) for line in same) == MOST_REPEATS


async def answered(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    return answer


async def test_what_is_no_http_is_a_line_and_at_most_twenty_a_minute() -> None:
    log = configured()

    async def broken(_: web.Request) -> web.Response:
        raise LookupError("ours")

    app = web.Application()
    app.router.add_get("/broken", broken)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await BoundedSite(runner, "127.0.0.1", 0, Connections(9)).start()
    port = int(runner.addresses[0][1])
    for number in range(50):
        answer = await answered(port, b"GET /%d HTTP/9.9\r\n\r\n" % number)
        assert answer.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    said = log.getvalue()
    assert "Traceback" not in said
    assert said.count("http_unreadable") == 20
    await answered(port, b"GET /broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert "LookupError: ours" in log.getvalue()
    await runner.cleanup()
