"""Quotes for a question: lists that are whole, three outcomes that are honest, and nothing that was not said."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.models import Statement, Summary, TopicSegment, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.answer_inputs import Thresholds
from context.plain.facade import answer_of_ranking as told_of
from context.plain.facade import summarise
from context.plain.ranking import Ranking
from context.plain.record import record_of
from context.question import Question
from context.retrieval.lexical import LexicalIndex
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

KO = [
    ("민지", "출시일은 11월 20일로 하겠습니다."),
    ("준호", "네, 좋습니다. 저는 결제 테스트를 금요일까지 끝내겠습니다."),
    ("서연", "서버는 두 대를 더 빌리기로 결정했습니다. 한 달에 삼백만 원입니다."),
    ("민지", "홍보 문구는 다음 주에 다시 논의하겠습니다."),
    ("준호", "점심은 김밥으로 시켰어요."),
]
EN = [
    ("Alice", "We decided to launch on November 20."),
    ("Ben", "Fine. I will finish the payment test by Friday."),
    ("Chloe", "We agreed to rent two more servers. They cost three thousand a month."),
    ("Alice", "Let's discuss the slogan again next week."),
    ("Ben", "I ordered sandwiches for lunch."),
]
BOTH = pytest.mark.parametrize("lines", [KO, EN], ids=["ko", "en"])


def lines_for(question: str) -> list[tuple[str, str]]:
    return EN if question.isascii() else KO


def told(question: str, lines: list[tuple[str, str]]) -> QuotedAnswer:
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in lines])
    topic = TopicSegment(
        id="t", name="출시" if lines is KO else "Launch", start_utterance_id=1, end_utterance_id=len(said),
        notes=summarise(Summary(), said), covered_until=len(said),
    )  # fmt: skip
    return answer(question, utterances=said, segments=[topic])


@cases
def test_a_list_names_everything_that_is_on_it(question: str, evidence: tuple[int, ...]) -> None:
    reply = told(question, lines_for(question))
    assert reply.certainty == "answer"
    assert set(evidence) <= set(reply.evidence)


@pytest.mark.parametrize(("lines", "question"), [(KO, "준호가 뭐라고 했어?"), (EN, "What did Ben say?")])
def test_what_one_person_said_is_theirs_alone(lines: list[tuple[str, str]], question: str) -> None:
    assert told(question, lines).evidence == (2, 5)


@cases
def test_the_course_of_the_meeting_is_told(question: str, says: str) -> None:
    reply = told(question, lines_for(question))
    assert reply.certainty == "answer"
    assert says in reply.text.splitlines()[1 if "**" in says and len(reply.text.splitlines()) > 2 else 0]


@cases
def test_a_fact_is_quoted_from_where_it_was_said(question: str, place: int) -> None:
    reply = told(question, lines_for(question))
    assert place in reply.evidence
    assert lines_for(question)[place - 1][1] in reply.text


@pytest.mark.parametrize(
    "question", ["위장전입 의혹에 대한 답변은 뭐였죠?", "What about teacher training in Wales?"]
)
@BOTH
def test_what_nobody_spoke_of_is_never_an_answer(lines: list[tuple[str, str]], question: str) -> None:
    assert told(question, lines).certainty != "answer"


@cases
def test_a_value_of_another_sort_is_no_answer(lines: tuple[tuple[str, str], ...], question: str) -> None:
    """What visitors bring in does not tell how many come."""
    assert told(question, list(lines)).certainty != "answer"


@BOTH
def test_what_was_said_to_the_agent_answers_nothing(lines: list[tuple[str, str]]) -> None:
    asked = [*lines, (lines[0][0], "모임아, 출시일이 언제야?" if lines is KO else "Moim, when do we launch?")]
    reply = told("출시일이 언제야?" if lines is KO else "When do we launch?", asked)
    assert len(asked) not in reply.evidence


@pytest.mark.parametrize(
    ("lines", "order", "question"),
    [
        (KO, "모임아, 지금까지 나온 이야기를 빠짐없이 전부 다 자세하게 요약해 줘.", "준호가 뭐라고 했어?"),
        (EN, "Moim, tell us everything that was said about the servers so far.", "What did Ben say?"),
    ],
)
def test_what_somebody_said_is_not_what_they_asked_of_the_agent(
    lines: list[tuple[str, str]], order: str, question: str
) -> None:
    assert told(question, [*lines, (lines[1][0], order)]).evidence == (2, 5)


@pytest.mark.parametrize(
    ("question", "heard", "meant"),
    [
        ("결정 사항 알려줘", "출시일은 11월 20일로 하겠습니다.", "출시일은 11월 21일로 하겠습니다."),
        (
            "What did we decide?",
            "We decided to launch on November 20.",
            "We decided to launch on November 21.",
        ),
    ],
)
def test_a_decision_that_was_put_right_is_told_as_it_was_put_right(
    question: str, heard: str, meant: str
) -> None:
    said = utterances([{"speaker": "Ida", "text": heard}])
    index = LexicalIndex(said)
    assert heard in answer(question, utterances=said, index=index).text
    right = [said[0].model_copy(update={"text": meant})]
    assert meant in answer(question, utterances=right, index=index).text


@pytest.mark.parametrize(("lines", "question"), [(KO, "결정 사항 알려줘"), (EN, "What did we decide?")])
def test_a_topic_whose_summary_failed_is_told_though_a_later_one_has_its_own(
    lines: list[tuple[str, str]], question: str
) -> None:
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in lines])
    failed = TopicSegment(id="t1", name="A", start_utterance_id=1, end_utterance_id=3, closed=True)
    later = TopicSegment(
        id="t2", name="B", start_utterance_id=4, end_utterance_id=5, covered_until=5,
        notes=summarise(Summary(), said[3:]),
    )  # fmt: skip
    said = [each.model_copy(update={"topic_id": "t1" if each.id < 4 else "t2"}) for each in said]
    assert {1, 3} <= set(answer(question, utterances=said, segments=[failed, later]).evidence)


@pytest.mark.parametrize("covered", [0, 2], ids=["failed", "made"])
@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (["사무실 계약은 3월에 끝나요.", "건물은 좋아요.", "앱은 거의 다 됐습니다.", "출시일을 11월 20일로 하는 건 어떨까요?", "네, 좋습니다."], "결정 사항 알려줘"),
        (["The office lease ends in March.", "It is a nice house.", "The app is nearly ready.", "I propose that we launch on November 20.", "Yes, agreed, let's do that."], "What did we decide?"),
    ],
    ids=["ko", "en"],
)  # fmt: skip
def test_a_yes_is_heard_with_what_it_answers_though_the_summary_before_failed(
    lines: list[str], question: str, covered: int
) -> None:
    said = utterances([{"speaker": "IB"[n % 2], "text": text} for n, text in enumerate(lines)])
    before = TopicSegment(id="t1", name="A", start_utterance_id=1, end_utterance_id=2, covered_until=covered)
    now = TopicSegment(
        id="t2", name="B", start_utterance_id=3, end_utterance_id=5, covered_until=4,
        notes=summarise(Summary(), said[2:4]),
    )  # fmt: skip
    said = [each.model_copy(update={"topic_id": "t1" if each.id < 3 else "t2"}) for each in said]
    assert answer(question, utterances=said, segments=[before, now]).evidence == (4, 5)


@pytest.mark.parametrize("written", [False, True], ids=["quoted", "written"])
@pytest.mark.parametrize(
    ("decided", "put_off", "changed", "settled", "questions"),
    [
        (
            "출시일은 11월 20일로 하겠습니다.", "홍보 문구는 다음 주에 다시 논의하겠습니다.",
            "출시일은 11월 27일로 하겠습니다.", "홍보 문구는 첫 번째 안으로 하기로 결정했습니다.",
            ("결정 사항 알려줘", "아직 안 정해진 게 뭐야?"),
        ),
        (
            "We decided to launch on November 20.", "Let's discuss the Berlin office again next week.",
            "We decided to launch on November 27.", "We decided to close the Berlin office.",
            ("What did we decide?", "What is still open?"),
        ),
    ],
    ids=["ko", "en"],
)  # fmt: skip
def test_where_a_summary_failed_what_was_decided_is_listed_and_what_a_later_topic_settled_is_not_open(
    decided: str, put_off: str, changed: str, settled: str, questions: tuple[str, str], *, written: bool
) -> None:
    lines = [decided, put_off, changed, settled]
    said = utterances([{"speaker": "Ida", "text": text} for text in lines])
    failed = TopicSegment(id="t1", name="A", start_utterance_id=1, end_utterance_id=2, closed=True)
    later = TopicSegment(
        id="t2", name="B", start_utterance_id=3, end_utterance_id=4, covered_until=4,
        written_until=4 if written else 0, notes=summarise(Summary(), said[2:]),
    )  # fmt: skip
    said = [each.model_copy(update={"topic_id": "t1" if each.id < 3 else "t2"}) for each in said]
    now, left = (answer(each, utterances=said, segments=[failed, later]) for each in questions)
    assert now.evidence == (1, 3, 4)
    assert 2 not in left.evidence


@pytest.mark.parametrize(
    "question", ["점심은 뭐야?", "준호가 뭐라고 했어?", "What is for lunch?", "What did Ben say?"]
)
def test_words_that_were_taken_back_are_not_quoted(question: str) -> None:
    lines = lines_for(question)
    taken_back = [(who, "" if place % 2 == 0 else text) for place, (who, text) in enumerate(lines)]
    for kept in (taken_back, [(who, "") for who, _ in lines]):
        assert not re.search(r"\d\): *$", told(question, kept).text, re.MULTILINE)


@pytest.mark.parametrize(
    ("lines", "question", "heading"),
    [
        ([("민지", "출시일은 11월 20일로 하겠습니다."), ("준호", "테스트가 늦었어요."), ("민지", "그럼 출시일은 12월 4일로 바꾸겠습니다.")], "출시일이 언제로 결정됐지?", "## 관련 발화 (출처)"),
        ([("Alice", "We decided to launch on November 20."), ("Ben", "The tests are late."), ("Alice", "Then we decided to move the launch to December 4.")], "When did we decide to launch?", "## What was said"),
    ],
)  # fmt: skip
def test_a_decision_that_changed_is_told_as_it_was_and_as_it_stands(
    lines: list[tuple[str, str]], question: str, heading: str
) -> None:
    reply = told(question, lines)
    assert {1, 3} <= set(reply.evidence)
    assert heading in reply.text or reply.text.count("** (") >= 2


def test_a_long_turn_is_quoted_where_it_tells() -> None:
    speech = " ".join(f"지난 {n}년 동안 여러 가지 일이 있었습니다." for n in range(2, 30))
    lines = [*KO, ("서연", f"{speech} 주차장은 지하 2층을 쓰기로 했습니다. {speech}")]
    reply = told("주차장은 어디를 쓰기로 했어?", lines)
    assert "지하 2층" in reply.text
    assert len(reply.text) < 1500


_words = st.text(alphabet="가나다라 결정회의abc?.,13\n*[](", max_size=80)


@settings(max_examples=60, deadline=None)
@given(
    question=_words,
    lines=st.lists(st.tuples(st.sampled_from(["민지", "Ben"]), _words.filter(str.strip)), max_size=12),
)
def test_whatever_is_asked_what_is_quoted_was_said(question: str, lines: list[tuple[str, str]]) -> None:
    said: list[Utterance] = utterances([{"speaker": who, "text": text} for who, text in lines])
    reply = answer(question, utterances=said)
    assert set(reply.evidence) <= {each.id for each in said}
    assert list(reply.evidence) == sorted(set(reply.evidence))
    assert reply == answer(question, utterances=said)
    assert reply.certainty != "none" or not reply.evidence


@pytest.mark.parametrize(
    ("thresholds", "certainty"),
    [(Thresholds(0.0, 0.0), "answer"), (Thresholds(1.0, 0.0), "closest"), (Thresholds(1.0, 1.0), "none")],
)
@BOTH
def test_how_sure_is_sure_enough_is_the_users_to_say(
    lines: list[tuple[str, str]], thresholds: Thresholds, certainty: str
) -> None:
    question = "서버는 몇 대 빌려?" if lines is KO else "How many servers do we rent?"
    said = utterances([{"speaker": speaker, "text": text} for speaker, text in lines])
    assert answer(question, utterances=said, thresholds=thresholds).certainty == certainty


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (
            ["참가비를 만 원 받자는 의견이 있었는데요.", "저는 반대예요.", "그러면 무료로 하죠."],
            "참가비는 얼마예요?",
        ),
        (
            [
                "Somebody suggested an entrance fee of ten pounds.",
                "I'm against it.",
                "Then we let them in free.",
            ],
            "How much do visitors pay?",
        ),
    ],
    ids=["ko", "en"],
)
def test_what_was_put_is_never_quoted_as_decided_without_what_was_decided(
    said: list[str], question: str
) -> None:
    spoken = utterances([{"speaker": f"S{place}", "text": text} for place, text in enumerate(said)])
    decision = Statement(text=f"{said[0]}\n{said[2]}", evidence=(1, 3), status="decided")
    topic = TopicSegment(
        id="t", name="x", start_utterance_id=1, end_utterance_id=3,
        notes=Summary(decisions=(decision,)), covered_until=3,
    )  # fmt: skip
    record = record_of(question, utterances=spoken, segments=[topic])
    asked = Question(id="q", by="x", via="cli", text=question, matter=question, at_ms=0, intent="fact")
    only_what_was_put = Ranking(np.array([0]), np.array([1.0]), np.zeros((1, 1)))
    assert told_of(asked, only_what_was_put, record, sure=0.1, needed=0.9).evidence == (1, 3)
