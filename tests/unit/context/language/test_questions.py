"""Questions and requests are told from statements, with punctuation and without it, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.language.korean import jamo, language_of, language_shown, sound
from context.language.questions import as_question, clauses, is_question, is_request, sentences
from tests.unit.cases import cases
from tests.unit.context.samples import LINES
from worker.participants.room_commands import VoiceCalls


@pytest.mark.parametrize("text", LINES)
def test_script_lines_are_told_apart_without_question_marks(text: str) -> None:
    assert is_question(text.replace("?", ".")) == ("?" in text)
    assert is_question(text.rstrip("?.")) == ("?" in text)


@cases
def test_a_sentence_is_cut_into_clauses_and_no_name_in_two(text: str, parts: tuple[str, ...]) -> None:
    assert clauses(text) == list(parts)


@cases
def test_questions(text: str) -> None:
    assert is_question(text)


@cases
def test_statements(text: str) -> None:
    assert not is_question(text)


@cases
def test_requests(text: str) -> None:
    assert is_request(text)


@cases
def test_work_for_people_is_no_request_to_be_told(text: str) -> None:
    assert not is_request(text)


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    is_question(text)
    is_request(text)
    assert jamo(jamo(text)) == jamo(text)


def test_what_sounds_the_same_looks_the_same() -> None:
    assert jamo("모임아") == jamo("모이마")
    assert sound("캐시 도입!") == sound("케시도입")
    assert (language_of("출시일"), language_of("release"), language_of("출시", "en")) == ("ko", "en", "en")


@cases
def test_some_texts_show_no_language(text: str, shown: str | None) -> None:
    assert language_shown(text) == shown


@cases
def test_a_full_stop_inside_a_figure_or_a_name_ends_no_sentence(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == list(expected)


@cases
def test_what_the_agent_is_asked_as_it_was_heard(heard: str, question: str | None) -> None:
    """What is heard is written as a base speech model writes it."""
    assert as_question(heard) == question


def test_a_garbled_call_reaches_the_agent() -> None:
    calls = VoiceCalls(["모임", "Moim"])
    assert calls.hear("seoyeon", "모임아 조실이 안제로 결정받지", 0, 3000) == "조실이 언제로 결정받지"
    assert calls.hear("minji", "조실이 안제로 결정받지", 4000, 7000) is None, "nobody was called"
