"""What was said is found again: by words, by sound, and fast at any length of meeting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.retrieval.answer_kinds import AnswerKind, gives, kind_asked
from context.retrieval.index_terms import terms
from context.retrieval.lexical import LexicalIndex
from context.retrieval.question_subject import coverage, topic_words
from tests.unit.cases import cases
from tests.unit.context.samples import LINES, load, utter


@cases
def test_the_right_line_comes_first(meeting: str, query: str, wanted: int) -> None:
    (found, score), *_ = LexicalIndex(load(meeting)).search(query, 3)
    assert found == wanted
    assert score > 0


def test_a_garbled_word_still_finds_its_line() -> None:
    index = LexicalIndex(load("ko-release-planning", 0, 20))
    assert 9 in [found for found, _ in index.search("조실 결정", 5)]


def test_the_index_grows_and_counts_an_utterance_once() -> None:
    index = LexicalIndex()
    assert index.search("서버", 3) == []
    for _ in range(2):
        index.add(utter(7, "a", "서버 비용을 줄입니다"))
    assert len(index) == 1
    assert [found for found, _ in index.search("서버 비용", 3)] == [7]
    assert index.search("zebra", 3) == index.search("", 3) == index.search("서버", 0) == []


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=40), st.sampled_from(LINES), st.integers(1, 5))
def test_results_are_ranked_distinct_and_bounded(said: list[str], query: str, k: int) -> None:
    index = LexicalIndex(utter(number, "a", text) for number, text in enumerate(said, 1))
    found = index.search(query, k)
    assert len(found) <= k
    assert len({i for i, _ in found}) == len(found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_of_a_long_meeting_the_best_are_those_of_all() -> None:
    index = LexicalIndex(utter(n, "a", f"{LINES[n % len(LINES)]} {n}") for n in range(1, 1_001))
    for line in LINES[::6]:
        scores = [[score for _, score in index.search(line, most)] for most in (3, 1_000)]
        assert scores[0] == scores[1][:3]


@given(st.text(max_size=100))
def test_any_text_has_terms(text: str) -> None:
    assert all(terms(text))


@cases
def test_a_question_is_taken_apart(question: str, topic: tuple[str, ...], kind: str | None) -> None:
    assert (topic_words(question), kind_asked(question)) == (topic, kind)


@cases
def test_what_holds_the_kind_of_answer_that_is_asked_for(kind: AnswerKind, text: str) -> None:
    assert gives(kind, text)
    assert not gives(kind, "조금 위험합니다")
    assert not gives(kind, "That sounds fine.")


@cases
def test_a_day_or_an_hour_is_no_amount(text: str) -> None:
    assert gives("when", text)
    assert not gives("how_much", text)


def test_coverage_goes_by_sound_too() -> None:
    asked = topic_words("조실이 언제로 결정받지")
    assert coverage(asked, "출시리는 시비월 이시비일로 결정하겠습니다") > 0.5
    assert coverage(asked, "마케팅 예산은 일억 팔천만 원으로 확정합니다.") == 0


@cases
def test_a_misheard_when_asks_all_the_same(heard: str) -> None:
    assert topic_words(heard) == ("조실",)
    assert kind_asked(heard) == "when"


def test_a_name_that_begins_like_a_when_is_asked_about() -> None:
    assert "안재현" in topic_words("안재현이 맡은 일이 뭐지?")
    assert kind_asked("안재현이 맡은 일이 뭐지?") is None
