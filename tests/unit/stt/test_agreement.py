"""What readings agree on: firm where two in a row say the same, and kept until two in a row say otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.agreement import Agreement, TimedWord
from tests.unit.cases import cases


def words(text: str, *, ms_each: int | None = None) -> list[TimedWord]:
    """A reading; with `ms_each`, of words that take so long each."""
    return [
        TimedWord(word, None if ms_each is None else at * ms_each) for at, word in enumerate(text.split(), 1)
    ]


@cases
def test_what_is_firm_after_some_readings(readings: list[str], firm: str, tentative: str) -> None:
    agreement = Agreement()
    for reading in readings:
        agreement.read(words(reading))
    text = agreement.text
    assert (text.text[: text.firm], text.text[text.firm :].strip()) == (firm, tentative)
    assert agreement.taken_back == 0


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("어느 후에 이를 시작하겠습니다", "오늘 회의를 시작하겠습니다 첫 번째"),
        ("we talk to a leaven customers", "we talked to eleven customers today"),
    ],
)
def test_firm_words_are_taken_back_by_two_readings_in_a_row_and_not_by_one(wrong: str, right: str) -> None:
    agreement = Agreement()
    agreement.read(words(wrong))
    agreement.read(words(wrong))
    before = agreement.text
    assert before.firm > 0
    agreement.read(words(right))
    assert agreement.text == before
    agreement.read(words(wrong))
    assert agreement.text == before
    assert agreement.taken_back == 0
    agreement.read(words(right))
    agreement.read(words(right))
    assert agreement.text.text == right
    assert agreement.taken_back > 0


def test_a_reading_of_nothing_takes_nothing_back() -> None:
    agreement = Agreement()
    for reading in ("네 그렇게 하죠", "네 그렇게 하죠", "", ""):
        agreement.read(words(reading))
    assert agreement.text.text == "네 그렇게 하죠"


@pytest.mark.parametrize("talk", ["하나 둘 셋 넷 다섯 여섯 일곱", "one two three four five six seven"])
def test_firm_words_whose_sound_is_left_out_stay_and_readings_go_on_behind_them(talk: str) -> None:
    agreement = Agreement()
    spoken = talk.split()
    agreement.read(words(" ".join(spoken[:4]), ms_each=500))
    agreement.read(words(" ".join(spoken[:5]), ms_each=500))
    assert agreement.settle(400) is None, "no word ends so early"
    assert agreement.settle(1100) == 1000
    for more in (6, 7, 7):
        agreement.read(words(" ".join(spoken[2:more]), ms_each=500))
        assert agreement.text.text == " ".join(spoken[:more])
    assert agreement.settle(10_000) is not None
    assert agreement.text.text == talk
    assert agreement.taken_back == 0


def test_a_piece_that_an_engine_times_as_a_whole_is_settled_as_a_whole() -> None:
    agreement = Agreement()
    piece = [TimedWord(word, 1500) for word in ["We", "ship", "in", "December."]]
    for reading in (
        [*piece, TimedWord("Then", 2500)],
        [*piece, TimedWord("Then", 2500), TimedWord("we", 2500)],
    ):
        agreement.read(reading)
    assert agreement.settle(2000) == 1500
    agreement = Agreement()
    for reading in (piece, piece):  # its last word is not firm
        agreement.read(reading)
    assert agreement.settle(2000) is None


@given(st.lists(st.lists(st.sampled_from(["네", "그럼", "회의", "회의를", "ship", "it", "…"]), max_size=6)))
def test_the_firm_part_is_a_beginning_of_the_text_and_ends_at_a_word(readings: list[list[str]]) -> None:
    agreement = Agreement()
    for reading in readings:
        agreement.read([TimedWord(word) for word in reading])
        text = agreement.text
        assert 0 <= text.firm <= len(text.text)
        assert text.firm in {0, len(text.text)} or text.text[text.firm] == " "
        assert text.text == text.text.strip()
