"""What makes a sentence weigh: its place, what it shares with the others, cues, names, figures."""

from __future__ import annotations

import pytest

from context.retrieval.evidence import importance
from context.topics.phrases.cues import keywords
from tests.unit.cases import cases

REST = {
    "ko": [
        "창고 지붕에서 물이 새고 있습니다.",
        "지붕 공사는 봄에 시작하면 됩니다.",
        "창고 지붕을 다시 덮어야 합니다.",
    ],
    "en": [
        "The roof of the barn leaks.",
        "Roof work can begin in spring.",
        "We have to cover the barn roof again.",
    ],
}


@cases
def test_each_sign_counts(plain: str, weighty: str) -> None:
    rest = REST["en" if plain.isascii() else "ko"]
    assert importance([*rest, weighty])[-1] > importance([*rest, plain])[-1]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_opening_sentence_counts_for_more(language: str) -> None:
    first, *others = REST[language]
    assert importance([first, *others])[0] > importance([*others, first])[-1]


@pytest.mark.parametrize("text", ["I think I will go on Monday.", "Okay, Yes it is.", "The roof leaks."])
def test_a_capital_alone_is_no_name(text: str) -> None:
    assert importance([text]) == importance([text.lower()])


def test_nothing_weighs_nothing() -> None:
    assert importance([]) == []


@cases
def test_keywords_are_no_figures_days_or_people(
    texts: tuple[str, ...], names: tuple[str, ...], out: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    found = set(keywords(texts, names=names))
    assert set(kept) <= found
    assert not found & set(out)


@cases
def test_keywords_are_things_and_no_scraps(
    texts: tuple[str, ...], out: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    found = set(keywords(texts))
    assert set(kept) <= found
    assert not found & set(out)
