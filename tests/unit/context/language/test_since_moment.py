"""What changed since a moment: the moment is understood, and only what was settled from then on is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.corpora.passage import Passage
from context.language.since_moment import moment_ms, since_in
from context.models import Utterance
from context.plain.answer import QuotedAnswer as ExtractiveAnswer
from context.primitives.values import changed
from tests.unit.cases import cases
from tests.unit.context.asked import answer
from tests.unit.context.samples import utter

BEGAN = datetime(2026, 3, 2, 13, 30, tzinfo=UTC)
MINUTE_MS = 60_000
KO = (
    (0, "김민지", "오늘 회의를 시작하겠습니다."),
    (1, "박준호", "출시일은 십이월 십오일로 결정했습니다."),
    (2, "최하나", "마케팅 예산은 이억 원으로 확정합니다."),
    (3, "김민지", "결제 기능 테스트는 제가 금요일까지 하겠습니다."),
    (61, "김민지", "백엔드 개발자를 두 명 뽑기로 결정하겠습니다."),
    (62, "박준호", "출시일은 십오일이 아니라 십이월 이십이일로 변경하기로 결정하겠습니다."),
    (63, "최하나", "채용 공고는 제가 수요일까지 올리겠습니다."),
)
EN = (
    (0, "Alice", "Good morning everyone."),
    (1, "Ben", "We decided that the release date is May the third."),
    (2, "Chloe", "We decided that the marketing budget is two thousand dollars."),
    (3, "Alice", "I will test the payment feature by Friday."),
    (61, "Alice", "We will hire two backend developers. That is decided."),
    (62, "Ben", "We decided that the release date moves to May the tenth."),
    (63, "Chloe", "I will post the job advertisement by Wednesday."),
)


def said(lines: tuple[tuple[int, str, str], ...]) -> list[Utterance]:
    made = [
        utter(number, name.lower(), text, name=name, at_s=minute * 60)
        for number, (minute, name, text) in enumerate(lines, 1)
    ]
    return [
        changed(each, {"absolute_timestamp": BEGAN + timedelta(milliseconds=each.start_ms)}) for each in made
    ]


def ask(question: str, *, earlier: tuple[Passage, ...] = ()) -> ExtractiveAnswer:
    lines = KO if any("가" <= char <= "힣" for char in question) else EN
    return answer(question, utterances=said(lines), zone=UTC, at_ms=64 * MINUTE_MS, earlier=earlier)


@cases
def test_only_what_came_since_is_told_with_what_it_changed(question: str) -> None:
    found = ask(question)
    assert not found.declined
    assert found.evidence == (2, 5, 6, 7), found.text
    assert "금요일" not in found.text
    assert "Friday" not in found.text


@cases
def test_of_one_subject_of_nothing_and_of_everything(question: str, evidence: tuple[int, ...] | None) -> None:
    found = ask(question)
    assert not found.declined
    assert found.evidence == ((2, 3, 4, 5, 6, 7) if evidence is None else evidence), found.text
    if not found.evidence:
        assert "없습니다" in found.text or "Nothing" in found.text


@cases
def test_what_an_earlier_meeting_decided_otherwise_stands_beside_it(question: str, before: str) -> None:
    passage = Passage(
        corpus="earlier",
        source_id="m-0",
        title="Kickoff",
        position=0,
        text=f"Dana: {before}",
        speakers=("Dana",),
        said_at=BEGAN - timedelta(days=7),
    )
    found = ask(question, earlier=(passage,))
    lines = found.text.splitlines()
    place = next(at for at, line in enumerate(lines) if before in line)
    assert "Kickoff" in lines[place]
    assert "예산" in lines[place + 1] or "budget" in lines[place + 1]
    assert found.sources == (passage.citation,)
    assert 3 in found.evidence


@cases
def test_other_questions_are_left_alone(question: str) -> None:
    assert since_in(question) is None


@pytest.mark.parametrize(
    ("question", "minutes"),
    [
        ("지난 이십오 분 동안 뭐가 바뀌었어?", 25),
        ("두 시간 전부터 뭐가 바뀌었어?", 120),
        ("What changed in the last twelve minutes?", 12),
        ("What has changed in the last two hours?", 120),
    ],
)
def test_numbers_are_read_in_words(question: str, minutes: int) -> None:
    since = since_in(question)
    assert since is not None
    assert since.ago_ms == minutes * MINUTE_MS


@given(
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
    now_ms=st.integers(0, 26 * 60 * MINUTE_MS),
    offset=st.integers(-12, 12),
)
def test_a_moment_lies_within_the_meeting_or_has_not_come(
    hour: int, minute: int, now_ms: int, offset: int
) -> None:
    since = since_in(f"{hour}:{minute:02} 이후 뭐가 바뀌었어?")
    assert since is not None
    began = BEGAN.astimezone(timezone(timedelta(hours=offset)))
    at_ms = moment_ms(since, began=began, now_ms=now_ms)
    assert 0 <= at_ms <= now_ms + 1
    if 0 < at_ms <= now_ms:
        at = began + timedelta(milliseconds=at_ms)
        assert (at.hour, at.minute) == (hour, minute)
