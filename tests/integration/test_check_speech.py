"""`moim check --only stt` has a few seconds of plain speech recognised, in the meeting's language."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from stt.engine.protocol import VERSION
from stt.engine.speech_server import EngineServer
from stt.providers.whisper_weights import packaged_installed
from tests.fakes.listening import listen
from tests.fakes.recogniser import ScriptedRecogniser
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.diagnostics.finding import Finding

CACHE = Path(__file__).parents[2] / ".cache"


async def found(**environ: str) -> dict[str, Finding]:
    findings = await diagnose(Settings.from_env(environ), ["stt"])
    assert not any("\n" in finding.text or "secret" in finding.text for finding in findings)
    return {finding.part: finding for finding in findings}


@pytest.mark.speech
@pytest.mark.skipif(not packaged_installed(), reason="needs the offline extra (moim[offline])")
@pytest.mark.parametrize(
    ("language", "words"), [("ko", ["발생"]), ("en", ["server"]), ("auto", ["발생", "server"])]
)
async def test_the_local_engine_is_heard_at_work(tmp_path: Path, language: str, words: list[str]) -> None:
    own = {"MOIM_STATE_DIR": str(tmp_path), "MOIM_CACHE_DIR": str(CACHE)}
    told = await found(MOIM_LANGUAGE=language, **own)
    assert told["stt"].state == told["stt speech"].state == "ok", told
    assert told["stt speech"].text.startswith("whisper-base heard “")
    assert all(word in told["stt speech"].text for word in words)
    assert "charges" not in told["stt speech"].text


@pytest.mark.speech
@pytest.mark.skipif(not packaged_installed(), reason="needs the offline extra (moim[offline])")
@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"STT_COMPUTE_TYPE": "float16"}, "this machine's cpu does not compute with it"),
        ({"STT_MODEL": "broken"}, "can't be loaded on the cpu"),
    ],
)
async def test_the_settings_are_tried_and_not_an_engine_that_runs_by_others(
    tmp_path: Path, environ: dict[str, str], told: str
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (broken / name).write_bytes(b"no model")
    environ = {name: value.replace("broken", str(broken)) for name, value in environ.items()}
    state = tmp_path / "state"
    state.mkdir()
    running = EngineServer(ScriptedRecogniser(), state / f"engine-{VERSION}.sock")
    async with asyncio.TaskGroup() as group:
        group.create_task(running.serve())
        await running.ready.wait()
        tried = (await found(MOIM_STATE_DIR=str(state), MOIM_CACHE_DIR=str(CACHE), **environ))["stt speech"]
        assert (state / f"engine-{VERSION}.sock").exists()
        running.stop()
    assert tried.state == "wrong"
    assert told in tried.text


async def test_without_an_engine_nothing_is_tried() -> None:
    assert (await found(STT_ENGINE="none")).keys() == {"stt"}


async def test_a_model_that_is_not_here_is_not_downloaded(tmp_path: Path) -> None:
    told = await found(STT_MODEL="large-v3", MOIM_CACHE_DIR=str(tmp_path), MOIM_STATE_DIR=str(tmp_path))
    assert told["stt speech"].state == "ok"
    assert told["stt speech"].text.startswith("not tried: STT_MODEL='large-v3' is downloaded when")
    assert list(tmp_path.iterdir()) == []


@asynccontextmanager
async def endpoint(*, status: int = 200, **said: str) -> AsyncIterator[dict[str, str]]:
    """The settings of an endpoint that answers with these words by the language that it is asked for."""

    async def transcribe(request: web.Request) -> web.Response:
        form = await request.post()
        if "file" not in form:
            return web.json_response({"error": "no file"}, status=400)
        text = said.get(str(form.get("language", "any")), "")
        return web.json_response({"text": text} if status == 200 else {"error": "no"}, status=status)

    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", transcribe)
    runner, url = await listen(app)
    try:
        yield {"STT_ENGINE": "openai", "STT_BASE_URL": f"{url}/v1", "STT_API_KEY": "secret"}
    finally:
        await runner.cleanup()


async def test_an_endpoint_is_sent_speech_and_that_it_may_cost_is_said() -> None:
    async with endpoint(ko="다시 발생하지 않게 하려면 어떻게 해야 합니까") as settings:
        told = await found(MOIM_LANGUAGE="ko", **settings)
    assert told["stt speech"].state == "ok"
    assert "heard “다시 발생하지 않게 하려면 어떻게 해야 합니까” (ko, 3.4 s in" in told["stt speech"].text
    assert told["stt speech"].text.endswith("; a paid engine charges for these 3 s")


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("ko", "", "nothing in 3.4 s of speech (ko: “다시 발생하지"),
        ("ko", "Thank you for watching.", "does the model know MOIM_LANGUAGE='ko'?"),
        ("en", "Tatsi palsenghaji anke", "does the model know MOIM_LANGUAGE='en'?"),
    ],
)
async def test_a_model_of_another_language_is_wrong(language: str, text: str, told: str) -> None:
    async with endpoint(**{language: text}) as settings:
        findings = await found(MOIM_LANGUAGE=language, **settings)
    assert findings["stt"].state == "ok"
    assert findings["stt speech"].state == "wrong"
    assert told in findings["stt speech"].text


async def test_a_model_of_one_language_is_told_where_both_are_spoken() -> None:
    async with endpoint(any="That is fine. We will add a second server this week.") as settings:
        told = (await found(**settings))["stt speech"]
    assert told.state == "ok"
    assert "does not understand ko: set MOIM_LANGUAGE" in told.text


@pytest.mark.parametrize(("status", "state"), [(400, "wrong"), (401, "wrong"), (429, "unreachable")])
async def test_an_endpoint_that_refuses_speech_is_told(status: int, state: str) -> None:
    async with endpoint(status=status) as settings:
        told = await found(MOIM_LANGUAGE="ko", **settings)
    assert told["stt"].state == "ok"
    assert told["stt speech"].state == state, told
