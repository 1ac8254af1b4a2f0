"""A task's due time answers when the task is done, and not when the thing takes place that it is about."""

from __future__ import annotations

from context.models import Summary, TopicSegment
from context.plain.answer import QuotedAnswer
from context.plain.facade import summarise
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

AROUND = {
    "ko": [("민지", "오늘은 준비 상황을 보겠습니다."), ("서연", "네, 시작하시죠.")],
    "en": [("Anna", "Good morning, everybody."), ("Carla", "Sure, go ahead.")],
}


def told(question: str, task: str, language: str) -> QuotedAnswer:
    lines = [*AROUND[language], ("준호" if language == "ko" else "Ben", task), AROUND[language][1]]
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in lines])
    topic = TopicSegment(
        id="t", name="t", start_utterance_id=1, end_utterance_id=len(said),
        notes=summarise(Summary(), said), covered_until=len(said),
    )  # fmt: skip
    assert [each.kind for each in topic.notes.pending] == ["action"]
    return answer(question, utterances=said, segments=[topic])


@cases
def test_the_day_of_a_deed_is_no_day_of_what_it_is_about(question: str, task: str, language: str) -> None:
    assert told(question, task, language).certainty != "answer"


@cases
def test_the_day_of_a_deed_answers_when_it_is_done(question: str, task: str, language: str) -> None:
    reply = told(question, task, language)
    assert reply.certainty == "answer"
    assert 3 in reply.evidence
