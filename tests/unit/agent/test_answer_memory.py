"""The answer cache at work: through the graph, with an embedder beside it, and with none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from context.answer_cache import LookUp
from context.answer_cache.likeness import CALIBRATIONS
from context.budget import EstimateTokenizer
from context.config import ContextConfig
from context.events import MeetingStarted
from context.features import Features
from context.manager import ContextManager
from context.models import Invocation, Reply
from context.ports import Unavailable
from context.vectors import Vectors
from tests.fakes.embedder import FakeEmbedder
from tests.unit.agent.meetings import EN, KO, Room
from tests.unit.context.meetings import START, spoken
from worker.agent.answer_memory import CachedAnswers
from worker.agent.answering import Answerer
from worker.agent.desk import DeskSettings
from worker.agent.graph.parts import AnswerParts, AskedIn, NewAnswer

ASKED = {
    "ko": ("출시일이 언제로 결정됐지?", "출시일은 언제로 결정됐어?"),
    "en": ("Who is ordering the server?", "Who's ordering the server?"),
}
NEWER = {"ko": "출시일은 십이월 이십사일로 바꾸겠습니다.", "en": "Alice will order the server instead."}
LANGUAGES = pytest.mark.parametrize("language", ["ko", "en"])
ON = Features()
ENCODER = CALIBRATIONS[0].encoder


@dataclass
class Close(FakeEmbedder):
    """To which all questions are as close as .99."""

    name: str = ENCODER

    async def embed_query(self, text: str) -> Vectors:
        await super().embed_query(text)
        first = any(text == one for one, _ in ASKED.values())
        return np.array([1.0, 0.0] if first else [0.99, math.sqrt(1 - 0.99**2)], dtype=np.float32)


def meeting(language: str) -> ContextManager:
    manager = ContextManager("m1")
    manager.meeting.receive(MeetingStarted(at=START))
    for number, (who, name, text) in enumerate(KO if language == "ko" else EN):
        said(manager, number, text, who, name)
    return manager


def said(manager: ContextManager, number: int, text: str, who: str = "x", name: str = "Dana") -> None:
    event = spoken(number, text, who)
    manager.meeting.receive(event.model_copy(update={"speaker_name": name}))


def where(question: str, language: str, **changed: object) -> AskedIn:
    place = {
        "question": question,
        "meeting_id": "m1",
        "asker": "minji",
        "language": language,
        "now_ms": 60_000,
    }
    return AskedIn.model_validate({**place, **changed})


GIVEN = NewAnswer(text="the answer", evidence=(3,), quality=0.9, tokens=600, took_ms=1500.0)


@LANGUAGES
async def test_what_was_kept_is_found_in_other_words_until_something_newer_is_said(language: str) -> None:
    told: list[LookUp] = []
    answers, manager = CachedAnswers(Close(), on_look_up=told.append), meeting(language)
    question, again = ASKED[language]
    assert await answers.find(where(question, language), manager, ON) is None
    await answers.keep(where(question, language), GIVEN, manager, ON)
    hit = await answers.find(where(again, language, asker="junho"), manager, ON)
    assert hit is not None
    assert (hit.text, hit.evidence, hit.quality, hit.tokens_saved) == ("the answer", (3,), 0.9, 600)
    said(manager, 9, NEWER[language])
    assert await answers.find(where(again, language), manager, ON) is None
    assert [(each.hit, each.guard) for each in told] == [(False, None), (True, None), (False, "newer")]


@LANGUAGES
async def test_what_was_said_while_the_answer_was_made_counts_as_newer(language: str) -> None:
    answers, manager = CachedAnswers(), meeting(language)
    question, _ = ASKED[language]
    asked = where(question, language, after_utterance=5)
    said(manager, 9, NEWER[language])
    await answers.keep(asked, GIVEN, manager, ON)
    assert await answers.find(where(question, language), manager, ON) is None


@LANGUAGES
async def test_an_embedder_is_asked_only_where_it_could_say_yes(language: str) -> None:
    embedder = Close()
    answers, manager = CachedAnswers(embedder), meeting(language)
    question, again = ASKED[language]
    await answers.keep(where(question, language), GIVEN, manager, ON)
    assert embedder.asked == [question]
    await answers.find(where(question, language), manager, ON)
    await answers.find(
        where({"ko": "예산은 얼마야?", "en": "What is the budget?"}[language], language), manager, ON
    )
    assert embedder.asked == [question]
    await answers.find(where(again, language), manager, ON)
    assert embedder.asked == [question, again]


@LANGUAGES
async def test_an_embedder_that_is_away_or_unknown_leaves_the_same_words(language: str) -> None:
    question, again = ASKED[language]
    for embedder in (Close(trouble=Unavailable("down")), Close(name="unheard of")):
        answers, manager = CachedAnswers(embedder), meeting(language)
        await answers.keep(where(question, language), GIVEN, manager, ON)
        assert await answers.find(where(again, language), manager, ON) is None
        assert await answers.find(where(question, language), manager, ON) is not None
        assert embedder.asked == []


@LANGUAGES
async def test_other_flags_make_other_answers_and_style_is_varied_where_it_is_on(language: str) -> None:
    answers, manager = CachedAnswers(), meeting(language)
    question, _ = ASKED[language]
    await answers.keep(where(question, language), GIVEN, manager, ON)
    assert await answers.find(where(question, language), manager, Features(include_history=False)) is None
    varied = await answers.find(where(question, language), manager, Features(style_variation_level=1.0))
    assert varied is not None
    assert varied.text != GIVEN.text
    assert GIVEN.text in varied.text


@LANGUAGES
async def test_an_answer_made_with_somebodys_profile_is_theirs(language: str) -> None:
    answers, manager = CachedAnswers(), meeting(language)
    question, _ = ASKED[language]
    await answers.keep(where(question, language), GIVEN.model_copy(update={"personal": True}), manager, ON)
    assert await answers.find(where(question, language, asker="junho"), manager, ON) is None
    assert await answers.find(where(question, language), manager, ON) is not None


@LANGUAGES
async def test_the_agents_name_is_no_part_of_a_question(language: str) -> None:
    manager = ContextManager("m1", ContextConfig(agent_names=("Archie", "비서")))
    manager.meeting.receive(MeetingStarted(at=START))
    for number, (who, name, text) in enumerate(KO if language == "ko" else EN):
        said(manager, number, text, who, name)
    answers, (question, _) = CachedAnswers(), ASKED[language]
    called = {"ko": f"비서야, {question}", "en": f"Archie, {question}"}[language]
    await answers.keep(where(called, language), GIVEN, manager, ON)
    said(manager, 9, called)
    assert await answers.find(where(question, language), manager, ON) is not None


@LANGUAGES
async def test_the_second_asker_gets_the_first_ones_answer_through_the_graph(language: str) -> None:
    manager = meeting(language)
    answers = CachedAnswers(Close())
    settings = DeskSettings(EstimateTokenizer())
    answerer = Answerer(None, settings, features=ON, parts=AnswerParts(answers=answers))

    async def ask(number: int, by: str, text: str, *, private: bool = False) -> Reply:
        invocation = Invocation(
            id=f"q{number}",
            by=by,
            via="chat",
            text=text,
            at_ms=60_000,
            private=private,
            after_utterance=len(manager.meeting.utterances),
        )
        return await answerer.answer(invocation, manager, Room().open_reply, now_ms=lambda: 61_000)

    question, again = ASKED[language]
    first = await ask(1, "minji", question)
    second = await ask(2, "junho", again)
    assert first.evidence
    assert not first.declined
    assert (second.text, second.evidence) == (first.text, first.evidence)
    assert second.run is not None
    assert second.run.cache_hit
    assert first.run is not None
    assert not first.run.cache_hit
    private = await ask(
        3,
        "junho",
        {"ko": "테스트 계획은 언제까지 공유해?", "en": "What does the server cost?"}[language],
        private=True,
    )
    assert private.text
    assert len(answers.cache) == 1, "what one was told privately is not kept"
