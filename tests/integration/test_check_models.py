"""`moim check --only llm` makes each kind of request that a meeting makes, and says what came of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.broken_endpoint import LOGIN, BrokenEndpoint, Reply
from tests.fakes.clova_studio import ClovaStudio
from tests.fakes.openai_chat import ChatServer
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.diagnostics.finding import Finding

SAID = {
    "ko": {"text": "출시일은 12월 22일로 결정되었다.", "evidence": [3]},
    "en": {"text": "The release is on December 22.", "evidence": [3]},
}


def written(language: str) -> Any:
    """What a good model writes to each request."""

    def write(body: dict[str, Any]) -> str:
        asked = json.dumps(body, ensure_ascii=False)
        if body.get("stream"):
            return "12월 22일입니다."
        if "<claims>" in asked:
            return json.dumps({"verdicts": [{"claim": 1, "verdict": "supported", "status": "decided"}]})
        if "<transcript" in asked or "key_points" in asked:
            empty: dict[str, Any] = {"topic_name": "", "key_points": [], "pending": []}
            return json.dumps({**empty, "summary": [SAID[language]], "decisions": [SAID[language]]})
        return "22"

    return write


async def found(server: ChatServer | BrokenEndpoint, language: str = "ko", **more: str) -> dict[str, Finding]:
    told = {
        "LLM_ENGINE": "openai",
        "LLM_API_KEY": "secret",
        "LLM_MODEL": "test-model",
        "MOIM_LANGUAGE": language,
    }
    settings = Settings.from_env({**told, "LLM_BASE_URL": server.base_url, **more})
    findings = await diagnose(settings, ["llm"])
    assert not any("\n" in finding.text or "secret" in finding.text for finding in findings)
    return {finding.part: finding for finding in findings}


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_works_is_told(language: str) -> None:
    async with ChatServer(writes=written(language)) as server:
        told = await found(server, language)
    assert {name: finding.state for name, finding in told.items()} == dict.fromkeys(
        ("llm", "llm stream", "llm summary", "llm verdict"), "ok"
    )
    assert "first words after" in told["llm stream"].text
    assert "without" not in "".join(finding.text for finding in told.values())


@pytest.mark.parametrize("status", [400, 500])
async def test_what_was_given_up_is_told_with_what_that_means(status: int) -> None:
    refuses = frozenset({"stream", "stream_options", "json_schema", "json_object", "system"})
    async with ChatServer(writes=written("ko"), refuses=refuses, refusal=status) as server:
        told = await found(server)
    assert all(finding.state == "ok" for finding in told.values()), told
    assert "shown only when they are whole" in told["llm stream"].text
    assert f"without json_schema ({status}" in told["llm summary"].text
    assert "JSON is asked for in words" in told["llm summary"].text
    assert "hold less firmly" in told["llm summary"].text


async def test_a_model_that_makes_no_json_and_a_verifier_that_is_too_slow() -> None:
    async with ChatServer(
        writes=lambda body: "12월 22일" if body.get("stream") else "I'd rather chat."
    ) as server:
        told = await found(server, MOIM_VERIFY_S="0.0001")
    assert told["llm stream"].state == "ok"
    assert told["llm summary"].state == "unreachable"
    assert "its replies could not be used: minutes quote" in told["llm summary"].text
    assert "later than MOIM_VERIFY_S=0.0001" in told["llm verdict"].text


async def test_a_login_page_is_told_as_that_three_times() -> None:
    async with BrokenEndpoint(Reply(LOGIN.encode(), kind="text/html")).running() as server:
        told = await found(server)
    for part, instead in (
        ("llm stream", "answers are quotes of what was said"),
        ("llm summary", "minutes quote what was said"),
        ("llm verdict", "marked as not verified"),
    ):
        assert told[part].state == "unreachable"
        assert "the language model sent a page of HTML; check LLM_BASE_URL" in told[part].text
        assert instead in told[part].text


async def test_a_list_of_models_of_a_wrong_type_is_none() -> None:
    async with ChatServer(writes=written("ko")) as server:
        server.listed = 7
        assert (await found(server))["llm"].state == "ok"


async def test_clovas_own_api_is_tried_as_well() -> None:
    def write(_model: str, body: dict[str, Any]) -> str:
        return written("ko")(
            {**body, "stream": "<claims>" not in str(body) and "key_points" not in str(body)}
        )

    async with ClovaStudio(writes=write) as studio:
        settings = {"LLM_ENGINE": "clova", "LLM_MODEL": "HCX-005", "LLM_API_KEY": studio.key}
        findings = await diagnose(Settings.from_env({**settings, "LLM_BASE_URL": studio.base_url}), ["llm"])
    assert [finding.state for finding in findings] == ["ok"] * 4, findings
