"""With a model: who asks second gets the kept answer, unless something of the first asker went into it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from context.answer_cache.entry import is_for_asker_alone
from context.budget import EstimateTokenizer
from context.events import AnswerGiven, MeetingStarted, ParticipantJoined, QuestionAsked
from context.manager import ContextManager
from context.models import Invocation, Reply
from tests.fakes.llm import ScriptedModel
from tests.fakes.verifiers import verifier
from tests.unit.agent.meetings import EN, KO, Room
from tests.unit.context.meetings import START, spoken
from worker.agent.answer_memory import CachedAnswers
from worker.agent.answering import Answerer
from worker.agent.calling import CalledModel
from worker.agent.desk import DeskSettings
from worker.agent.graph.parts import AnswerParts, Remembered
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named

BOTH = pytest.mark.parametrize("language", ["ko", "en"])
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
    number: int = 0

    def __post_init__(self) -> None:
        self.manager = ContextManager("m1")
        receive = self.manager.meeting.receive
        receive(MeetingStarted(at=START))
        for by, name in ASKERS.items():
            receive(ParticipantJoined(participant_id=by, name=name, at_ms=0))
        for number, (who, name, text) in enumerate(KO if self.language == "ko" else EN):
            receive(spoken(number, text, who).model_copy(update={"speaker_name": name}))
        memory = ThreadMemory(EntityPacks(packs_named(["meeting", "medical"])), EstimateTokenizer())
        self.model = ScriptedModel([ANSWER[self.language]], [ANSWER[self.language]], [ANSWER[self.language]])
        self.answerer = Answerer(
            CalledModel(self.model) if self.thinks else None,
            DeskSettings(EstimateTokenizer()),
            verifier=verifier(),
            parts=AnswerParts(answers=CachedAnswers(), memory=memory),
        )

    async def ask(self, by: str, text: str) -> Reply:
        """One question, answered and on the record."""
        self.number += 1
        asked = Invocation(
            id=f"q{self.number}", by=by, via="chat", text=text, at_ms=60_000,
            after_utterance=len(self.manager.meeting.utterances),
        )  # fmt: skip
        reply = await self.answerer.answer(asked, self.manager, Room().open_reply, now_ms=lambda: 61_000)
        self.manager.meeting.receive(QuestionAsked(invocation=asked))
        self.manager.meeting.receive(AnswerGiven(reply=reply))
        return reply


def _hit(reply: Reply) -> bool:
    assert reply.run is not None
    return reply.run.cache_hit


@BOTH
async def test_a_second_asker_of_an_impersonal_question_gets_the_models_kept_answer(language: str) -> None:
    talk = Talk(language)
    first, second = await talk.ask("hana", QUESTION[language]), await talk.ask("jun", QUESTION[language])
    assert first.run is not None
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
    talk.manager.meeting.receive(spoken(9, said[language], "x").model_copy(update={"speaker_name": "Kim"}))
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


@pytest.mark.parametrize(
    ("question", "answer", "known", "alone"),
    [
        ("출시일이 언제예요?", "출시일은 22일입니다.", Remembered(name="최하나"), False),
        (
            "출시일이 언제예요?",
            "출시일은 22일입니다.",
            Remembered(tasks=("제가 서버를 주문하겠습니다.",)),
            False,
        ),
        (
            "뭐 해야 하죠?",
            "서버를 주문해야 합니다.",
            Remembered(tasks=("제가 서버를 주문하겠습니다.",)),
            True,
        ),
        ("뭐 해야 하죠?", "최하나 님은 서버를 주문합니다.", Remembered(name="최하나"), True),
        ("제 할 일이 뭐죠?", "없습니다.", Remembered(), True),
        ("서버는 누가 맡죠?", "박준호 님께서 맡으셨습니다.", Remembered(name="최하나"), False),
        ("뭐가 남았죠?", "당신은 남은 일이 없습니다.", Remembered(), True),
        ("아스피린은 괜찮나요?", "괜찮습니다.", Remembered(health=True), True),
        ("When is the launch?", "On the 22nd.", Remembered(name="Jun Seo"), False),
        ("When is the launch?", "On the 22nd.", Remembered(tasks=("I will order the server.",)), False),
        ("What is left to do?", "Order the server.", Remembered(tasks=("I will order the server.",)), True),
        ("What is left to do?", "Jun orders the server.", Remembered(name="Jun Seo"), True),
        ("What is left to do?", "You said you would order it.", Remembered(), True),
        ("What are my tasks?", "None.", Remembered(), True),
        ("Is aspirin fine?", "It is.", Remembered(health=True), True),
    ],
)
def test_whose_an_answer_is(question: str, answer: str, known: Remembered, alone: bool) -> None:
    told = is_for_asker_alone(question, answer, name=known.name, health=known.health, tasks=known.tasks)
    assert told == alone
