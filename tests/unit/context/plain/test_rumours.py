"""What somebody only heard is shown as what comes closest, never as the answer; who decided is not doubted for it."""

from __future__ import annotations

from context.evidence.rumours import is_rumour
from context.plain.answer_inputs import Thresholds
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

SURE_OF_ANYTHING = Thresholds(sure=0.0, closest=0.0)
BESIDE = {
    "ko": [("민지", "일정부터 볼까요."), ("준호", "포스터는 제가 금요일까지 인쇄하겠습니다.")],
    "en": [("Anna", "Let's look at the schedule."), ("Ben", "I'll print the posters by Friday.")],
}


def certainty(question: str, *lines: str, language: str) -> str:
    spoken = [*BESIDE[language], *(("서연" if language == "ko" else "Carla", line) for line in lines)]
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in spoken])
    return answer(question, utterances=said, thresholds=SURE_OF_ANYTHING).certainty


@cases
def test_a_rumour_is_told_from_a_message(text: str, passes_on: bool) -> None:
    assert is_rumour(text) == passes_on


@cases
def test_a_rumour_alone_is_no_answer(question: str, rumour: str, language: str) -> None:
    assert certainty(question, rumour, language=language) == "closest"


@cases
def test_what_somebody_knows_beside_it_is_one(question: str, rumour: str, known: str, language: str) -> None:
    assert certainty(question, rumour, known, language=language) == "answer"
