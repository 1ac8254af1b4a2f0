"""Which figures are in doubt, by what a model would have written instead and by the probabilities of words."""

from __future__ import annotations

import math

import pytest

from stt.word_confidence import doubtful_words, figure_tokens

KO, EN = "출시일은 12월 12일로 하죠.", "We ship on December 22nd, then."


def tokens(*pieces: str) -> list[int]:
    ends, at = [], 0
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    return ends


def test_a_figure_is_asked_for_with_one_token_behind_it_and_without_its_particles() -> None:
    ends = tokens("출시", "일은", " 12", "월", " 12", "일", "로", " 하죠.")
    month, day = figure_tokens(KO, ends)
    assert (month.first, month.count) == (2, 3)
    assert (day.first, day.count) == (4, 3)
    month, day = figure_tokens(EN, tokens("We", " ship", " on", " December", " 22", "nd", ",", " then."))
    assert (month.first, month.count) == (3, 2)
    assert (day.first, day.count) == (4, 3)


def test_other_writings_of_a_figure_count_for_it_and_other_figures_against_it() -> None:
    _, day = figure_tokens(KO, tokens("출시", "일은", " 12", "월", " 12", "일", "로", " 하죠."))
    before = "출시일은 12월"
    written = [(f" {before} 12일로", 0.4), (f" {before} 십이일로", 0.2), (f" {before} 22일로", 0.3)]
    share = day.share((text, math.log(probability)) for text, probability in written)
    assert share == pytest.approx(0.6)
    _, day = figure_tokens(EN, tokens("We", " ship", " on", " December", " 22", "nd", ",", " then."))
    before = " We ship on December"
    written = [(f"{before} 22nd,", 0.5), (f"{before} twenty-second", 0.1), (f"{before} 12th", 0.3)]
    share = day.share((text, math.log(probability)) for text, probability in written)
    assert share == pytest.approx(0.6)


@pytest.mark.parametrize("text", ["네, 좋습니다.", "Okay, let us go on.", ""])
def test_a_text_without_figures_is_not_asked_about(text: str) -> None:
    assert list(figure_tokens(text, tokens(*text))) == []
    assert doubtful_words(text, [(word, 0.1) for word in text.split()]) == ()


@pytest.mark.parametrize(("text", "word"), [(KO, "12일로"), (EN, "22nd")])
def test_a_word_that_an_endpoint_is_unsure_of_is_in_doubt_where_it_bears_a_figure(
    text: str, word: str
) -> None:
    sure = {each: 0.3 if each.startswith(word) or not each[0].isdigit() else 0.9 for each in text.split()}
    sure |= {"December": 0.9}
    words = [(f" {each}", sure[each]) for each in text.split()]
    assert [text[start:end] for start, end in doubtful_words(text, words)] == [word]


def test_words_of_another_text_tell_nothing() -> None:
    assert doubtful_words(KO, [("12일로", 0.1)]) == ()
    assert doubtful_words(KO, []) == ()
