from __future__ import annotations

import pytest

from stt.invention import Scores, is_invented, text_compression, without_echo

SURE = Scores(avg_logprob=-0.2, no_speech_prob=0.02, compression=1.0)
DOUBTFUL = Scores(avg_logprob=-0.7, no_speech_prob=0.4, compression=1.0)
SILENT = Scores(avg_logprob=-1.2, no_speech_prob=0.8, compression=1.0)


@pytest.mark.parametrize(
    "text",
    [
        "출시일은 금요일입니다.",
        "감사합니다.",
        "네",
        "Thank you.",
        "We ship on Friday.",
        "시청률이 올랐습니다.",
    ],
)
def test_what_was_said_stays_even_where_the_model_doubts(text: str) -> None:
    assert not is_invented(text, SURE)
    assert not is_invented(text, DOUBTFUL)


@pytest.mark.parametrize("text", ["출시일은 금요일입니다.", "We ship on Friday."])
def test_words_in_silence_are_dropped(text: str) -> None:
    assert is_invented(text, SILENT)
    assert is_invented(text, Scores(-1.23, 0.57, 1.0))  # clicks
    assert is_invented(text, Scores(-0.61, 0.93, 1.0))  # silence
    assert is_invented(text, Scores(-2.1, 0.35, 1.0))


@pytest.mark.parametrize("text", ["다음 주.", "50", "Fifty."])
def test_a_word_that_was_mumbled_but_said_stays(text: str) -> None:
    assert not is_invented(text, Scores(-2.0, 0.04, 1.0))
    assert not is_invented(text, Scores(-0.98, 0.72, 1.0))  # noise beside the speech


@pytest.mark.parametrize(
    "text",
    [
        "시청해주셔서 감사합니다.",
        "시청해 주셔서 감사합니다",
        "구독과 좋아요 부탁드립니다!",
        "MBC 뉴스 김민지입니다.",
        "다음 영상에서 만나요",
        "Thanks for watching!",
        "Thank you so much for watching.",
        "Subtitles by the Amara.org community",
        "Please subscribe to my channel.",
    ],
)
def test_stock_phrases_of_subtitles_are_dropped_where_the_model_doubts_and_only_there(text: str) -> None:
    assert is_invented(text, DOUBTFUL)
    assert not is_invented(text, SURE)


@pytest.mark.parametrize("text", ["", "  ", "...", "♪♪", "?!"])
def test_text_without_words_is_dropped(text: str) -> None:
    assert is_invented(text, SURE)


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
    assert is_invented(text, Scores(-0.1, 0.0, text_compression(text))) == loops


def test_confidence_is_the_mean_probability_of_a_token() -> None:
    assert Scores(0.0, 0.0, 1.0).confidence == 1.0
    assert Scores(-0.6931, 0.0, 1.0).confidence == pytest.approx(0.5, abs=1e-3)
    assert Scores(0.3, 0.0, 1.0).confidence == 1.0


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (
            "첫 번째 안건은 출시 일정입니다. 첫 번째 안건은 출시 일정입니다. 첫 번째 안건은 출시",
            "첫 번째 안건은 출시 일정입니다.",
        ),
        ("Good. We ship on Friday. We ship on Friday.", "Good. We ship on Friday."),
        ("We ship on Friday! we ship on friday", "We ship on Friday!"),
    ],
)
def test_a_sentence_that_the_model_says_again_was_said_once(heard: str, said: str) -> None:
    assert without_echo(heard) == said


@pytest.mark.parametrize(
    "text",
    [
        "네. 네. 알겠습니다.",
        "Yes. Yes. Good.",
        "출시일은 금요일입니다. 출시일은 아직입니다.",
        "We ship on Friday. We ship on Friday the tenth.",
        "Version 1.10.1.10 is out.",
        "...",
        "",
    ],
)
def test_what_people_say_twice_or_go_on_with_stays(text: str) -> None:
    assert without_echo(text) == text
