"""Where figures and days stand in a text, in both languages; what they are, other tests show."""

from __future__ import annotations

import pytest

from context.evidence.figure_places import figure_places


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("출시일은 12월 22일로 결정하겠습니다.", ["12월", "22일로"]),
        ("출시일은 십이월 이십이일로 결정하겠습니다.", ["십이월", "이십이일로"]),
        ("서버 비용은 삼십 퍼센트 늘었습니다.", ["삼십 퍼센트"]),
        ("22일, 22일, 22일에 합니다.", ["22일", "22일", "22일에"]),
        ("첫 번째 안건은 앱 출시 일정입니다.", []),
        ("금요일까지 공유해 주세요.", ["금요일까지"]),
        ("We ship on December 22nd, 2026.", ["December", "22nd", "2026"]),
        ("It is the twenty-second of December.", ["twenty-second", "December"]),
        ("It costs four hundred and twelve thousand dollars.", ["four hundred", "twelve thousand"]),
        ("The index grew to forty million documents.", ["forty million"]),
        ("$3,500 by Friday!", ["$3,500", "Friday"]),
        ("네, 좋습니다.", []),
        ("Okay, let us move on.", []),
        ("", []),
    ],
)
def test_each_figure_is_found_in_its_words(text: str, words: list[str]) -> None:
    assert [text[place.start : place.end] for place in figure_places(text)] == words


def test_a_day_is_a_day_and_no_figure_beside_it() -> None:
    (month, day) = figure_places("12월 22일")
    assert month.says == {("month", 12.0)}
    assert day.says == {("day", 22.0)}
    (hundred,) = figure_places("three hundred dollars")
    assert hundred.says == {("figure", 300.0)}
