"""Questions that need the turn before them, in Korean and in English: what they take from it, and what not."""

from __future__ import annotations

import pytest

from context.answering.follow_up import Exchange, follow_up
from context.models import Utterance
from context.plain.answer import QuotedAnswer as ExtractiveAnswer
from context.retrieval.answer_kinds import kind_asked
from tests.unit.cases import cases
from tests.unit.context.asked import answer
from tests.unit.context.samples import utter

KO = (
    "진우: 다음은 전단지예요. 인쇄소에서 천 장에 팔만 원이라고 했어요.",
    "소희: 전단지는 칼라로 하기로 합시다.",
    "진우: 전단지 디자인은 누가 할까요?",
    "소희: 제가 할게요. 수요일까지 드릴게요.",
    "진우: 그럼 의자 대여로 넘어가겠습니다.",
    "소희: 의자는 오십 개 빌리기로 했어요. 체육관 의자가 부서져서요.",
    "진우: 의자는 제가 금요일에 받아 올게요.",
)
EN = (
    "Jin: First the flyers. The printer wants eighty dollars for a thousand.",
    "Sue: We'll print the flyers in colour.",
    "Jin: Who designs the flyers?",
    "Sue: I'll do it. You'll have them by Wednesday.",
    "Jin: Let's move on to the chairs.",
    "Sue: We'll rent fifty chairs, because the ones in the gym are broken.",
    "Jin: I'll fetch the chairs on Friday.",
)


def talk(lines: tuple[str, ...]) -> list[Utterance]:
    return [utter(place, *line.split(": ", 1)) for place, line in enumerate(lines, 1)]


def asked_in_turn(lines: tuple[str, ...], *questions: str) -> list[ExtractiveAnswer]:
    """The answers of one asker's questions, one after the other."""
    said, history, given = talk(lines), list[Exchange](), list[ExtractiveAnswer]()
    for question in questions:
        reply = answer(question, utterances=said, follows=follow_up(question, history, ["Jin", "Sue"]))
        history.append(Exchange(question, reply.text, () if reply.declined else reply.evidence))
        given.append(reply)
    return given


SPLIT = (
    "Jin: How many blankets do we have, twelve hundred? We promised eight hundred to the Harbour camp.",
    "Sue: Elmwood has grown since the spring, they have five hundred people now.",
    "Jin: We decided the blankets are split evenly, six hundred for Harbour.",
    "Sue: Harbour won't like it.",
    "Jin: I know. I'll talk to their coordinator myself.",
)
SPLIT_KO = (
    "진우: 담요는 팔백 개을 항구 캠프에 보내기로 했었죠.",
    "소희: 그런데 언덕 캠프에 사람이 오백 명으로 늘었어요.",
    "진우: 그럼 담요는 항구 캠프에 육백 개 보내는 걸로 합시다.",
    "소희: 항구 쪽에서는 싫어할 거예요.",
    "진우: 제가 직접 얘기할게요.",
)


@pytest.mark.parametrize(
    ("lines", "questions", "evidence"),
    [
        (SPLIT_KO, ("팔백 개 아니었어?", "그건 왜 바뀌었어?"), 2),
        (SPLIT, ("what did we decide about the blankets?", "who tells them?"), 5),
        (KO, ("전단지 디자인은 누가 해?", "언제까지?"), 4),
        (KO, ("의자는 몇 개 빌려?", "왜?"), 6),
        (KO, ("의자는 몇 개 빌려?", "그건 누가 받아 와?"), 7),
        (KO, ("의자는 몇 개 빌려?", "그럼 전단지 디자인은 누가?"), 4),
        (EN, ("who designs the flyers?", "by when?"), 4),
        (EN, ("how many chairs do we rent?", "why?"), 6),
        (EN, ("how many chairs do we rent?", "and who fetches them?"), 7),
        (EN, ("how many chairs do we rent?", "and who designs the flyers?"), 4),
    ],
)
def test_a_follow_up_is_answered_beside_the_last_answer(
    lines: tuple[str, ...], questions: tuple[str, ...], evidence: int
) -> None:
    reply = asked_in_turn(lines, *questions)[-1]
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(("lines", "question"), [(KO, "언제까지?"), (EN, "by when?")])
def test_alone_it_takes_nothing(lines: tuple[str, ...], question: str) -> None:
    assert follow_up(question, []) is None
    assert answer(question, utterances=talk(lines)).certainty != "answer"


@cases
def test_a_question_with_a_subject_of_its_own_stands_alone(before: str, question: str) -> None:
    assert follow_up(question, [Exchange(before, "…", (4,))]) is None


@pytest.mark.parametrize(
    ("questions", "carried"),
    [
        (("전단지 디자인은 누가 해?", "언제까지?", "왜?"), ("전단지", "디자인")),
        (("who designs the flyers?", "by when?", "why?"), ("designs", "flyers")),
    ],
)
def test_a_follow_up_of_a_follow_up_keeps_the_subject(
    questions: tuple[str, ...], carried: tuple[str, ...]
) -> None:
    history = [Exchange(question, "…", (4,)) for question in questions[:-1]]
    found = follow_up(questions[-1], history)
    assert found is not None
    assert found.carried == carried


@pytest.mark.parametrize(
    ("before", "question", "read"),
    [
        ("전단지는 얼마야?", "그럼 의자는?", "그럼 의자는? (얼마야)"),
        ("how much are the flyers?", "and the chairs?", "and the chairs? (how much)"),
    ],
)
def test_a_bare_noun_takes_over_what_was_wanted(before: str, question: str, read: str) -> None:
    found = follow_up(question, [Exchange(before, "…", (1,))])
    assert found is not None
    assert found.text == read
    assert kind_asked(read) == "how_much"


@pytest.mark.parametrize(
    ("before", "question"),
    [("전단지는 얼마야?", "그럼 출시일은?"), ("how much are the flyers?", "and the release date?")],
)
def test_a_noun_that_says_what_it_wants_takes_nothing(before: str, question: str) -> None:
    assert follow_up(question, [Exchange(before, "…", (1,))]) is None
    assert kind_asked(question) == "when"


@pytest.mark.parametrize(
    ("before", "question", "kind"),
    [
        ("전단지는 누가 해?", "그럼 비용은?", "how_much"),
        ("who does the flyers?", "and the deadline?", "when"),
    ],
)
def test_a_measure_is_of_the_same_thing(before: str, question: str, kind: str) -> None:
    found = follow_up(question, [Exchange(before, "…", (1,))])
    assert found is not None
    assert kind_asked(question) == kind
    assert found.carried == (("flyers",) if question[0] < "가" else ("전단지",))


def test_she_is_who_the_last_question_named() -> None:
    history = [Exchange("What did Sue say about the flyers?", "…", (2,))]
    found = follow_up("And what did she say about the chairs?", history, ["Jin", "Sue"])
    assert found is not None
    assert found.question == "And what did Sue say about the chairs?"
