"""While an answer is made, everybody who watches the meeting reads what the agent is doing; not of a private one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Page

from tests.acceptance.browser import chromium, spoken
from tests.acceptance.stack import Stack
from tests.acceptance.talks import EN, KO, Talk, killed_in_the_end, watched
from tests.fakes.openai_chat import ChatServer, Script
from worker.bootstrap import streams
from worker.messages import AskMessage

pytestmark = [pytest.mark.browser]

_THINKS_S: Final = 4.0
QUESTIONS: Final = (
    (KO, "출시일이 언제로 결정됐어요?", "출시일은 12월 22일로 결정되었습니다. [#1]"),
    (EN, "When do we ship?", "We ship on the 22nd. [#1]"),
)


class SlowModel(ChatServer):
    """Thinks for four seconds before it answers a question; whatever else it is asked it knows nothing of."""

    says = ""

    def _next(self, body: dict[str, Any]) -> Script:
        return Script((self.says,), pause_s=_THINKS_S) if body.get("stream") else Script(("{}",))


async def ask(talk: Talk, id_: str, text: str, *, private: bool) -> None:
    async with streams.bus(talk.settings) as bus:
        await bus.ask(talk.id, AskMessage(id=id_, by="ana", text=text, private=private))


async def seen(page: Page) -> list[str]:
    """What the page says that the agent is doing, as often as it changes, from now on until it says nothing."""
    return list(
        await page.evaluate(
            """async (thinks_ms) => {
              const line = document.querySelector(".doing");
              const said = [];
              for (let waited = 0; waited < 3 * thinks_ms; waited += 50) {
                const text = line.textContent;
                if (text !== (said.at(-1) ?? "")) said.push(text);
                if (said.length > 1 && text === "") break;
                await new Promise((done) => setTimeout(done, 50));
              }
              return said;
            }""",
            1000 * _THINKS_S,
        )
    )


@pytest.mark.parametrize(("lines", "question", "answer"), QUESTIONS, ids=["ko", "en"])
async def test_what_the_agent_is_doing_is_told_to_those_who_watch(
    stack: Stack, tmp_path: Path, lines: tuple[str, ...], question: str, answer: str
) -> None:
    async with SlowModel() as model:
        model.says = answer
        async with (
            chromium(spoken(tmp_path / "said.wav")) as browser,
            killed_in_the_end(
                stack, "worker", "--text", MOIM_STATE_DIR=str(tmp_path / "w"), **model.settings
            ),
        ):
            it = await watched(stack, browser, lines)
            await ask(it.talk, "private-1", question, private=True)
            assert await asyncio.gather(seen(it.page), seen(it.other)) == [[], []]
            assert any(each.get("stream") for each in model.requests), "it was asked"
            await ask(it.talk, "open-1", question, private=False)
            assert await asyncio.gather(seen(it.page), seen(it.other)) == [
                ["Moim is writing an answer …", ""],
                ["모임이 답변을 쓰고 있습니다…", ""],
            ]
            document = await stack.document(it.talk.id)
            assert "doing" not in document
            assert it.problems == []
