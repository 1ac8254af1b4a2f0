"""What makes a sentence weigh: its place, what it shares with the others, cues, names, figures."""

from __future__ import annotations

import pytest

from context.retrieval.evidence import importance
from context.topics.cues import keywords

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


def weights(language: str, *sentences: str) -> list[float]:
    """Of `sentences`, said after the same talk."""
    return [importance([*REST[language], sentence])[-1] for sentence in sentences]


@pytest.mark.parametrize(
    ("language", "plain", "weighty"),
    [
        pytest.param("ko", "점심은 국수로 먹었습니다.", "창고 지붕이 낡았습니다.", id="centrality ko"),
        pytest.param("en", "Lunch was noodles for everyone.", "The barn roof is old.", id="centrality en"),
        pytest.param(
            "ko",
            "지붕 비가 새서 그릇을 놓았습니다.",
            "지붕 비가 새서 그릇 열두 개를 놓았습니다.",
            id="number ko",
        ),
        pytest.param(
            "en", "Some tiles fell off the roof.", "Twelve tiles fell off the roof.", id="number en"
        ),
        pytest.param("ko", "지붕은 거기서 보았습니다.", "지붕은 Lumen 에서 보았습니다.", id="company ko"),
        pytest.param("en", "Yesterday he saw the roof.", "Yesterday Tobias saw the roof.", id="person en"),
        pytest.param("en", "The roof is seen by them.", "The roof is seen by NASA.", id="company en"),
    ],
)
def test_each_sign_counts(language: str, plain: str, weighty: str) -> None:
    less, more = weights(language, plain, weighty)
    assert more > less


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_opening_sentence_counts_for_more(language: str) -> None:
    first, *others = REST[language]
    assert importance([first, *others])[0] > importance([*others, first])[-1]


@pytest.mark.parametrize("text", ["I think I will go on Monday.", "Okay, Yes it is.", "The roof leaks."])
def test_a_capital_alone_is_no_name(text: str) -> None:
    assert importance([text]) == importance([text.lower()])


def test_nothing_weighs_nothing() -> None:
    assert importance([]) == []


@pytest.mark.parametrize(
    ("texts", "names", "out", "kept"),
    [
        (
            [
                "We open on Sundays from June.",
                "Twenty people came to the barn on Thursday.",
                "Martin fixed the barn roof.",
            ],
            ["Martin"],
            {"sundays", "june", "twenty", "thursday", "martin"},
            {"barn", "roof"},
        ),
        (
            [
                "홍천은 물이 좋아.",
                "가평은 막히지 않아?",
                "토요일에 홍천으로 가자.",
                "도현이 예약을 할게.",
                "이천칠백짜리 텐트는 비싸.",
            ],
            ["김도현"],
            {"토요일", "막히지", "가자", "할게", "도현", "이천칠백짜리"},
            {"홍천", "가평", "예약", "텐트"},
        ),
        (
            [
                "It takes a week, unfortunately, to evaluate the prototype.",
                "We evaluate it on a scale, and you press the button.",
                "The average prototype has a button.",
            ],
            [],
            {"takes", "unfortunately", "evaluate", "press", "average"},
            {"prototype", "button", "scale"},
        ),
        (
            ["방송사가 정정보도 했습니다.", "정정보도가 늦었습니다.", "방송사는 정정보도를 냈습니다."],
            [],
            {"정정보"},
            {"정정보도", "방송사"},
        ),
    ],
    ids=["en", "ko", "verbs", "ends like a particle"],
)
def test_keywords_are_no_figures_days_or_people(
    texts: list[str], names: list[str], out: set[str], kept: set[str]
) -> None:
    found = set(keywords(texts, names=names))
    assert kept <= found
    assert not found & out
