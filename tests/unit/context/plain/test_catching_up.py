"""What did I miss? Asked how, how deep, of which part; and what is told of it."""

from __future__ import annotations

from datetime import UTC

import pytest

from context.models import Summary, TopicSegment, Utterance
from context.people.attendance import Attendance, missed
from context.plain.catch_up_depth import depth_of
from context.plain.facade import summarise
from context.plain.record import Record
from context.retrieval.lexical import LexicalIndex
from context.time_spans import Absence
from tests.unit.cases import cases
from tests.unit.context.asked import answer
from tests.unit.context.samples import utter


@cases
def test_a_catch_up_is_asked_for_at_a_depth(question: str, depth: str) -> None:
    assert depth_of(question) == depth


def test_what_was_missed_is_the_last_absence_or_what_was_before_or_the_last_minutes() -> None:
    room = Attendance()
    room.joined("a", "A", 0)
    room.joined("late", "L", 60_000)
    assert missed(room.people["late"], 90_000) == Absence(start_ms=0, end_ms=60_000, away=True)
    assert missed(room.people["a"], 900_000) == Absence(start_ms=300_000, end_ms=900_000, away=False)
    room.left("a", 100_000)
    assert missed(room.people["a"], 150_000) == Absence(start_ms=100_000, end_ms=150_000, away=True)
    room.joined("a", "A", 200_000)
    again = Attendance()
    again.load(room.dump())
    assert missed(again.people["a"], 900_000) == Absence(start_ms=100_000, end_ms=200_000, away=True)
    assert missed(None, 5_000) == Absence(start_ms=0, end_ms=5_000, away=True)


KO = [
    "안녕하세요.",
    "예산은 천만 원으로 확정합니다.",
    "제가 금요일까지 견적을 보내겠습니다.",
    "서버는 두 대로 하기로 했습니다.",
]
EN = [
    "Hello.",
    "We decided on a budget of ten thousand.",
    "I'll send the quote by Friday.",
    "We agreed to rent two servers.",
]


def _said(lines: list[str]) -> tuple[list[Utterance], list[TopicSegment]]:
    said = [utter(number, "ab"[number % 2], text) for number, text in enumerate(lines, start=1)]
    topic = TopicSegment(
        id="t",
        name="t",
        start_utterance_id=1,
        end_utterance_id=4,
        notes=summarise(Summary(), said),
        covered_until=4,
    )
    return said, [topic]


@pytest.mark.parametrize(("lines", "question"), [(KO, "놓친 거 알려줘"), (EN, "What did I miss?")])
def test_only_the_missed_part_is_told(lines: list[str], question: str) -> None:
    said, topics = _said(lines)
    part = Absence(start_ms=said[2].start_ms, end_ms=said[3].start_ms, away=True)
    found = answer(question, utterances=said, segments=topics, missed=part)
    assert found.evidence == (3,)
    assert "Friday" in found.text or "금요일" in found.text
    nobody = Absence(start_ms=10**7, end_ms=10**8, away=True)
    quiet = answer(question, utterances=said, segments=topics, missed=nobody)
    assert (quiet.evidence, quiet.declined) == ((), False)


@pytest.mark.parametrize(
    ("lines", "brief", "full"),
    [
        (KO, "놓친 거 짧게 알려줘", "놓친 거 자세히 알려줘"),
        (EN, "What did I miss, briefly?", "What did I miss, in detail?"),
    ],
)
def test_deeper_says_more(lines: list[str], brief: str, full: str) -> None:
    said, topics = _said([*lines[:1], *lines[1:]])
    short, long = (answer(question, utterances=said, segments=topics).evidence for question in (brief, full))
    assert set(short) <= set(long)
    assert 2 in short


def test_what_a_summary_says_in_other_words_is_not_put_in_anybodys_mouth() -> None:
    said = [utter(1, "a", "예산은 천만 원으로 확정합니다.")]
    record = Record(said, (), LexicalIndex(said), ("a",), "ko", UTC, ())
    assert record.quote("예산은 천만 원으로 확정합니다", said[0]).startswith("**a** (")
    shown = record.quote("예산이 천만 원으로 정해졌다", said[0])
    assert shown.startswith("**a** (")
    assert shown.endswith(said[0].text)
