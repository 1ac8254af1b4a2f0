"""What servers keep of a prompt that they have read: the rules stand first, byte by byte the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import pytest

from context.budget import EstimateTokenizer
from context.corpora import Passage
from context.effects import JudgeTopic, Summarise
from context.evidence.verdicts import Claim
from context.models import Statement, Summary, TopicSegment, Utterance
from context.ports import ChatMessage, PortError
from context.thread.messages import Message
from context.thread.writing import generate_summary
from tests.fakes.llm import ScriptedModel
from tests.unit.agent.meetings import said
from worker.agent.calling import CalledModel
from worker.agent.compressing import PassageCompressor
from worker.agent.judging import TopicJudge
from worker.agent.summarising import Summariser
from worker.agent.verifying import Verifier

TALK = {
    "ko": (
        said([("a", "민지", "출시일은 12월 22일로 하죠."), ("b", "지호", "네, 그렇게 정했습니다.")]),
        said([("c", "수아", "예산은 삼천만 원을 넘지 않습니다.")], first=30),
    ),
    "en": (
        said([("a", "Ben", "We launch on 22 December."), ("b", "Kim", "Yes, that is decided.")]),
        said([("c", "Ann", "The budget stays below 30,000 euros.")], first=30),
    ),
}
TOKENS = EstimateTokenizer()


async def summary(model: CalledModel, talk: Sequence[Utterance], language: str) -> None:
    await _summary(model, talk, language, Summary())


async def later_summary(model: CalledModel, talk: Sequence[Utterance], language: str) -> None:
    last = Statement(text=talk[0].text, evidence=(talk[0].id,))
    await _summary(model, talk, language, Summary(text=last.text, sentences=(last,), decisions=(last,)))


async def _summary(model: CalledModel, talk: Sequence[Utterance], language: str, notes: Summary) -> None:
    topic = TopicSegment(
        id="t1", name=talk[0].speaker_name, start_utterance_id=1, end_utterance_id=talk[-1].id, notes=notes
    )
    effect = Summarise(topic=topic, version=1, reason="closing", utterances=tuple(talk))
    await Summariser(model, tokenizer=TOKENS).summarise(effect, language=language)


async def topic(model: CalledModel, talk: Sequence[Utterance], _language: str) -> None:
    effect = JudgeTopic(at_utterance=1, recent=tuple(talk), previous_topic_summary=talk[0].text)
    await TopicJudge(model).judge(effect)


async def thread(model: CalledModel, talk: Sequence[Utterance], language: str) -> None:
    told = [Message(role="user", content=each.text) for each in talk]
    with suppress(PortError):
        await generate_summary(told, 50 * len(talk), model=model, previous=talk[0].text, language=language)


async def abstract(model: CalledModel, talk: Sequence[Utterance], _language: str) -> None:
    passages = [
        Passage(corpus="document", source_id="d", position=n, text=each.text * 20, title="t")
        for n, each in enumerate(talk)
    ]
    await PassageCompressor(TOKENS, model).compress(
        passages, talk[0].text, target_tokens=20 + 5 * len(talk), strategy="abstractive"
    )


async def verdicts(model: CalledModel, talk: Sequence[Utterance], language: str) -> None:
    claims = [Claim(text=each.text, evidence=(each.id,)) for each in talk]
    await Verifier(model, tokenizer=TOKENS).verify(claims, talk, language=language, within_s=1)


Asking = Callable[[CalledModel, Sequence[Utterance], str], Coroutine[Any, Any, None]]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("asking", [summary, later_summary, topic, thread, abstract, verdicts])
async def test_rules_stand_first_and_are_the_same_from_call_to_call(asking: Asking, language: str) -> None:
    first, second = [await _sent(asking, talk, language) for talk in TALK[language]]
    assert [message.role for message in first] == ["system", "user"]
    assert first[0] == second[0]
    assert first[1] != second[1]
    for talk in TALK[language]:
        assert not any(each.text in first[0].content for each in talk)
    assert TOKENS.count(first[0].content) > 60


async def _sent(asking: Asking, talk: Sequence[Utterance], language: str) -> list[ChatMessage]:
    model = ScriptedModel([json.dumps({"summary": talk[0].text})])
    await asking(CalledModel(model), talk, language)
    return model.calls[0]
