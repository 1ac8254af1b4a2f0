"""Names of topics: noun phrases, never what is said in every meeting. Excerpts and names by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.topics.boundaries import name_for
from context.topics.phrases.topic_names import name_of
from context.topics.phrases.topic_phrases import EMPTY_EN, EMPTY_KO
from tests.unit.cases import cases
from tests.unit.context.samples import load_lines, utter

BAD = """
그런데 제가 지금 아니 우리 저희들 그것 부분 때문 경우 시간 자리 위원님 간사님 결정하신 번째 말씀 있습니다 하는 뽑아 지켜야 주셔서 알고
supposed different thank question zero it'll wanna use made mainly interested okay yeah maybe gonna anyone brilliant lovely
""".split()  # noqa: SIM905  a list of words reads better so
"""Names, or parts of names, that topics of real meetings had before; none of them names anything."""


@cases
def test_a_topic_is_called_by_what_it_keeps_saying(texts: tuple[str, ...], name: str) -> None:
    assert name_of(texts) == name


@cases
def test_who_raises_a_matter_names_it(text: str, name: str) -> None:
    assert name_of([text]) == name


@cases
def test_what_opens_a_meeting_is_called_by_its_first_matter(texts: tuple[str, ...], name: str) -> None:
    assert name_of(texts, opening=True) == name


def test_what_people_do_is_no_name() -> None:
    texts = [
        "Then we wrap the panels.",
        "I could wrap them by hand.",
        "To wrap the panels takes foil.",
        "The foil.",
    ]
    assert "wrap" not in name_of(texts)
    assert "panel" in name_of(texts)


@pytest.mark.parametrize("word", BAD)
def test_what_every_meeting_says_is_no_name(word: str) -> None:
    filled = {
        "ko": ["{} 그렇게 하겠습니다.", "아니 {} 그렇습니다.", "네, {} 맞습니다."],
        "en": ["So {} is that .", "Yeah {} then .", "Okay and {} ."],
    }["ko" if word[0] >= "가" else "en"]
    assert word not in name_of([line.format(word) for line in filled]).split()


@cases
def test_without_content_there_is_no_name(texts: tuple[str, ...]) -> None:
    assert name_of(texts) == "", "the topic is called by its number then"


def test_who_talks_is_not_what_they_talk_about() -> None:
    texts = [
        "박준호 씨 의견은요?",
        "준호 님, 배포 계획은요?",
        "배포 계획은 준호가 압니다.",
        "배포 계획입니다.",
    ]
    assert name_of(texts, ["박준호", "김민지"]) == "배포 계획"
    assert (
        name_of(["Ben , the export is late .", "Ben , when is the export done ?"], ["Ben Carter"]) == "export"
    )


@cases
def test_whose_turn_it_is_names_nothing(texts: tuple[str, ...], name: str) -> None:
    assert name_of(texts) == name
    assert "singh" not in name_of(texts[:1]).lower()


def test_the_names_of_the_scripts() -> None:
    for meeting in ("ko-release-planning", "en-sprint-review"):
        lines = load_lines(meeting)
        said = [utter(number, who, text) for number, (who, text) in enumerate(lines, 1)]
        for first in range(1, len(said) - 8, 4):
            name = name_for(said, first, first + 8)
            words = {word.lower() for word in name.replace("·", " ").split()}
            assert words - EMPTY_EN - EMPTY_KO or not name, name
            assert len(name) <= 60


@given(st.lists(st.text(max_size=120), max_size=12), st.lists(st.text(max_size=12), max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_text_has_a_name_or_none(texts: list[str], speakers: list[str]) -> None:
    name = name_of(texts, speakers)
    assert name == name.strip()
    assert name_of(texts, speakers) == name


def test_a_figure_names_nothing() -> None:
    ko = [
        "강연료는 팔십만 원이에요.",
        "칠십까지인데요.",
        "칠십에도 와 주신대요.",
        "작가 초청은 그렇게 하죠.",
        "작가 초청 건은 됐고요.",
    ]
    assert name_of(ko) == "강연료"
    assert name_of(ko[1:]) == "작가 초청"


@cases
def test_what_a_figure_counts_names_nothing(texts: tuple[str, ...], name: str) -> None:
    assert name_of(texts) == name
