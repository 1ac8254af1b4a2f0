"""An answer knows whether it rests, or may rest, on other meetings or documents, and who may not hear it."""

from __future__ import annotations

from typing import Any

import pytest

from context.answering.question_meaning import read
from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage
from context.events.events import AnswerGiven, decode, encode
from context.features import OF_THIS_MEETING, Features
from context.manager import ContextManager
from context.models import AnswerRun, PromptRecord, Reply
from context.ports import Unavailable
from tests.fakes.llm import ScriptedModel
from tests.fakes.passages import FakePassages
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import GOOD, LINES, QUESTION, Room, answered, asked, meeting_of, put
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.agent.reply.speaking import Speech
from worker.passages.retrieving import CorporaRetriever

TOKENS = EstimateTokenizer()
RENT = {"ko": "사무실 월세는 이백만 원입니다.", "en": "The office rent is two thousand dollars."}
ASKED = {"ko": "사무실 월세가 얼마예요?", "en": "How much is the office rent?"}
WITHHELD = {"ko": "다른 회의나 문서", "en": "other meetings or documents"}


async def documents(language: str) -> CorporaRetriever:
    store = FakePassages()
    page = Passage(corpus="document", source_id="rent", position=0, text=RENT[language], title="rent", page=2)
    await store.put([page])
    return CorporaRetriever(store, TOKENS)


def answerer(model: ScriptedModel | None = None, **parts: Any) -> Answerer:
    called = CalledModel(model) if model is not None else None
    return Answerer(called, QuestionContextSettings(TOKENS), parts=AnswerParts(**parts))


def meeting(language: str) -> ContextManager:
    return meeting_of(LINES[language])


@BOTH
async def test_an_answer_that_quotes_a_document_is_not_for_guests(language: str) -> None:
    reply, room = await put(answerer(retriever=await documents(language)), meeting(language), ASKED[language])
    assert RENT[language] in room.text
    assert reply.elsewhere is True
    assert reply.rests_elsewhere
    assert WITHHELD[language] in room.replies[0].instead
    cited = [meeting(language).meeting.utterances[id_ - 1].text for id_ in reply.evidence]
    assert all(text in room.text for text in cited), "no line is cited that is not shown"


@BOTH
async def test_an_answer_from_the_meeting_is_for_everybody(language: str) -> None:
    reply, room = await put(
        answerer(retriever=await documents(language)), meeting(language), QUESTION[language]
    )
    assert reply.elsewhere is False
    assert not reply.rests_elsewhere
    assert room.replies[0].instead == ""


@BOTH
async def test_a_model_may_have_used_what_it_was_shown_and_does_not_cite(language: str) -> None:
    model = ScriptedModel([GOOD[language]])
    asks = f"{QUESTION[language]} {ASKED[language]}"
    reply, room = await put(answerer(model, retriever=await documents(language)), meeting(language), asks)
    assert RENT[language] in str(model.calls[0]), "it was in the prompt"
    assert (reply.sources, reply.elsewhere) == ((), True)
    assert room.replies[0].instead


@BOTH
async def test_what_was_answered_from_elsewhere_is_in_no_prompt_of_a_guests_question(language: str) -> None:
    """By way of the thread and of the memory the next answer may rest on it, too."""
    manager, features = meeting(language), {"hierarchical_memory_enabled": "1"}
    await put(answerer(retriever=await documents(language)), manager, ASKED[language], by="ben")
    for question, text in ((QUESTION[language], GOOD[language].partition(" [")[0]),) * 3:
        answered(manager, question, text, evidence=(3,))
    for alone in (False, True):
        model = ScriptedModel([GOOD[language]])
        thinks = answerer(model, memory=ThreadMemory(EntityPacks(), TOKENS))
        flags = {**features, **(OF_THIS_MEETING if alone else {})}
        reply, _ = await put(thinks, manager, QUESTION[language], by="guest-l1-0123456789", features=flags)
        assert (RENT[language].rstrip(".") in str(model.calls[0])) is not alone
        assert reply.rests_elsewhere is not alone


@BOTH
@pytest.mark.parametrize("elsewhere", [True, False])
async def test_a_kept_answer_stays_what_it_was(language: str, elsewhere: bool) -> None:
    kept, manager = CachedAnswers(), meeting(language)
    question_context = QuestionContextSettings(TOKENS).question_context(
        read(asked(QUESTION[language]), manager.meeting), manager
    )
    await kept.keep(
        question_context, Features(), text=GOOD[language], evidence=(3,), quality=0.9, tokens=1, took_ms=1.0,
        personal=False, elsewhere=elsewhere,
    )  # fmt: skip
    again, room = await put(answerer(answers=kept), manager, QUESTION[language], by="junho")
    assert again.run is not None
    assert again.run.cache_hit
    assert again.elsewhere is elsewhere
    assert bool(room.replies[0].instead) is elsewhere


@BOTH
async def test_what_comes_from_elsewhere_behind_first_words_goes_out_by_itself(language: str) -> None:
    """A model breaks off, and what stands in for it quotes a document that its prompt had no room for."""
    speech = Room()
    said = Speech(asked(ASKED[language]), speech.open_reply)
    await said.say("first words")
    said.instead = WITHHELD[language]
    await said.say("from a document")
    await said.close(evidence=(1,))
    assert [(each.text, each.instead) for each in speech.replies] == [
        ("first words", ""),
        ("from a document", WITHHELD[language]),
    ]
    assert speech.replies[0].closed_with == ()
    assert speech.replies[1].closed_with == (1,)


@pytest.mark.parametrize(
    ("fields", "rests"),
    [
        ({}, False),
        ({"sources": ("Price list p. 3",)}, True),
        ({"elsewhere": True}, True),
        ({"run": AnswerRun(prompts=(PromptRecord(purpose="answer", tokens=9, producers={"topics": 4}),))}, False),
        ({"run": AnswerRun(prompts=(PromptRecord(purpose="answer", tokens=9, producers={"documents": 4}),))}, True),
        (
            {"run": AnswerRun(prompts=(PromptRecord(purpose="answer", tokens=9, producers={"earlier_meetings": 1}),))},
            True,
        ),
    ],
)  # fmt: skip
def test_of_an_older_record_its_sources_and_its_prompts_tell(fields: dict[str, Any], rests: bool) -> None:
    reply = Reply(
        id="r", invocation_id="q", by="minji", via="chat", question="?", text="!", call_type="SEARCH",
        asked_at_ms=1, answered_at_ms=2, **fields,
    )  # fmt: skip
    told = decode(encode(AnswerGiven(reply=reply)))
    assert isinstance(told, AnswerGiven)
    assert told.reply.rests_elsewhere is rests


@BOTH
async def test_quotes_of_a_document_in_place_of_a_model_that_is_away_are_not_for_guests(
    language: str,
) -> None:
    model = ScriptedModel([Unavailable("away")])
    parts = {"retriever": await documents(language)}
    reply, room = await put(answerer(model, **parts), meeting(language), ASKED[language])
    assert RENT[language] in room.text, "in one piece, with the line that says why"
    assert reply.degraded
    assert reply.elsewhere
    assert room.replies[0].instead
