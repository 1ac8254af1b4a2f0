"""A search's hits: which passages are any, from which line they are shown, and which words are marked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.corpora.passage import Passage
from context.corpora.search_hits import NO_MEANING, Floor, excerpt, hits
from tests.fakes.passages import frequencies

FLOOR = Floor(near=0.84, alone=0.88)
TALK = (
    "민지: 오늘은 출시부터 이야기해 볼게요.\n"
    "준호: 결제 모듈 테스트가 남았어요.\n"
    "면접은 다음 주 화요일이에요.\n"
    "Alice: Interviews are on Tuesday, then."
)


def said(text: str, **more: Any) -> Passage:
    of = {"source_id": "m", "position": 0, "corpus": "earlier", "first": 11, "last": 11 + text.count("\n")}
    return Passage.model_validate(of | {"text": text} | more)


def marked(passage: Passage, query: str) -> str:
    """The excerpt, with its marks as brackets."""
    found = excerpt(passage, query)
    text = found.text
    for start, end in reversed(found.marks):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("query", "utterance", "first_line"),
    [
        ("결제", 12, "준호: [결제] 모듈 테스트가 남았어요."),
        ("면접이 언제야?", 13, "준호: [면접]은 다음 주 화요일이에요."),  # who goes on is named
        ("when is the interview?", 14, "Alice: [Interviews] are on Tuesday, then."),
        ("모듈테스트", 12, "준호: 결제 [모듈] [테스트]가 남았어요."),
        ("Alice", 14, "[Alice]: Interviews are on Tuesday, then."),
        ("zzzzqqq", 11, "민지: 오늘은 출시부터 이야기해 볼게요."),
    ],
)
def test_an_excerpt_begins_at_the_line_that_was_hit(query: str, utterance: int, first_line: str) -> None:
    passage = said(TALK)
    assert excerpt(passage, query).utterance == utterance
    assert marked(passage, query).split("\n")[0] == first_line


def test_the_first_of_the_lines_that_hold_most_is_the_one() -> None:
    passage = said("가은: 예산 이야기예요.\n나은: 마케팅 예산은 줄입니다.\n다은: 마케팅 예산은 그대로요.")
    assert excerpt(passage, "마케팅 예산").utterance == 12


def test_half_a_word_is_not_marked() -> None:
    assert marked(said("민지: 예, 예산이요."), "예산") == "민지: 예, [예산]이요."


def test_where_lines_are_no_utterances_the_passage_begins_where_it_did() -> None:
    assert excerpt(said(TALK, last=30), "면접").utterance == 11
    document = said("Prices\nServer: 300 dollars", corpus="document", first=None, last=None, page=4)
    assert excerpt(document, "server").utterance is None
    assert marked(document, "server") == "[Server]: 300 dollars"


def test_a_long_passage_is_cut_and_its_marks_with_it() -> None:
    found = excerpt(said("민지: " + "예산 " * 1_000), "예산")
    assert len(found.text) <= 600
    assert found.text.endswith("…")
    assert all(found.text[start:end] == "예산" for start, end in found.marks)


@given(text=st.text(min_size=1, max_size=400), query=st.text(max_size=60))
def test_marks_are_spans_in_order_within_the_text(text: str, query: str) -> None:
    found = excerpt(said(text), query)
    places = [place for mark in found.marks for place in mark]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(found.text) for start, end in found.marks)


SHELF = [
    said("민지: 면접 일정은 화요일이에요."),
    said("준호: 결제 모듈을 고칩니다.", position=1),
    said("Alice: The opening is in March.", position=2),
    *(said(f"하나: 다음 안건 {place}번입니다.", position=place) for place in (3, 4, 5)),
]


def found(query: str, likeness: dict[int, float] | None = None, floor: Floor = FLOOR) -> list[int]:
    """The positions of the hits."""
    cosines = {f"m:{place}": cosine for place, cosine in (likeness or {}).items()}
    ids = hits(query, SHELF, frequencies(SHELF), len(SHELF), likeness=cosines, floor=floor)
    return [each.position for each in SHELF if each.id in ids]


@pytest.mark.parametrize(
    "query", ["zzzzqqq", "뷁쉙", "ㅁㄴㅇㄹ", "how do black holes work", "김치찌개 끓이는 법"]
)
def test_what_nobody_spoke_of_has_no_hit_however_the_vectors_stand_to_each_other(query: str) -> None:
    assert found(query) == []
    assert found(query, {0: 0.87, 1: 0.86, 2: 0.85}) == []


def test_words_make_a_hit_without_vectors_and_in_both_languages() -> None:
    assert found("면접 일정") == [0]
    assert found("결제 모듈 zzzzqqq") == [1]
    assert found("결제 zzzzqqq") == [], "it is one of two"
    assert found("when is the opening?") == [2]


@pytest.mark.parametrize(("query", "place"), [("모듈", 1), ("면접", 0), ("다음 안건", 3), ("opening", 2)])
def test_one_word_is_a_hit_wherever_it_stands(query: str, place: int) -> None:
    assert place in found(query, floor=NO_MEANING)


@pytest.mark.parametrize("query", ["opening a bank account", "면접 정장 대여 요금", "hotel near the opening"])
def test_a_word_that_was_said_of_something_else_makes_no_hit(query: str) -> None:
    assert found(query) == []
    assert found(query, {0: 0.86, 1: 0.86, 2: 0.86}) == []


def test_a_hit_tells_whether_it_holds_all_that_was_typed() -> None:
    shelf = [said("정 대리: 제가 갔다 왔습니다."), said("하늘: 정은이가 갑니다.", position=1)]
    found = hits("정은", shelf, frequencies(shelf), len(shelf), likeness={}, floor=NO_MEANING)
    assert found == {"m:0": False, "m:1": True}


def test_a_word_with_two_forms_weighs_no_more_than_another() -> None:
    assert found("who wrote the opening music?") == found("who composed the opening music?")
    shelf = [said("Omar: She wrote to us."), *SHELF]
    likeness: dict[str, float] = {}
    ids = hits(
        "who wrote Harry Potter?", shelf, frequencies(shelf), len(shelf), likeness=likeness, floor=FLOOR
    )
    assert ids == {}


def test_fewer_words_are_enough_where_somebody_asks() -> None:
    assert found("opening of the new gallery rooms") == []
    assert found("opening of the gallery, when is it?") == [2]


def test_meaning_makes_a_hit_of_few_words_and_alone_only_where_it_is_beyond_doubt() -> None:
    few = "the opening of the gallery"
    assert found(few) == []
    assert found(few, {2: 0.83}) == []
    assert found(few, {2: 0.85}) == [2]
    assert found("launch day", {2: 0.87}) == []
    assert found("launch day", {2: 0.89}) == [2]
    assert found("launch day", {2: 0.99}, floor=NO_MEANING) == []
