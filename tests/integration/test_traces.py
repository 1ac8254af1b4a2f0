"""Spans in real protobuf at a real socket, and what a collector that is away, slow or another server costs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from livekit.agents.telemetry import tracer as livekits_tracer
from opentelemetry import trace as opentelemetry
from opentelemetry.sdk.trace import TracerProvider
from structlog.testing import capture_logs

from context.events import events
from context.fold.window import RoughTokenizer
from context.question import Question
from tests.fakes.broken_endpoint import BrokenEndpoint, Reply
from tests.fakes.collector import Collector, Mood
from tests.fakes.meeting import SETTINGS, LoopClock, World, meeting_at_work
from tests.fakes.waiting import until
from worker.adapters.otlp_spans import FLUSHED_WITHIN_S
from worker.bootstrap.thinking import Thinking
from worker.bootstrap.traces import spans
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.embedded.child import free_port
from worker.monitoring.metrics import Metrics
from worker.monitoring.spans import Span, SpanPart, Spans, Trace
from worker.monitoring.tracing import TracingObserver

SAID = "출시일은 11월 20일로 결정하겠습니다. 두루미재단과 Heronwood also heard it."
QUESTION = "출시일이 언제로 결정됐어? Heronwood"
QUICK = {"OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER"):
        monkeypatch.delenv(name, raising=False)


def set_up(monkeypatch: pytest.MonkeyPatch, url: str, **more: str) -> Settings:
    for name, value in {"OTEL_EXPORTER_OTLP_ENDPOINT": url, **QUICK, **more}.items():
        monkeypatch.setenv(name, value)
    return Settings.load(Path("/dev/null"))


def span_of(number: int) -> Span:
    trace = Trace("default", "m-1", "turn", str(number))
    return Span(trace, 1_000, 3_000, {"moim.utterance": number}, (SpanPart("commit", 1_000, 2_000),))


@asynccontextmanager
async def told(settings: Settings) -> AsyncIterator[Spans]:
    async with spans(settings) as opened:
        assert opened is not None
        yield opened


@asynccontextmanager
async def traced(settings: Settings) -> AsyncIterator[World]:
    """A meeting at work whose spans go where the settings say."""
    async with told(settings) as opened:

        def observer(meeting: Any) -> TracingObserver:
            return TracingObserver(Metrics(), opened, meeting, tenant="acme", epoch=1, clock=LoopClock())

        thinker = Thinking(None, RoughTokenizer(), SETTINGS)
        async with meeting_at_work(observer_of=observer, thinker=thinker) as world:
            yield world


async def test_a_meeting_is_told_to_a_collector_as_it_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector().running() as collector:
        settings = set_up(
            monkeypatch,
            collector.url,
            OTEL_EXPORTER_OTLP_HEADERS="x-api-key=s3cret%20key,other=1",
            OTEL_RESOURCE_ATTRIBUTES="deployment.environment=test",
        )
        async with traced(settings) as world:
            await world.say(SAID, "We decided to buy the second server.")
            now_ms = world.session.now_ms()
            question = Question(
                id="voice:minji:TR_x@100", by="minji", via="voice", text=QUESTION, at_ms=now_ms
            )
            world.session.post(events.QuestionAsked(question=question))
            await world.settle()
            (reply,) = world.session.manager.meeting.replies
    assert {span.attributes["moim.utterance"] for span in collector.of("turn")} == {1, 2}
    (answer,) = collector.of("answer")
    assert not answer.parent_id
    assert answer.attributes["moim.meeting"] == "m-test"
    assert answer.attributes["moim.outcome"] == "given"
    names = [part.name for part in collector.parts(answer)]
    assert names[0] == "read"
    assert names[-1] == "publish"
    assert {"retrieve", "generate_answer"} <= set(names)
    turns = {span.attributes["moim.utterance"]: span for span in collector.of("turn")}
    assert reply.evidence
    assert [link for *link, _ in answer.links] == [
        [turns[number].trace_id, turns[number].span_id] for number in reply.evidence
    ]
    printed = list(collector.lines())
    assert [line.split()[-1] for line in printed if "cites turn" in line] == [
        turns[number].trace_id for number in reply.evidence
    ]
    assert {turn.trace_id for turn in turns.values()} <= {line.split()[0] for line in printed}
    assert len({span.span_id for span in collector.spans}) == len(collector.spans)
    assert collector.scopes == {"moim"}
    assert {resource["service.name"] for resource in collector.resources} == {"moim"}
    assert {resource["deployment.environment"] for resource in collector.resources} == {"test"}
    assert {headers["x-api-key"] for headers in collector.headers} == {"s3cret key"}
    for body in collector.bodies:
        for word in (SAID, QUESTION, "Heronwood", "두루미", "minji", "Minji", "TR_x", "s3cret", "server"):
            assert word.encode() not in body, word
    assert all(span.events == 0 and span.status[1] == "" for span in collector.spans)


async def test_the_collector_prints_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector().running() as collector:
        async with told(set_up(monkeypatch, collector.url)) as opened:
            opened.emit(span_of(1))
            opened.emit(replace(span_of(2), failed=True))
        wholes = [line for line in collector.lines() if " turn " in line]
    assert [line.endswith("FAILED") for line in wholes] == [False, True]


async def test_the_standards_variables_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector().running() as collector:
        settings = set_up(
            monkeypatch,
            collector.url,
            OTEL_SERVICE_NAME="회의록",
            OTEL_EXPORTER_OTLP_COMPRESSION="gzip",
            OTEL_TRACES_SAMPLER="traceidratio",
            OTEL_TRACES_SAMPLER_ARG="0.25",
        )
        async with told(settings) as opened:
            for number in range(400):
                opened.emit(span_of(number))
    turns = len(collector.of("turn"))
    assert 60 < turns < 140, "a quarter, give or take"
    assert len(collector.of("commit")) == turns, "whole traces"
    assert {resource["service.name"] for resource in collector.resources} == {"회의록"}


@pytest.mark.parametrize(
    "off",
    [
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_SDK_DISABLED": "true"},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_TRACES_SAMPLER": "always_off"},
    ],
)
async def test_off_is_off(off: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector().running() as collector:
        settings = set_up(monkeypatch, collector.url, **off)
        async with spans(settings) as opened:
            if opened is not None:
                opened.emit(span_of(1))
    assert collector.spans == []
    assert (opened is None) == ("OTEL_TRACES_SAMPLER" not in off)


def test_who_has_no_traces_pays_nothing() -> None:
    script = """
        import asyncio, sys, threading
        from worker.bootstrap.traces import spans
        from worker.configuration.settings import Settings
        async def look():
            async with spans(Settings.from_env({})) as opened:
                assert opened is None
        asyncio.run(look())
        found = sorted(name for name in sys.modules if name.split(".")[0] in {"opentelemetry", "requests"})
        print(found, threading.active_count())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] 1"


async def test_spans_of_other_libraries_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """livekit-agents opens a span around each job, with its room's name; LiveKit Cloud has a provider there."""
    theirs = TracerProvider(shutdown_on_exit=False)
    before = opentelemetry.get_tracer_provider()
    async with Collector().running() as collector:
        settings = set_up(monkeypatch, collector.url)
        async with told(settings) as opened:
            with theirs.get_tracer("other").start_as_current_span("job_entrypoint 두루미재단"):
                opened.emit(span_of(1))
                with livekits_tracer.start_as_current_span("room_connect", attributes={"name": "두루미재단"}):
                    opened.emit(span_of(2))
                with opentelemetry.get_tracer("langchain").start_as_current_span("두루미재단"):
                    pass
            assert opentelemetry.get_tracer_provider() is before
    assert [span.name for span in collector.spans if not span.parent_id] == ["turn", "turn"]
    assert len({span.trace_id for span in collector.spans}) == 2
    assert {span.name for span in collector.spans} == {"turn", "commit"}


async def test_a_collector_that_is_away_is_told_once_and_once_more_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    settings = set_up(monkeypatch, f"http://secret-user:s3cret@127.0.0.1:{port}")
    with capture_logs() as logs:
        async with told(settings) as opened:
            for number in range(3):
                opened.emit(span_of(number))
                await asyncio.sleep(1.3)
            async with Collector().running(port) as collector:
                opened.emit(span_of(4))
                await until(lambda: collector.spans, within_s=10)
    away, back = (line for line in logs if line["event"].startswith("traces"))
    assert (away["event"], away["log_level"]) == ("traces_not_taken", "warning")
    assert "nothing listens there" in away["why"]
    assert away["collector"] == f"127.0.0.1:{port}/v1/traces"
    assert back["event"] == "traces_taken_again"
    assert back["lost"] >= 1
    assert not caplog.records, "the SDK's own lines"
    assert "s3cret" not in repr(logs)


@pytest.mark.parametrize("mood", ["401", "redirect", "login"])
async def test_what_is_no_collector_is_told_without_its_words(
    mood: Mood, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with Collector(mood).running() as collector:
        settings = set_up(monkeypatch, collector.url)
        with capture_logs() as logs:
            async with told(settings) as opened:
                for number in range(3):
                    opened.emit(span_of(number))
                    await asyncio.sleep(0.2)
    (line,) = (line for line in logs if line["event"].startswith("traces"))
    assert line["event"] == "traces_not_taken"
    assert "own words" not in line["why"]
    assert not caplog.records


async def test_a_collector_that_hangs_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector("hang").running() as collector:
        settings = set_up(monkeypatch, collector.url, OTEL_EXPORTER_OTLP_TIMEOUT="30")
        with capture_logs() as logs:
            async with told(settings) as opened:
                opened.emit(span_of(0))
                await until(lambda: collector.headers, within_s=10)
                began_s = time.thread_time()
                for number in range(5_000):  # more than the queue holds
                    opened.emit(span_of(number))
                emitted_s = time.thread_time() - began_s
                began_s = time.monotonic()
            closed_s = time.monotonic() - began_s
    (line,) = (line for line in logs if line["event"].startswith("traces"))
    assert line["event"] == "traces_not_taken"
    assert "slower" in line["why"]
    assert emitted_s < 2.5, "half a millisecond each, at most"
    assert closed_s < FLUSHED_WITHIN_S + 1


async def test_what_is_on_its_way_is_sent_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Collector().running() as collector:
        settings = set_up(monkeypatch, collector.url, OTEL_BSP_SCHEDULE_DELAY="60000")
        async with told(settings) as opened:
            for number in range(700):  # more than one batch
                opened.emit(span_of(number))
    assert len(collector.of("turn")) == 700


@pytest.mark.parametrize(
    ("mood", "state", "text"),
    [
        ("well", "ok", "/v1/traces takes traces"),
        ("401", "wrong", "it answers 401"),
        ("503", "unreachable", "it answers 503"),
        ("redirect", "wrong", "it answers 302"),
        ("login", "wrong", "a page for people"),
    ],
)
async def test_check_says_whether_the_collector_takes_traces(
    mood: Mood, state: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Collector(mood).running() as collector:
        settings = set_up(monkeypatch, collector.url, OTEL_EXPORTER_OTLP_HEADERS="x-api-key=s3cret")
        (finding,) = await diagnose(settings, ["traces"])
    assert (finding.part, finding.state) == ("traces", state)
    assert text in finding.text
    assert mood == "well" or finding.text.startswith("OTEL_EXPORTER_OTLP_ENDPOINT, http://127.0.0.1:")
    assert "s3cret" not in finding.text
    assert collector.headers[0]["x-api-key"] == "s3cret"
    assert collector.spans == []


async def test_an_answer_without_an_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Reply(body=b"x" * 65_536, repeats=0)
    async with BrokenEndpoint(endless).running() as endpoint:
        settings = set_up(monkeypatch, endpoint.base_url, OTEL_EXPORTER_OTLP_TIMEOUT="60")
        async with told(settings) as opened:
            for number in range(3):
                opened.emit(span_of(number))
                await until(lambda number=number: len(endpoint.bodies) > number, within_s=10)
    assert endpoint.sent < 64 * 1024 * 1024, "what the system's buffers take"


async def test_a_token_in_an_address_is_told_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for port in (free_port(), 1):
        address = f"http://127.0.0.1:{port}/v1/traces?token=s3cret"
        settings = set_up(monkeypatch, "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=address)
        (finding,) = await diagnose(settings, ["traces"])
        assert f"127.0.0.1:{port}/v1/traces" in finding.text
        assert "s3cret" not in finding.text


async def test_check_says_that_nobody_is_there_and_that_traces_are_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = set_up(monkeypatch, f"http://me:s3cret@127.0.0.1:{free_port()}")
    (finding,) = await diagnose(settings, ["traces"])
    assert finding.state == "unreachable"
    assert "nothing listens there" in finding.text
    assert "s3cret" not in finding.text
    (off,) = await diagnose(Settings.from_env({}), ["traces"])
    assert (off.state, off.text) == ("ok", "OTEL_EXPORTER_OTLP_ENDPOINT is not set: no traces")
