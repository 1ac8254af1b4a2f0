"""A meeting with an endpoint that sends nonsense: the minutes quote what was decided, and replay says why."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.command_line import call
from tests.fakes.broken_endpoint import LOGIN, BrokenEndpoint, Reply, events, of

TALK = {
    "ko": (
        (
            "민지: 출시일을 오늘 정해야 합니다.\n준호: 12월 22일을 제안합니다.\n"
            "민지: 좋습니다. 출시일은 12월 22일로 결정하겠습니다.\n준호: 결제 테스트 계획은 금요일까지 제가 공유하겠습니다.\n"
        ),
        "출시일은 언제인가요?",
        "출시일은 12월 22일로 결정하겠습니다",
    ),
    "en": (
        (
            "Alice: We have to set the release date today.\nBen: I propose December 22.\n"
            "Alice: Good. We decided: the release is on December 22.\nBen: I will share the test plan by Friday.\n"
        ),
        "When is the release?",
        "the release is on December 22",
    ),
}
SHAPES = {
    "a login page": (Reply(LOGIN.encode(), kind="text/html"), "a page of HTML; check LLM_BASE_URL"),
    "choices null": (of({"choices": None}), "what it sent holds no reply"),
    "a stream of nothing": (events({"choices": [{}]}), "what it sent holds no reply"),
    "a tool call": (
        of(
            {
                "choices": [
                    {"message": {"tool_calls": [{"function": {"name": "search"}}]}, "finish_reason": "stop"}
                ]
            }
        ),
        "called a tool (search) instead of answering",
    ),
}


@pytest.mark.parametrize("language", TALK)
@pytest.mark.parametrize("shape", SHAPES)
async def test_minutes_quote_and_replay_says_why(tmp_path: Path, language: str, shape: str) -> None:
    talk, question, decided = TALK[language]
    reply, why = SHAPES[shape]
    (tmp_path / "talk.txt").write_text(talk)
    async with BrokenEndpoint(reply).running() as server:
        told = {
            "LLM_ENGINE": "openai", "LLM_MODEL": "m", "LLM_API_KEY": "sk-geheim", "LLM_BASE_URL": server.base_url,
            "EMBED_ENGINE": "none", "MOIM_LANGUAGE": language,
        }  # fmt: skip
        arguments = ("replay", str(tmp_path / "talk.txt"), "--ask", question)
        done = await asyncio.to_thread(call, *arguments, cwd=tmp_path, environ={**os.environ, **told})
    out, err = done.stdout, done.stderr
    assert done.returncode == 0, err
    decisions = out.partition("## Decisions" if "## Decisions" in out else "## 결정")[2].partition("\n## ")[0]
    assert decided in decisions
    times, _, missed = err.partition("\n")
    assert "no times in it" in times
    assert missed.startswith("moim: warning: m: done without it: ")
    assert "summaries (" in err
    assert "answers (1)" in err
    assert why in err
    assert "geheim" not in err + out
    assert "Traceback" not in err
