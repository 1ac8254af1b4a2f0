"""What a speech model made up, and what people say all the same. Korean and English."""

from __future__ import annotations

import pytest

from stt.hallucinations import Scores, is_hallucinated, text_compression, without_echo
from tests.unit.cases import cases

SURE = Scores(avg_logprob=-0.2, no_speech_prob=0.02, compression=1.0)
DOUBTFUL = Scores(avg_logprob=-0.7, no_speech_prob=0.4, compression=1.0)


@cases
def test_what_was_said_stays_even_where_the_model_doubts(text: str) -> None:
    assert not is_hallucinated(text, SURE)
    assert not is_hallucinated(text, DOUBTFUL)


@cases
def test_words_in_silence_are_dropped_and_mumbled_ones_stay(
    text: str, logprob: float, no_speech: float, dropped: bool
) -> None:
    assert is_hallucinated(text, Scores(logprob, no_speech, 1.0)) == dropped


@cases
def test_stock_phrases_of_subtitles_are_dropped_where_the_model_doubts_and_only_there(text: str) -> None:
    assert is_hallucinated(text, DOUBTFUL)
    assert not is_hallucinated(text, SURE)


@pytest.mark.parametrize("text", ["", "  ", "...", "♪♪", "?!"])
def test_text_without_words_is_dropped(text: str) -> None:
    assert is_hallucinated(text, SURE)


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("그래서 그래서 " * 30, True),
        ("and then and then " * 30, True),
        ("네, 네, 네. 알겠습니다.", False),
        ("yes, yes, yes, of course", False),
    ],
)
def test_a_loop_is_dropped_and_emphasis_is_not(text: str, loops: bool) -> None:
    assert is_hallucinated(text, Scores(-0.1, 0.0, text_compression(text))) == loops


def test_confidence_is_the_mean_probability_of_a_token() -> None:
    sure = [Scores(logprob, 0.0, 1.0).confidence for logprob in (0.0, -0.6931, 0.3)]
    assert sure == [1.0, pytest.approx(0.5, abs=1e-3), 1.0]


@cases
def test_a_sentence_that_the_model_says_again_was_said_once_and_what_people_repeat_stays(
    heard: str, said: str
) -> None:
    assert without_echo(heard) == (said or heard)


@pytest.mark.parametrize("text", ["р р р р", "삶은 삶은 삶은 삶은 삶은 삶은", "Yes, yes, yes, yes."])
def test_one_word_alone_again_and_again_is_a_stuck_decoders_where_it_is_unsure(text: str) -> None:
    """Whisper has said such a thing on one machine, over silence and clicks, where another one says nothing."""
    assert is_hallucinated(text, Scores(-0.79, 0.1, 1.0))
    assert not is_hallucinated(text, Scores(-0.4, 0.1, 1.0))
    assert not is_hallucinated(f"{text} okay", Scores(-0.79, 0.1, 1.0))
