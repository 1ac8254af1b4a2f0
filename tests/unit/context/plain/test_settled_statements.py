"""What was settled answers a question about it, told with owner and day; other words only where none is close."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.corpora.passage import Passage
from context.plain.answer import QuotedAnswer
from context.plain.outside_quotes import with_outside_quotes
from context.prompts.answer_prompts import WORDING
from context.retrieval.answer_kinds import counts, unit_asked
from tests.languages import BOTH
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

TALK = {
    "ko": [
        ("민지", "이번 주 안건은 바자회 준비입니다."),
        ("준호", "바자회는 12월 12일에 여는 게 어떨까요?"),
        ("서연", "네, 그렇게 하죠."),
        ("민지", "장소는 아직 정하지 못했습니다."),
        ("서연", "제가 금요일까지 포스터를 보낼게요."),
        ("준호", "천막 대여료는 삼십만 원으로 하기로 했습니다."),
        ("민지", "지난번에는 비가 많이 왔었죠."),
    ],
    "en": [
        ("Ann", "This week is about the fair."),
        ("Ben", "How about holding the fair on December 12?"),
        ("Cleo", "Yes, let's do that."),
        ("Ann", "We haven't decided on the venue yet."),
        ("Cleo", "I'll send the poster by Friday."),
        ("Ben", "We decided to pay three hundred dollars for the tent."),
        ("Ann", "It rained a lot last time."),
    ],
}


def told(question: str, language: str, **given: object) -> QuotedAnswer:
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in TALK[language]])
    return answer(question, utterances=said, **given)


@cases
def test_what_was_settled_answers_with_its_day_and_owner(
    language: str, question: str, label: str, evidence: tuple[int, ...]
) -> None:
    reply = told(question, language)
    assert reply.certainty == "answer"
    assert set(evidence) <= set(reply.evidence)
    assert label in reply.text
    for id_ in reply.evidence:
        assert TALK[language][id_ - 1][1] in reply.text, "what is told is what the evidence points to"


@cases
def test_whoever_has_another_thing_is_no_answer(language: str, question: str) -> None:
    assert told(question, language).certainty != "answer"


@cases
def test_what_came_of_a_matter_is_quoted_with_the_line_that_names_it(
    question: str, lines: tuple[str, ...], came_of_it: int
) -> None:
    said = utterances([{"speaker": "AB"[place % 2], "text": text} for place, text in enumerate(lines)])
    reply = answer(question, utterances=said)
    assert came_of_it in reply.evidence
    assert lines[came_of_it - 1] in reply.text


ELSEWHERE = {
    "ko": ("지난 회의", "바자회 장소는 시민회관 강당으로 하겠습니다.", "바자회 장소 어디야?"),
    "en": ("Last week", "The venue of the fair is in the town hall.", "Where is the venue of the fair?"),
}


@pytest.mark.parametrize(
    ("certainty", "likely"), [("closest", 0.7), ("closest", 0.1), ("none", 1.0), ("answer", 1.0)]
)
@BOTH
def test_other_meetings_words_stand_behind_what_is_close_here(
    language: str, certainty: str, likely: float
) -> None:
    title, sentence, question = ELSEWHERE[language]
    here = QuotedAnswer.model_validate(
        {"text": "- **A**: …", "evidence": (4,), "call_type": "IMMEDIATE_RESPONSE"}
        | {"certainty": certainty, "likely": likely}
    )
    passage = Passage(
        corpus="earlier", source_id="m", position=0, text=f"Ben: {sentence}", title=title, speakers=("Ben",),
        said_at=datetime(2026, 3, 2, 5, 32, tzinfo=UTC),
    )  # fmt: skip
    found = with_outside_quotes(question, [passage], language=language, besides=here)
    assert f"**Ben** ({title}, 2026-03-02 05:32): {sentence.rstrip('.')}" in found.text
    is_here = certainty == "answer" or (certainty == "closest" and likely > 0.5)
    assert found.text.startswith(here.text) is is_here
    assert found.certainty == (certainty if is_here else "answer")
    assert found.evidence == ((4,) if is_here else ()), "nothing is cited that is not quoted"


@cases
def test_what_elsewhere_answers_surely_holds_the_whole_question(
    question: str, sentence: str, *, certainty: str
) -> None:
    """Another meeting's words that only touch a question are told as what comes closest, with their title."""
    language = "en" if question.isascii() else "ko"
    none = QuotedAnswer(text="no", evidence=(), certainty="none", call_type="IMMEDIATE_RESPONSE")
    passage = Passage(
        corpus="earlier", source_id="m", position=0, text=f"Ben: {sentence}", title="Kick-off", speakers=("Ben",),
        said_at=datetime(2026, 3, 2, 5, 32, tzinfo=UTC),
    )  # fmt: skip
    found = with_outside_quotes(question, [passage], language=language, besides=none)
    assert found.certainty == certainty
    assert "**Ben** (Kick-off, 2026-03-02 05:32): " in found.text
    lead = WORDING[language]["elsewhere" if certainty == "answer" else "closest_elsewhere"]
    assert found.text.startswith(lead)


@BOTH
def test_what_is_only_close_here_stands_before_what_is_only_close_elsewhere(language: str) -> None:
    here = QuotedAnswer.model_validate(
        {
            "text": "- **A**: …",
            "evidence": (4,),
            "call_type": "IMMEDIATE_RESPONSE",
            "certainty": "closest",
            "likely": 0.1,
        }
    )
    sentence, question = {
        "ko": ("간식은 김밥으로 하기로 했습니다.", "간식은 뭘로 바꾸기로 했어?"),
        "en": ("The snack is rice rolls.", "What did we change the snack to?"),
    }[language]
    passage = Passage(corpus="earlier", source_id="m", position=0, text=sentence, title="Last week")
    found = with_outside_quotes(question, [passage], language=language, besides=here)
    assert (found.certainty, found.evidence) == ("closest", (4,))
    assert found.text.startswith(here.text)


@cases
def test_what_does_not_give_the_figure_is_not_taken_from_elsewhere(
    question: str, sentence: str, *, gives: bool
) -> None:
    none = QuotedAnswer(text="no", evidence=(), certainty="none", call_type="IMMEDIATE_RESPONSE")
    passage = Passage(corpus="document", source_id="d", position=0, text=sentence, title="d")
    found = with_outside_quotes(question, [passage], language="ko", besides=none)
    assert found.declined is not gives


@cases
def test_a_number_counts_what_is_asked_for(question: str, text: str, *, does: bool) -> None:
    assert unit_asked("How many people are going?") is None
    unit = unit_asked(question)
    assert unit is not None
    assert counts(unit, text) is does
