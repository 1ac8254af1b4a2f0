"""A meeting with CLOVA Studio: HCX-007 summarises, HCX-003 judges, HCX-005 answers, each within its window."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import call
from tests.fakes.clova_studio import ClovaStudio, Failure

MEETINGS = Path(__file__).parent.parent / "data" / "meetings"
_LINE = re.compile(r"^\[#(\d+)\] \([\d:]+\) [^:]+: (.+)$", re.MULTILINE)


def obliging(model: str, body: dict[str, Any]) -> str:
    """Says what the prompt says: a model without imagination."""
    prompt = body["messages"][-1]["content"]
    lines = [(int(number), text) for number, text in _LINE.findall(prompt)]
    if "topic_changed" in json.dumps(body, ensure_ascii=False):
        return '{"topic_changed": false, "confidence": 0.9}'
    if "key_points" in json.dumps(body, ensure_ascii=False):
        said = [{"text": text, "evidence": [number]} for number, text in lines[:3]]
        summary = {
            "topic_name": "출시",
            "summary": said,
            "key_points": said[:1],
            "decisions": [],
            "pending": [],
        }
        return json.dumps(summary, ensure_ascii=False)
    return "".join(f"{text} [#{number}]\n" for number, text in lines[:2])


async def replay(studio: ClovaStudio, name: str, *, question: str, environ: dict[str, str]) -> dict[str, Any]:
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("LLM_", "CONTEXT_"))},
        "STT_ENGINE": "none", "LLM_ENGINE": "clova", "LLM_MODEL": "HCX-005", "LLM_API_KEY": studio.key,
        "LLM_BASE_URL": studio.base_url, **environ,
    }  # fmt: skip
    told = json.loads((MEETINGS / f"{name}.json").read_text(encoding="utf-8"))
    path = Path(environment["MOIM_STATE_DIR"]) / "lines.jsonl"
    path.write_text(
        "".join(
            json.dumps({"speaker": line["speaker"], "text": line["text"]}, ensure_ascii=False) + "\n"
            for line in told["lines"]
        ),
        encoding="utf-8",
    )
    arguments = ("replay", str(path), "--ask", question, "--json")
    done = await asyncio.to_thread(call, *arguments, cwd=path.parent, environ=environment)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


BOTH = pytest.mark.parametrize(("name", "question"), [
    ("ko-release-planning", "출시일은 언제로 정했나요?"), ("en-sprint-review", "What did we decide about the release?"),
])  # fmt: skip


def asked_of(studio: ClovaStudio, model: str) -> list[dict[str, Any]]:
    return [body for path, body in studio.requests if path.endswith(f"chat-completions/{model}")]


@BOTH
async def test_each_work_goes_to_its_model(name: str, question: str, tmp_path: Path) -> None:
    async with ClovaStudio(writes=obliging) as studio:
        document = await replay(studio, name, question=question, environ={"MOIM_STATE_DIR": str(tmp_path)})
        summaries, answers = asked_of(studio, "HCX-007"), asked_of(studio, "HCX-005")
        assert summaries
        assert all("responseFormat" in body for body in summaries)
        assert not any("responseFormat" in body for body in answers)
    assert len(answers) == len(document["replies"])
    assert all(reply["evidence"] and not reply["degraded"] for reply in document["replies"])
    assert any(topic["name"] == "출시" or topic["summary"] for topic in document["topics"])


async def test_small_windows_all_around(tmp_path: Path) -> None:
    """Seed 000 §10.5: HCX-003 summarises too. Nothing that is sent is refused as too long."""
    environ = {"MOIM_STATE_DIR": str(tmp_path), "LLM_MODEL": "HCX-003", "CONTEXT_SUMMARY_MODEL": "HCX-003"}
    async with ClovaStudio(writes=obliging) as studio:
        document = await replay(
            studio, "ko-release-planning", question="출시일은 언제로 정했나요?", environ=environ
        )
        assert {path.rpartition("/")[2] for path, _ in studio.requests} == {"HCX-003"}
    assert not document["replies"][0]["degraded"]
    assert document["topics"][0]["summary"]


async def test_a_studio_that_is_down_is_stood_in_for(tmp_path: Path) -> None:
    async with ClovaStudio() as studio:
        for _ in range(40):
            studio.will(Failure(503, "50000"))
        document = await replay(
            studio,
            "en-sprint-review",
            question="What did we decide about the release?",
            environ={"MOIM_STATE_DIR": str(tmp_path)},
        )
    assert document["replies"][0]["degraded"]
    assert document["replies"][0]["evidence"]
    assert all(topic["summary"] for topic in document["topics"])
