"""Follow-ups through the graph: the asker's own turn before counts, a private one only in private."""

from __future__ import annotations

from typing import Any

from context.budgets.tokens import EstimateTokenizer
from context.features import Features
from context.models import Reply
from tests.languages import BOTH
from tests.unit.cases import beside
from tests.unit.worker.agent.meetings import meeting_of, put
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings

LINES = beside(__file__)["LINES"]
FLYERS = {"ko": "전단지 디자인은 누가 해?", "en": "who designs the flyers?"}
CHAIRS = {"ko": "의자는 몇 개 빌려?", "en": "how many chairs do we rent?"}
LIGHTS = {"ko": "의자 창고는 얼마예요?", "en": "how much is the chairs' storage?"}
WHEN = {"ko": "언제까지?", "en": "by when?"}
WHY = {"ko": "왜?", "en": "why?"}


class Asking:
    """One meeting, asked by several people, its answers on the record as in a room."""

    def __init__(self, language: str, **features: Any) -> None:
        self.manager, self.at_ms = meeting_of(LINES[language], every_ms=4000), 20_000
        self.answerer = Answerer(
            None,
            QuestionContextSettings(EstimateTokenizer()),
            parts=AnswerParts(answers=CachedAnswers()),
            features=Features().with_overrides(features),
        )

    async def ask(self, text: str, by: str = "hana", *, private: bool = False, wait_s: int = 5) -> Reply:
        self.at_ms += wait_s * 1000
        return (await put(self.answerer, self.manager, text, by, private=private, at_ms=self.at_ms))[0]


@BOTH
async def test_the_second_question_takes_its_subject_from_the_first(language: str) -> None:
    meeting = Asking(language)
    assert 2 in (await meeting.ask(FLYERS[language])).evidence
    reply = await meeting.ask(WHEN[language])
    assert reply.evidence == (2,)
    assert not reply.declined
    assert reply.question == WHEN[language]
    assert reply.run.notes["classify_intent"] == "read as a follow-up"


@BOTH
async def test_each_asker_has_a_thread_of_their_own(language: str) -> None:
    meeting = Asking(language)
    await meeting.ask(FLYERS[language], by="hana")
    await meeting.ask(CHAIRS[language], by="minji")
    assert (await meeting.ask(WHEN[language], by="hana")).evidence == (2,)
    why = (await meeting.ask(WHY[language], by="minji")).evidence
    assert 4 in why
    assert 2 not in why
    assert (await meeting.ask(WHEN[language], by="junho")).certainty != "answer"


@BOTH
async def test_what_was_asked_in_private_stays_private(language: str) -> None:
    meeting = Asking(language)
    await meeting.ask(FLYERS[language], private=True)
    assert (await meeting.ask(WHEN[language], by="minji", private=True)).certainty != "answer"
    reply = await meeting.ask(WHEN[language])
    assert (reply.evidence, reply.private) == ((2,), True), "what it leans on is the asker's alone"


@BOTH
async def test_in_private_both_count(language: str) -> None:
    meeting = Asking(language)
    await meeting.ask(FLYERS[language], private=True)
    assert (await meeting.ask(WHEN[language], private=True)).evidence == (2,)
    meeting = Asking(language)
    await meeting.ask(FLYERS[language])
    assert (await meeting.ask(WHEN[language], private=True)).evidence == (2,)


@BOTH
async def test_what_came_closest_is_what_a_follow_up_is_about(language: str) -> None:
    """What comes closest shows what was said of the matter, and "why?" behind it means that."""
    meeting = Asking(language)
    first = await meeting.ask(LIGHTS[language])
    assert 4 in first.evidence
    reply = await meeting.ask(WHY[language])
    assert not reply.declined
    assert 4 in reply.evidence


@BOTH
async def test_after_a_long_silence_it_means_something_else(language: str) -> None:
    meeting = Asking(language)
    await meeting.ask(FLYERS[language])
    assert (await meeting.ask(WHEN[language], wait_s=1200)).certainty != "answer"


@BOTH
async def test_without_the_thread_it_is_answered_alone(language: str) -> None:
    meeting = Asking(language, include_history=False)
    await meeting.ask(FLYERS[language])
    assert (await meeting.ask(WHEN[language])).certainty != "answer"


@BOTH
async def test_the_same_words_are_another_question_each_time(language: str) -> None:
    """The cache has no say: "why?" after another question is not the same."""
    meeting = Asking(language)
    await meeting.ask(FLYERS[language])
    first = await meeting.ask(WHEN[language])
    await meeting.ask(CHAIRS[language])
    second = await meeting.ask(WHEN[language])
    assert first.evidence == (2,)
    assert 4 in second.evidence
    assert second.certainty == "closest", "nobody said by when there are to be chairs"
    assert not second.run.cache_hit
