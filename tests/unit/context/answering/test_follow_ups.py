"""Questions that need the turn before them, in Korean and in English: what they take from it, and what not."""

from __future__ import annotations

import pytest

from context.answering.follow_up import PastQuestion, follow_up
from context.models import Utterance
from context.plain.answer import QuotedAnswer as ExtractiveAnswer
from context.retrieval.answer_kinds import kind_asked
from tests.unit.cases import beside, cases
from tests.unit.context.asked import answer
from tests.unit.context.samples import utter

TALK = beside(__file__)
KO, EN = TALK["KO"], TALK["EN"]


def talk(lines: tuple[str, ...]) -> list[Utterance]:
    return [utter(place, *line.split(": ", 1)) for place, line in enumerate(lines, 1)]


def asked_in_turn(lines: tuple[str, ...], *questions: str) -> list[ExtractiveAnswer]:
    """The answers of one asker's questions, one after the other."""
    said, history, given = talk(lines), list[PastQuestion](), list[ExtractiveAnswer]()
    for question in questions:
        leans = follow_up(question, history, ["Jin", "Sue"])
        reply = answer(
            question, utterances=said, **({"matter": leans.text, "follows": True} if leans else {})
        )
        evidence = () if reply.declined else reply.evidence
        history.append(PastQuestion(question, reply.text, evidence=evidence))
        given.append(reply)
    return given


@cases
def test_a_follow_up_is_answered_beside_the_last_answer(
    meeting: str, questions: tuple[str, ...], evidence: int
) -> None:
    reply = asked_in_turn(TALK[meeting], *questions)[-1]
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(("lines", "question"), [(KO, "언제까지?"), (EN, "by when?")])
def test_alone_it_takes_nothing(lines: tuple[str, ...], question: str) -> None:
    assert follow_up(question, []) is None
    assert answer(question, utterances=talk(lines)).certainty != "answer"


@cases
def test_a_question_with_a_subject_of_its_own_stands_alone(before: str, question: str) -> None:
    assert follow_up(question, [PastQuestion(before, "…", (4,))]) is None


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
    history = [PastQuestion(question, "…", (4,)) for question in questions[:-1]]
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
    found = follow_up(question, [PastQuestion(before, "…", (1,))])
    assert found is not None
    assert found.text == read
    assert kind_asked(read) == "how_much"


@pytest.mark.parametrize(
    ("before", "question"),
    [("전단지는 얼마야?", "그럼 출시일은?"), ("how much are the flyers?", "and the release date?")],
)
def test_a_noun_that_says_what_it_wants_takes_nothing(before: str, question: str) -> None:
    assert follow_up(question, [PastQuestion(before, "…", (1,))]) is None
    assert kind_asked(question) == "when"


@pytest.mark.parametrize(
    ("before", "question", "kind"),
    [
        ("전단지는 누가 해?", "그럼 비용은?", "how_much"),
        ("who does the flyers?", "and the deadline?", "when"),
    ],
)
def test_a_measure_is_of_the_same_thing(before: str, question: str, kind: str) -> None:
    found = follow_up(question, [PastQuestion(before, "…", (1,))])
    assert found is not None
    assert kind_asked(question) == kind
    assert found.carried == (("flyers",) if question[0] < "가" else ("전단지",))


def test_she_is_who_the_last_question_named() -> None:
    history = [PastQuestion("What did Sue say about the flyers?", "…", (2,))]
    found = follow_up("And what did she say about the chairs?", history, ["Jin", "Sue"])
    assert found is not None
    assert found.question == "And what did Sue say about the chairs?"
