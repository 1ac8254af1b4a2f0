"""STT_ENGINE=clova as a process comes by it: from the settings, with the words of its meeting."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from context.events import events
from tests.fakes import spoken
from tests.fakes.clova_speech import ClovaSpeechServer
from tests.fakes.meeting import meeting_at_work
from worker.bootstrap.speech_engines import speech_engine
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.participants.expected_terms import ExpectedTerms


@pytest.fixture
async def server() -> AsyncIterator[ClovaSpeechServer]:
    async with ClovaSpeechServer().running() as server:
        yield server


def settings(*pairs: str, **more: str) -> Settings:
    return Settings.from_env({"STT_ENGINE": "clova", "CLOVA_SPEECH_DOMAINS": ",".join(pairs)} | more)


@pytest.mark.parametrize(("value", "name", "also"), [(1, "김민수", "민수"), (2, "Alice Smith", "Alice")])
async def test_the_engine_of_the_settings_hears_with_the_names_of_its_meeting(
    server: ClovaSpeechServer, value: int, name: str, also: str
) -> None:
    chosen = settings(server.pair, STT_TERMS="메트포르민, Kubernetes", MOIM_WAKE_WORDS="모임아")
    async with meeting_at_work() as world, speech_engine(chosen) as engine:
        terms = ExpectedTerms(world.session, configured=chosen.stt.terms, wake_words=chosen.agent.wake_words)
        world.session.post(events.ParticipantJoined(participant_id="p", name=name, at_ms=0))
        await world.settle()
        said = [segment async for segment in engine.transcribe(spoken.stretch(value, terms=terms()))]
    assert " ".join(segment.text for segment in said if segment.final) == spoken.LINES[value][1]
    (boosting,) = server.streams[0].config["keywordBoosting"]["boostings"]
    words = boosting["words"].split(",")
    assert {name, also, "메트포르민", "Kubernetes", "모임아"} <= set(words)
    assert boosting["weight"] == 2.0


async def test_check_reaches_every_domain(server: ClovaSpeechServer) -> None:
    async with ClovaSpeechServer(secret="other").running() as second:
        finding, _speech = await diagnose(settings(server.pair, second.pair), ["stt"])
    assert (finding.state, finding.text) == ("ok", "CLOVA Speech takes the secrets (2 domains)")


async def test_check_names_the_domain_that_is_wrong(server: ClovaSpeechServer) -> None:
    wrong = f"http://{server.target}|wr0ng-secret"
    (finding,) = await diagnose(settings(server.pair, wrong), ["stt"])
    assert finding.state == "wrong"
    assert finding.text.startswith(f"CLOVA_SPEECH_DOMAINS, number 2: {server.target}: UNAUTHENTICATED")
    assert "check this domain's secret" in finding.text
    assert "wr0ng" not in finding.text


async def test_check_tells_a_domain_that_is_away_from_one_that_is_full(server: ClovaSpeechServer) -> None:
    (finding,) = await diagnose(settings(server.pair, "http://127.0.0.1:1|x"), ["stt"])
    assert finding.state == "unreachable"
    assert "CLOVA_SPEECH_DOMAINS, number 2: 127.0.0.1:1: UNAVAILABLE" in finding.text
    server.mood = "too_many"
    finding, speech = await diagnose(settings(server.pair), ["stt"])
    assert (finding.state, "1 of them full just now" in finding.text) == ("ok", True)
    assert speech.state == "ok"
    assert speech.text.startswith("not tried: the engine is full just now (")


async def test_check_sends_speech_with_terms_and_language(server: ClovaSpeechServer) -> None:
    await diagnose(settings(server.pair, STT_TERMS="메트포르민", MOIM_LANGUAGE="ko"), ["stt"])
    tried = server.streams[-1]
    assert tried.config["transcription"]["language"] == "ko"
    (boosting,) = tried.config["keywordBoosting"]["boostings"]
    assert {"메트포르민", "발생"} <= set(boosting["words"].split(","))
    assert len(tried.sound) > 3 * 32_000


async def test_a_refused_configuration_is_named(server: ClovaSpeechServer) -> None:
    server.mood = "config_failure"
    (finding,) = await diagnose(settings(server.pair), ["stt"])
    assert finding.state == "wrong"
    assert "refuses the configuration: Failure" in finding.text


async def test_grpc_is_loaded_by_those_alone_who_use_it() -> None:
    program = (
        "import sys, worker.configuration.settings, worker.bootstrap.parts, worker.participants.tracks, stt.providers.clova.engine as e;"
        "e.ClovaSpeech([]); sys.exit('grpc' in sys.modules or 'google.protobuf' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    assert await process.wait() == 0
