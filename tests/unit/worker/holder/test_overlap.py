"""Where the record of a dead holder ends and its standby's begins: no word lost, none twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.endpointer import EndpointerOptions
from stt.track_events import Heard
from worker.holder.overlap import TAKEOVER_OVERLAP_MS, TurnsCut

UNTIL_MS = 60_000
SAID = {
    "ko": ("출시일은 십일월 이십일로 하고 서버를 한 대 더", "사기로 결정하겠습니다"),
    "en": ("we will ship on the twentieth and buy one", "more server for the index"),
}


def heard(text: str, start_ms: int, end_ms: int) -> Heard:
    return Heard(f"ben@{start_ms}", "ben", text, start_ms, end_ms, None, None, "TR_1", end_ms + 500)


def test_the_overlap_is_shorter_than_the_silence_that_ends_a_turn() -> None:
    assert EndpointerOptions().silence_ms > TAKEOVER_OVERLAP_MS


@pytest.mark.parametrize("language", SAID)
def test_what_begins_behind_the_seam_is_left_alone(language: str) -> None:
    before, after = SAID[language]
    overlap = TurnsCut(UNTIL_MS, before)
    turn = heard(f"{before.split()[-1]} {after}", UNTIL_MS + 10, UNTIL_MS + 4000)
    assert overlap.past(turn) is turn, "said twice by the speaker is said twice"


@pytest.mark.parametrize("language", SAID)
def test_words_of_the_overlap_are_not_said_again(language: str) -> None:
    before, after = SAID[language]
    turn = heard(f"{before.split()[-1]} {after}", UNTIL_MS - TAKEOVER_OVERLAP_MS, UNTIL_MS + 3000)
    said = TurnsCut(UNTIL_MS, before).past(turn)
    assert said.text == after
    assert (said.start_ms, said.end_ms, said.key) == (turn.start_ms, turn.end_ms, turn.key)


@pytest.mark.parametrize("language", SAID)
def test_another_reading_of_what_is_on_record_goes(language: str) -> None:
    before, after = SAID[language]
    overlap = TurnsCut(UNTIL_MS, before)
    assert overlap.past(heard(before.split()[-1], UNTIL_MS - 390, UNTIL_MS - 20)) is None
    assert overlap.past(heard(after, UNTIL_MS + 200, UNTIL_MS + 900)) is not None


@pytest.mark.parametrize("language", SAID)
def test_a_turn_that_only_begins_early_keeps_every_word(language: str) -> None:
    """Two processes place one sound some tens of ms apart; its words are not those before it."""
    before, after = SAID[language]
    turn = heard(after, UNTIL_MS - 60, UNTIL_MS + 3000)
    assert TurnsCut(UNTIL_MS, before).past(turn) == turn


def test_a_word_that_another_engine_run_wrote_a_little_differently_counts_as_the_same() -> None:
    said = TurnsCut(UNTIL_MS, "let us look at the Index").past(
        heard("index, that is slow", UNTIL_MS - 300, UNTIL_MS + 900)
    )
    assert said.text == "that is slow"


@pytest.mark.parametrize("language", SAID)
def test_words_under_way_are_shown_again_only_where_none_of_them_is_on_record(language: str) -> None:
    before, after = SAID[language]
    overlap = TurnsCut(UNTIL_MS, before)
    assert not overlap.is_behind(UNTIL_MS - TAKEOVER_OVERLAP_MS)
    assert overlap.is_behind(UNTIL_MS + 10)
    overlap.past(heard(f"{before.split()[-1]} {after}", UNTIL_MS - TAKEOVER_OVERLAP_MS, UNTIL_MS + 3000))
    assert overlap.is_behind(UNTIL_MS - 200), "the first turn alone can repeat"


def test_only_the_first_turn_can_repeat() -> None:
    overlap = TurnsCut(UNTIL_MS, "yes")
    first = overlap.past(heard("yes indeed", UNTIL_MS - 300, UNTIL_MS + 500))
    assert first.text == "indeed"
    late = heard("yes", UNTIL_MS - 200, UNTIL_MS + 900)
    assert overlap.past(late) is late


WORDS = st.lists(
    st.sampled_from(["네", "서버", "index", "the", "결정", "twentieth", "for", "하나"]),
    min_size=1,
    max_size=30,
)


@given(WORDS, WORDS, st.integers(-5_000, TAKEOVER_OVERLAP_MS), st.integers(0, 3_000))
def test_no_new_word_is_lost_whatever_was_said(
    before: list[str], after: list[str], early_ms: int, length_ms: int
) -> None:
    """Without an overlap everything stays; with one, at most what fits into it goes, and only from the start."""
    turn = heard(" ".join(after), UNTIL_MS - early_ms, UNTIL_MS + 1 + length_ms)
    said = TurnsCut(UNTIL_MS, " ".join(before)).past(turn)
    kept = said.text.split() if said is not None else []
    assert kept == after[len(after) - len(kept) :]
    gone = len(after) - len(kept)
    assert gone <= (0 if early_ms <= 0 else 3)
