"""Text in its canonical form: what any part can hold, on one line, with nothing hidden in it."""

from __future__ import annotations

import json
import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.budgets.tokens import ExactTokenizer
from context.events import events
from context.events.topic_events import SummaryReady
from context.models import Statement, Summary
from context.primitives.text import (
    LONGEST_CHARS,
    MAX_NAME_CHARS,
    clean_name,
    cleaned,
    inert,
    inert_name,
    inert_quote,
    many_lines,
    one_line,
    storable,
    visible,
)
from context.question import Question
from tests.unit.cases import cases

anything = st.text(st.characters(codec=None), max_size=60)
odd = st.text(
    st.sampled_from(
        "a가ᄀ\u1161\u11a8é\u0301 \t\n\r\x0b\x85\u2028\u200b\u200c\u200d\ufe0f❤👩1\u20e3क\u094d\u2800\u3000\u202e"
    )
    | st.characters(codec=None),
    max_size=40,
)
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@given(anything)
def test_storable_text_fits_everywhere_and_stays(text: str) -> None:
    kept = storable(text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert json.loads(json.dumps(kept, ensure_ascii=False)) == kept
    assert storable(kept) == kept


@given(st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_what_is_storable_is_left_alone(text: str) -> None:
    assert storable(text) is text


def test_halves_that_belong_together_become_their_character() -> None:
    for shape in (storable, one_line, many_lines):
        assert shape("\ud83c\udf89 축하 \ud83c") == "🎉 축하 \ufffd"
    assert storable("a\0b") == "a\ufffdb"


def test_length_is_bounded() -> None:
    for shape in (storable, one_line, many_lines):
        assert len(shape("가" * (LONGEST_CHARS + 5))) == LONGEST_CHARS
        assert shape("hello", 2) == "he"
    assert one_line("ab cd", 3) == "ab"


@given(anything | odd)
def test_a_line_is_one_line_of_composed_letters_without_anything_hidden(text: str) -> None:
    line = one_line(text)
    assert one_line(line) is line
    assert unicodedata.is_normalized("NFC", line)
    assert line.split() == line.split(" ") if line else not line.split()
    kinds = {unicodedata.category(char) for char in line if char not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert visible(line) == line
    assert many_lines(line) is line


@given(anything | odd)
def test_lines_keep_their_breaks_and_nothing_else_that_is_hidden(text: str) -> None:
    kept = many_lines(text)
    assert many_lines(kept) is kept
    assert unicodedata.is_normalized("NFC", kept)
    assert all(one_line(line) == " ".join(line.split()) for line in kept.split("\n") if "\u2800" not in line)
    assert not any(char in kept for char in f"{_BREAKS[1:]}\t\0\u200b")
    assert one_line(kept) == one_line(text)


def test_no_control_or_format_character_gets_into_a_line() -> None:
    """Every character of Unicode that is none to be seen, between two letters."""
    hidden = [
        char
        for char in map(chr, range(0x110000))
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or "\ufe00" <= char <= "\ufe0f"
    ]
    assert len(hidden) > 2000
    assert {one_line(f"가{char}나") for char in hidden} == {"가나", "가 나", "가\ufffd나"}
    assert {one_line(char) for char in hidden} == {"", "\ufffd"}


@cases
def test_a_line_in_its_canonical_form(text: str, line: str) -> None:
    assert one_line(text) == line


@cases
def test_joiners_and_selectors_stay_where_they_belong(text: str) -> None:
    assert one_line(text) is text or one_line(text) == text
    assert visible(text) == text
    assert inert(text) == text


@pytest.mark.parametrize("name", ["김민지", "회의록", "Zoë", "Ångström"])
def test_decomposed_letters_are_composed(name: str) -> None:
    apart = unicodedata.normalize("NFD", name)
    assert apart != name
    for shape in (one_line, many_lines, clean_name):
        assert shape(apart) == name
    assert one_line(apart[:1] + "\u200b" + apart[1:]) == name
    assert storable(apart) == apart  # an id stays as LiveKit has it


@pytest.mark.parametrize(
    "text",
    ["a" + "\u0301\u0316" * 400_000, "a" + "\u0315" * 400_000 + "\u0316" * 400_000, "\u200d" * 900_000],
)
def test_no_text_takes_longer_than_it_is_long(text: str) -> None:
    """Python's own normalisation takes minutes for the first two."""
    began_s = process_time()
    assert len(one_line(text)) < 40
    assert process_time() - began_s < 5


@given(anything | odd)
def test_a_name_is_one_short_line(name: str) -> None:
    kept = clean_name(name, "nobody")
    assert kept.splitlines() == [kept]
    assert 0 < len(kept) <= MAX_NAME_CHARS
    assert clean_name(kept) == kept


@cases
def test_a_name_cannot_speak_for_others(given_name: str, kept: str) -> None:
    assert clean_name(given_name, "minji") == kept


@cases
def test_a_quote_is_one_line_whatever_it_holds(text: str, quote: str) -> None:
    assert inert_quote(text) == quote
    assert inert_name(text).splitlines() in ([inert_name(text)], [])


def test_an_event_is_clean_all_through() -> None:
    asked = events.QuestionAsked(
        question=Question(id="q\0", by="a", via="chat", text="언제\ud800?", at_ms=1),
        position=events.InputPosition(stream="s\0", position="1-0"),
    )
    kept = cleaned(asked)
    assert kept.question.id == "q\ufffd"
    assert kept.question.text == "언제\ufffd?"
    assert kept.position is not None
    assert kept.position.stream == "s\ufffd"
    done = SummaryReady(
        topic_id="t",
        version=1,
        reason="closing",
        covered_until=1,
        content=Summary(decisions=(Statement(text="a\0\n# b", evidence=(1,)),), keywords=("서버", "\udfff")),
        engine="e",
    )
    assert cleaned(done).content.decisions[0].text == "a\n# b", "a statement has a line for each who said it"
    assert cleaned(done).content.keywords == ("서버", "\ufffd")
    clean_already = events.ParticipantJoined(participant_id="a", name="김민지", at_ms=0)
    assert cleaned(clean_already) is clean_already


@pytest.mark.parametrize("text", ["가나다라 ", "hello there ", "a", "가", "🎉"])
def test_a_million_characters_can_be_counted(text: str) -> None:
    count = ExactTokenizer().count
    many = text * (1_000_000 // len(text))
    part = count(many[:50_000])
    assert part * 19 <= count(many) <= part * 21
