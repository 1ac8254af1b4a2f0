"""Kept answers: found in other words, given to the next asker, and never with what is somebody's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from context.answer_cache.entry import is_for_asker_alone
from context.answer_cache.kept_answers import LookUp
from context.answering.question_meaning import read
from context.budgets.tokens import EstimateTokenizer
from context.config import ContextConfig
from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.features import Features
from context.manager import ContextManager
from context.models import Reply
from context.ports import Unavailable
from context.question import Question
from tests.fakes.llm import ScriptedModel
from tests.fakes.verifiers import verifier
from tests.languages import BOTH
from tests.unit.cases import cases
from tests.unit.worker.agent.close_questions import ASKED, Close
from tests.unit.worker.agent.meetings import LINES, meeting_of, put, say
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContext, QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.bootstrap.packs import packs_named

NEWER = {"ko": "출시일은 십이월 이십사일로 바꾸겠습니다.", "en": "Alice will order the server instead."}
ON = Features()


def asks(
    manager: ContextManager, question: str, by: str = "minji", *, after_utterance: int = 0
) -> QuestionContext:
    asked = Question(id="q1", by=by, via="chat", text=question, at_ms=60_000, after_utterance=after_utterance)
    return QuestionContextSettings(EstimateTokenizer()).question_context(
        read(asked, manager.meeting), manager
    )


GIVEN: dict[str, Any] = {
    "text": "the answer", "evidence": (3,), "quality": 0.9, "tokens": 600, "took_ms": 1500.0, "personal": False,
}  # fmt: skip


@BOTH
async def test_what_was_kept_is_found_in_other_words_until_something_newer_is_said(language: str) -> None:
    told: list[LookUp] = []
    answers, manager = CachedAnswers(Close(), on_look_up=told.append), meeting_of(LINES[language])
    question, again = ASKED[language]
    assert await answers.find(asks(manager, question), ON) is None
    await answers.keep(asks(manager, question), ON, **GIVEN)
    assert await answers.find(asks(manager, again, "junho"), ON) == ("the answer", (3,), 0.9, False)
    say(manager, ("x", "Dana", NEWER[language]))
    assert await answers.find(asks(manager, again), ON) is None
    assert [(each.hit, each.guard) for each in told] == [(False, None), (True, None), (False, "newer")]


@BOTH
async def test_what_was_said_while_the_answer_was_made_counts_as_newer(language: str) -> None:
    answers, manager = CachedAnswers(), meeting_of(LINES[language])
    question, _ = ASKED[language]
    asked = asks(manager, question, after_utterance=5)
    say(manager, ("x", "Dana", NEWER[language]))
    await answers.keep(asked, ON, **GIVEN)
    assert await answers.find(asks(manager, question), ON) is None


@BOTH
async def test_an_embedder_is_asked_only_where_it_could_say_yes(language: str) -> None:
    embedder = Close()
    answers, manager = CachedAnswers(embedder), meeting_of(LINES[language])
    question, again = ASKED[language]
    await answers.keep(asks(manager, question), ON, **GIVEN)
    assert embedder.asked == [question]
    await answers.find(asks(manager, question), ON)
    await answers.find(asks(manager, {"ko": "예산은 얼마야?", "en": "What is the budget?"}[language]), ON)
    assert embedder.asked == [question]
    await answers.find(asks(manager, again), ON)
    assert embedder.asked == [question, again]


@BOTH
async def test_an_embedder_that_is_away_or_unknown_leaves_the_same_words(language: str) -> None:
    question, again = ASKED[language]
    for embedder in (Close(trouble=Unavailable("down")), Close(name="unheard of")):
        answers, manager = CachedAnswers(embedder), meeting_of(LINES[language])
        await answers.keep(asks(manager, question), ON, **GIVEN)
        assert await answers.find(asks(manager, again), ON) is None
        assert await answers.find(asks(manager, question), ON) is not None
        assert embedder.asked == []


@BOTH
async def test_other_flags_make_other_answers_and_style_is_varied_where_it_is_on(language: str) -> None:
    answers, manager = CachedAnswers(), meeting_of(LINES[language])
    asked = asks(manager, ASKED[language][0])
    await answers.keep(asked, ON, **GIVEN)
    assert await answers.find(asked, Features(include_history=False)) is None
    varied = await answers.find(asked, Features(style_variation_level=1.0))
    assert varied.text != GIVEN["text"]
    assert GIVEN["text"] in varied.text


@BOTH
async def test_an_answer_made_with_somebodys_profile_is_theirs(language: str) -> None:
    answers, manager = CachedAnswers(), meeting_of(LINES[language])
    question, _ = ASKED[language]
    await answers.keep(asks(manager, question), ON, **{**GIVEN, "personal": True})
    assert await answers.find(asks(manager, question, "junho"), ON) is None
    assert await answers.find(asks(manager, question), ON) is not None


@BOTH
async def test_the_agents_name_is_no_part_of_a_question(language: str) -> None:
    manager = meeting_of(LINES[language], config=ContextConfig(agent_names=("Archie", "비서")))
    answers, (question, _) = CachedAnswers(), ASKED[language]
    called = {"ko": f"비서야, {question}", "en": f"Archie, {question}"}[language]
    await answers.keep(asks(manager, called), ON, **GIVEN)
    say(manager, ("x", "Dana", called))
    assert await answers.find(asks(manager, question), ON) is not None


@BOTH
async def test_the_second_asker_gets_the_first_ones_answer_through_the_graph(language: str) -> None:
    manager = meeting_of(LINES[language])
    answers = CachedAnswers(Close())
    settings = QuestionContextSettings(EstimateTokenizer())
    answerer = Answerer(None, settings, features=ON, parts=AnswerParts(answers=answers))

    question, again = ASKED[language]
    first, _ = await put(answerer, manager, question, "minji")
    second, _ = await put(answerer, manager, again, "junho")
    assert first.evidence
    assert not first.declined
    assert (second.text, second.evidence) == (first.text, first.evidence)
    assert second.run.cache_hit
    assert not first.run.cache_hit
    other = {"ko": "테스트 계획은 언제까지 공유해?", "en": "What does the server cost?"}[language]
    private, _ = await put(answerer, manager, other, "junho", private=True)
    assert private.text
    assert len(answers.cache) == 1, "what one was told privately is not kept"


@BOTH
async def test_an_answer_from_before_an_erasure_is_not_given_behind_it(language: str) -> None:
    """Its words may rest on what was erased, though it cites other lines; or it was itself erased."""
    manager, question = meeting_of(LINES[language]), ASKED[language][0]
    answerer = Answerer(
        None,
        QuestionContextSettings(EstimateTokenizer()),
        features=ON,
        parts=AnswerParts(answers=CachedAnswers()),
    )
    first, _ = await put(answerer, manager, question)
    wanted = Target(what="answers", answers=(first.id,))
    now = erased(manager.meeting, wanted, id_="e", actor=operator("ops"), at_ms=70_000)
    assert now is not None
    manager.receive(now[0])
    again, _ = await put(answerer, manager, question, "junho", at_ms=80_000)
    assert first.evidence == again.evidence != ()
    assert not again.run.cache_hit
    assert (await put(answerer, manager, question, at_ms=90_000))[0].run.cache_hit


QUESTION = {"ko": "출시일이 언제로 결정됐어요?", "en": "When will a second server be added?"}
ANSWER = {
    "ko": "출시일은 십이월 이십이일로 결정되었습니다. [#3]",
    "en": "A second server is added this week. [#3]",
}
ILL = {"ko": "저는 고혈압이 있어서 와파린을 먹어요.", "en": "I have hypertension and take warfarin."}
ASKERS = {"hana": "최하나", "jun": "Jun Seo"}


@dataclass
class Talk:
    """A meeting in which two people ask; each question to the model is answered alike."""

    language: str
    thinks: bool = True
    manager: ContextManager = field(init=False)
    answerer: Answerer = field(init=False)

    def __post_init__(self) -> None:
        self.manager = meeting_of(LINES[self.language], people=ASKERS)
        memory = ThreadMemory(EntityPacks(packs_named(["meeting", "medical"])), EstimateTokenizer())
        self.model = ScriptedModel([ANSWER[self.language]], [ANSWER[self.language]], [ANSWER[self.language]])
        self.answerer = Answerer(
            CalledModel(self.model) if self.thinks else None,
            QuestionContextSettings(EstimateTokenizer()),
            verifier=verifier(),
            parts=AnswerParts(answers=CachedAnswers(), memory=memory),
        )

    async def ask(self, by: str, text: str) -> Reply:
        return (await put(self.answerer, self.manager, text, by))[0]


def _hit(reply: Reply) -> bool:
    return reply.run.cache_hit


@BOTH
async def test_a_second_asker_of_an_impersonal_question_gets_the_models_kept_answer(language: str) -> None:
    talk = Talk(language)
    first, second = await talk.ask("hana", QUESTION[language]), await talk.ask("jun", QUESTION[language])
    assert not first.declined, first.run.notes
    assert (_hit(first), _hit(second)) == (False, True), first.run.notes
    assert (second.text, second.evidence) == (first.text, first.evidence)


@BOTH
async def test_that_the_asker_said_what_is_cited_makes_an_answer_nobodys_own(language: str) -> None:
    talk = Talk(language)
    speaker = {"ko": "minji", "en": "alice"}[language]
    assert not _hit(await talk.ask(speaker, QUESTION[language]))
    assert _hit(await talk.ask("jun", QUESTION[language]))


@BOTH
async def test_quotes_are_for_everybody_even_where_they_say_you(language: str) -> None:
    talk = Talk(language, thinks=False)
    said = {
        "ko": "하나 님께서 서버 예산은 삼백만 원으로 정하셨습니다.",
        "en": "You all agreed that the server budget is 300 dollars.",
    }
    say(talk.manager, ("x", "Kim", said[language]))
    question = {"ko": "서버 예산은 얼마로 정했어요?", "en": "What is the server budget?"}[language]
    first, second = await talk.ask("hana", question), await talk.ask("jun", question)
    assert said[language][:10] in first.text
    assert (_hit(first), _hit(second)) == (False, True)


@BOTH
async def test_what_was_made_with_somebodys_health_in_the_prompt_is_theirs(language: str) -> None:
    talk = Talk(language)
    await talk.ask("hana", ILL[language])
    first, second = await talk.ask("hana", QUESTION[language]), await talk.ask("jun", QUESTION[language])
    assert (_hit(first), _hit(second)) == (False, False)
    assert _hit(await talk.ask("hana", QUESTION[language])), "the asker's own answer is kept for the asker"


@BOTH
async def test_a_question_about_oneself_is_answered_for_oneself(language: str) -> None:
    talk = Talk(language)
    own = {"ko": "제가 알아야 할 출시일이 언제예요?", "en": "When will my second server be added?"}[language]
    first, second = await talk.ask("hana", own), await talk.ask("jun", own)
    assert (_hit(first), _hit(second)) == (False, False)


@cases
def test_whose_an_answer_is(question: str, answer: str, known: dict[str, Any], alone: bool) -> None:
    known = {"name": "", "personal": False, "tasks": (), **known}
    assert is_for_asker_alone(question, answer, **known) == alone
