"""From segments to a turn: everything said, nothing made up. Korean and English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.assembler import TurnSpan, assemble
from stt.segment import Segment
from tests.unit.cases import cases

SPAN = TurnSpan(sound_ms=9_700, start_ms=10_000, end_ms=14_000, level_dbfs=-25)
SHORT = TurnSpan(sound_ms=9_700, start_ms=10_000, end_ms=10_500, level_dbfs=-25)
QUIET = TurnSpan(sound_ms=9_700, start_ms=10_000, end_ms=14_000, level_dbfs=-55)


def final(text: str, start_ms: int = 0, end_ms: int = 4_300, **more: object) -> Segment:
    return Segment(text, start_ms, end_ms, final=True, **more)  # type: ignore[arg-type] # a test's shorthand


def text_of(text: str, span: TurnSpan = SPAN, confidence: float | None = 0.9) -> str | None:
    said = assemble([final(text, confidence=confidence)], span)
    return said.text if said else None


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["출시는 다음 주", "  금요일로 하죠. "], "출시는 다음 주 금요일로 하죠."),
        (["Let's ship", "on  Friday. "], "Let's ship on Friday."),
    ],
)
def test_finals_are_joined_in_order_and_interims_are_not(parts: list[str], whole: str) -> None:
    segments = [final(part) for part in parts]
    segments.insert(1, Segment("not this", 0, 10, final=False))
    said = assemble(segments, SPAN)
    assert said is not None
    assert said.text == whole


@pytest.mark.parametrize(
    ("parts", "unclear"),
    [
        ([("출시는 ", ""), ("  12월  12일로 하죠.", "12일로")], ["12일로"]),
        ([("On the 12th.", "12th"), ("No, on the 22nd.", "22nd")], ["12th", "22nd"]),
        ([("12월, 12월 아니 11월", "11월"), ("네", "")], ["11월"]),
    ],
)
def test_what_was_not_heard_clearly_is_found_in_the_joined_text(
    parts: list[tuple[str, str]], unclear: list[str]
) -> None:
    segments = []
    for text, word in parts:
        start = text.index(word)
        segments.append(final(text, doubtful=((start, start + len(word)),) if word else ()))
    said = assemble(segments, SPAN)
    assert said is not None
    assert [said.text[start:end] for start, end in said.doubtful] == unclear


def test_times_are_the_voices_unless_the_engine_knows_much_better() -> None:
    near = assemble([final("네", 100, 4_200)], SPAN)
    assert near is not None
    assert (near.start_ms, near.end_ms) == (10_000, 14_000)
    narrower = assemble([final("네", 1_500, 2_500)], SPAN)
    assert narrower is not None
    assert (narrower.start_ms, narrower.end_ms) == (11_200, 12_200)
    absurd = assemble([final("네", 90_000, 95_000)], SPAN)
    assert absurd is not None
    assert (absurd.start_ms, absurd.end_ms) == (10_000, 14_000)


def test_confidence_counts_by_length_and_language_by_majority() -> None:
    said = assemble(
        [
            final("네", confidence=0.5, language="en"),
            final("그건 다음에 봅시다", confidence=0.9, language="ko"),
        ],
        SPAN,
    )
    assert said is not None
    assert said.confidence is not None
    assert 0.85 < said.confidence < 0.9
    assert said.language == "ko"
    silent = assemble([final("yes")], SPAN)
    assert silent is not None
    assert silent.confidence is None
    assert silent.language is None


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", "♪ ♪", "。"])
def test_nothing_said_is_nothing(text: str) -> None:
    assert text_of(text) is None
    assert assemble([], SPAN) is None


@cases
def test_known_inventions_go_where_a_second_sign_says_so_and_are_heard_where_somebody_says_them(
    text: str,
) -> None:
    assert text_of(text, confidence=0.4) is None
    assert text_of(text, SHORT) is None
    assert text_of(text, QUIET) is None
    assert text_of(text) == text


@cases
def test_meetings_talk_about_such_things_too(text: str) -> None:
    assert text_of(text, SHORT, confidence=0.3) == text


@pytest.mark.parametrize("unit", ["그래서 우리가 ", "and then we "])
def test_a_stuck_decoder_says_it_once(unit: str) -> None:
    assert text_of("좋아요. " + unit * 7) == f"좋아요. {unit.strip()}"


@pytest.mark.parametrize("unit", ["아이고 ", "oh my "])
def test_a_loop_faster_than_speech_was_not_said(unit: str) -> None:
    assert text_of(unit * 40, SHORT) is None


@pytest.mark.parametrize(
    "text", ["네네네네", "네, 네, 네.", "no no no", "예산은 100000000원입니다", "하하하"]
)
def test_people_repeat_themselves(text: str) -> None:
    assert text_of(text) == text


@cases
def test_what_begins_again_too_fast_was_said_once(text: str, voiced_ms: int, kept: str) -> None:
    assert text_of(text, TurnSpan(0, 0, voiced_ms)) == kept


@given(st.lists(st.text(max_size=40), max_size=6), st.integers(-50, 9_000), st.integers(-50, 9_000))
def test_any_text_gives_a_turn_inside_its_stretch_or_none(
    texts: list[str], start_ms: int, end_ms: int
) -> None:
    said = assemble([final(text, start_ms, end_ms) for text in texts], SPAN)
    if said is not None:
        assert SPAN.start_ms <= said.start_ms <= said.end_ms <= SPAN.end_ms
        assert any(char.isalnum() for char in said.text)
        assert said.text == said.text.strip()
