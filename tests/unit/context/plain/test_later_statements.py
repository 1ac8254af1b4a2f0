"""A value that was changed later is told with what it was changed to, also where nobody calls that a change."""

from __future__ import annotations

from context.models import Summary, TopicSegment
from context.plain.answer import QuotedAnswer
from context.plain.facade import summarise
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

BETWEEN = {
    "ko": [
        ("서연", "간식은 제가 금요일까지 준비하겠습니다."),
        ("준호", "네, 감사합니다."),
        ("서연", "음악은 어떻게 하고, 사회는 누가 보죠?"),
        ("준호", "스피커가 있는지 제가 확인해 볼게요."),
        ("민지", "주차장은 넓은 편이에요."),
    ],
    "en": [
        ("Carla", "I'll get the snacks by Friday."),
        ("Ben", "Thanks."),
        ("Carla", "What about music?"),
        ("Ben", "I'll check whether two speakers are there."),
        ("Anna", "The car park is quite large."),
    ],
}
FIRST, LATER = 1, 7
"""The utterances that name the two values."""


def told(earlier: str, later: str, question: str, language: str) -> QuotedAnswer:
    names = {"ko": ("민지", "준호"), "en": ("Anna", "Ben")}[language]
    lines = [(names[0], earlier), *BETWEEN[language], (names[1], later), BETWEEN[language][-1]]
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in lines])
    topic = TopicSegment(
        id="t", name="t", start_utterance_id=1, end_utterance_id=len(said),
        notes=summarise(Summary(), said), covered_until=len(said),
    )  # fmt: skip
    return answer(question, utterances=said, segments=[topic])


@cases
def test_an_old_value_is_never_told_alone(earlier: str, later: str, question: str, language: str) -> None:
    reply = told(earlier, later, question, language)
    assert reply.certainty != "none"
    assert LATER in reply.evidence


@cases
def test_another_matter_is_not_told_beside_it(earlier: str, later: str, question: str, language: str) -> None:
    reply = told(earlier, later, question, language)
    assert reply.certainty == "answer"
    assert FIRST in reply.evidence
    assert LATER not in reply.evidence
