"""An answer is as long as a chat bears, ends with a sentence and says that it is cut; the model is left then."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from tests.fakes.llm import ScriptedModel
from tests.fakes.verifiers import verifier
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.worker.agent.graph.answers import GOOD, question_context
from tests.unit.worker.agent.meetings import Room, asked, meeting_of
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.graph.answering import Answerer
from worker.agent.graph.responding import LONGEST_CHARS
from worker.agent.reply.speaking import notice

pytestmark = in_virtual_time


WORDS = {
    "ko": ["그리고", "또한", "다시", "아울러", "역시", "결국", "우선", "이제", "정말", "물론"],
    "en": ["and", "also", "again", "besides", "indeed", "finally", "really", "now", "surely", "so"],
}


def lines(language: str, most: int) -> list[str]:
    """The same sentence, begun otherwise each time: a number would be a fault, and the same line is a loop."""
    raw, _ = GOOD[language]
    begun = itertools.product(WORDS[language], repeat=3)
    return [f"{' '.join(words)} {raw[0].lower()}{raw[1:]}\n" for words in itertools.islice(begun, most)]


async def answer(script: list[str], language: str) -> tuple[str, Room, ScriptedModel]:
    room, model = Room(), ScriptedModel(script)
    answerer = Answerer(
        CalledModel(model),
        question_context(language),
        deadlines=Deadlines(first_token_s=5, answer_s=10),
        clock=asyncio.get_running_loop().time,
        verifier=verifier(),
    )
    reply = await answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 9750)
    return reply.text, room, model


@BOTH
@pytest.mark.parametrize("step", ["letters", "at once"])
async def test_a_model_that_goes_on_is_cut_at_a_sentence(language: str, step: str) -> None:
    _, shown = GOOD[language]
    endless = "".join(lines(language, 1_000))
    script = [endless[at : at + 40] for at in range(0, len(endless), 40)] if step == "letters" else [endless]
    text, room, model = await answer(script, language)
    assert text == room.text
    told, mark, _ = text.partition(f"\n\n{notice('cut', language)}")
    assert mark
    assert LONGEST_CHARS - 1_000 < len(told) <= LONGEST_CHARS
    assert told.rstrip().endswith(shown[1:])
    assert model.closed, "nothing more is asked of it"


@BOTH
async def test_what_has_no_end_and_nothing_to_show_is_left_too(language: str) -> None:
    text, _, model = await answer(["x" * 300] * 100_000, language)
    assert model.closed
    assert len(text) < LONGEST_CHARS


@BOTH
async def test_a_long_answer_within_the_bound_is_whole(language: str) -> None:
    text, _, model = await answer(lines(language, 50), language)
    assert notice("cut", language) not in text
    assert not model.closed
