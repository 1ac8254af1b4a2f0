"""What any part can hold, and nobody's name in two lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context import events
from context.budget import ExactTokenizer
from context.models import Invocation, Statement, Summary
from context.text import LONGEST_CHARS, LONGEST_NAME, clean, clean_name, cleaned
from tests.unit.cases import cases

anything = st.text(st.characters(codec=None), max_size=60)


@given(anything)
def test_clean_text_fits_everywhere_and_stays(text: str) -> None:
    kept = clean(text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert json.loads(json.dumps(kept, ensure_ascii=False)) == kept
    assert clean(kept) == kept


@given(st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_what_is_clean_is_left_alone(text: str) -> None:
    assert clean(text) is text


def test_halves_that_belong_together_become_their_character() -> None:
    assert clean("\ud83c\udf89 축하 \ud83c") == "🎉 축하 \ufffd"
    assert clean("a\0b") == "a\ufffdb"


def test_length_is_bounded() -> None:
    assert len(clean("가" * (LONGEST_CHARS + 5))) == LONGEST_CHARS
    assert clean("hello", 2) == "he"


@given(anything)
def test_a_name_is_one_short_line(name: str) -> None:
    kept = clean_name(name, "nobody")
    assert kept.splitlines() == [kept]
    assert 0 < len(kept) <= LONGEST_NAME


@cases
def test_a_name_cannot_speak_for_others(given_name: str, kept: str) -> None:
    assert clean_name(given_name, "minji") == kept


def test_an_event_is_clean_all_through() -> None:
    asked = events.QuestionAsked(
        invocation=Invocation(id="q\0", by="a", via="chat", text="언제\ud800?", at_ms=1),
        position=events.InputPosition(stream="s\0", position="1-0"),
    )
    kept = cleaned(asked)
    assert kept.invocation.id == "q\ufffd"
    assert kept.invocation.text == "언제\ufffd?"
    assert kept.position is not None
    assert kept.position.stream == "s\ufffd"
    done = events.SummaryReady(
        topic_id="t",
        version=1,
        reason="closing",
        covered_until=1,
        content=Summary(decisions=(Statement(text="a\0", evidence=(1,)),), keywords=("서버", "\udfff")),
        engine="e",
    )
    assert cleaned(done).content.decisions[0].text == "a\ufffd"
    assert cleaned(done).content.keywords == ("서버", "\ufffd")
    clean_already = events.ParticipantJoined(participant_id="a", name="김민지", at_ms=0)
    assert cleaned(clean_already) is clean_already


@pytest.mark.parametrize("text", ["가나다라 ", "hello there ", "a", "가", "🎉"])
def test_a_million_characters_can_be_counted(text: str) -> None:
    count = ExactTokenizer().count
    many = text * (1_000_000 // len(text))
    part = count(many[:50_000])
    assert part * 19 <= count(many) <= part * 21
