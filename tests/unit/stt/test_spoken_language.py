"""Which language `auto` means: by the sound, and by what the speaker and the meeting have spoken before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.spoken_language import FIRST_SHARES, Shares, SpokenLanguages, choose, evidence, evidence_of

CLEAR, LIKELY = 0.99, 0.93
"""A model's share of a language that is spoken clearly, and of one that it seems to hear in little sound."""


def shares(language: str, share: float) -> Shares:
    """What a model says that hears a language, and the rest of it in the other one."""
    other = "en" if language == "ko" else "ko"
    return {language: share, other: (1 - share) * 0.9, "ja": (1 - share) * 0.1}


def read(languages: SpokenLanguages, speaker: str, model_says: Shares, voice_ms: int) -> str:
    """Choose a stretch's language as an engine does, and follow it."""
    expected = languages.expected(speaker)
    sounded = evidence(model_says, expected, voice_ms)
    languages.hear(speaker, sounded)
    return choose(sounded, expected)


def meeting_in(language: str, *speakers: str) -> SpokenLanguages:
    """A meeting in which each of the speakers has said a few sentences."""
    languages = SpokenLanguages()
    for _ in range(5):
        for speaker in speakers:
            assert read(languages, speaker, shares(language, CLEAR), 4000) == language
    return languages


@pytest.mark.parametrize(
    ("model_says", "language"),
    [
        ({"ko": 0.9, "en": 0.05}, "ko"),
        ({"ko": 0.1, "en": 0.8, "nn": 0.1}, "en"),
        ({"ja": 0.92, "ko": 0.04, "en": 0.01}, "ko"),  # Korean with an accent
        ({"nn": 0.5, "ko": 0.1, "en": 0.2}, "en"),
        ({"ja": 0.995, "ko": 0.002, "en": 0.001}, "ja"),
    ],
)
def test_before_anything_was_heard_it_is_korean_or_english_unless_it_is_beyond_doubt_another(
    model_says: Shares, language: str
) -> None:
    assert choose(evidence(model_says, FIRST_SHARES, 4000), SpokenLanguages().expected("mina")) == language


@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
def test_a_short_stretch_that_seems_to_be_another_language_is_read_in_the_meetings(
    ours: str, other: str
) -> None:
    languages = meeting_in(ours, "mina", "ben")
    for speaker in ("mina", "ben"):
        for voice_ms in (1200, 900, 400):
            assert read(languages, speaker, shares(other, LIKELY), voice_ms) == ours
            assert read(languages, speaker, shares(ours, CLEAR), 4000) == ours


@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
def test_a_long_stretch_that_clearly_is_another_language_is_read_in_it_at_once(ours: str, other: str) -> None:
    languages = meeting_in(ours, "mina", "ben")
    assert read(languages, "mina", shares(other, CLEAR), 4000) == other
    assert read(languages, "mina", shares(ours, CLEAR), 4000) == ours, "and it was that sentence alone"


@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
def test_several_short_stretches_of_another_language_are_read_in_it_though_none_alone_was(
    ours: str, other: str
) -> None:
    languages = meeting_in(ours, "mina", "ben")
    read_as = [read(languages, "mina", shares(other, LIKELY), 1500) for _ in range(4)]
    assert read_as[0] == ours
    assert read_as[-1] == other
    assert read(languages, "ben", shares(other, LIKELY), 900) == ours, (
        "what one speaks is not what another does"
    )


def test_of_who_mixes_languages_the_sound_alone_decides() -> None:
    languages = SpokenLanguages()
    for _ in range(6):
        for language in ("ko", "en"):
            assert read(languages, "mina", shares(language, CLEAR), 3000) == language
    for language in ("ko", "en", "en", "ko"):
        assert read(languages, "mina", shares(language, LIKELY), 1400) == language


@pytest.mark.parametrize(("ours", "other"), [("ko", "en"), ("en", "ko")])
def test_who_is_heard_for_the_first_time_is_expected_to_speak_as_the_others_do(ours: str, other: str) -> None:
    languages = meeting_in(ours, "mina", "ben")
    assert read(languages, "chloe", shares(other, LIKELY), 900) == ours
    assert languages.expected("chloe")[other] > languages.expected("mina")[other], "but more loosely"


@pytest.mark.parametrize("ours", ["ko", "en"])
def test_sounds_that_say_nothing_make_nobody_less_expected_to_speak_as_before(ours: str) -> None:
    languages = meeting_in(ours, "mina", "ben")
    before = languages.expected("mina")
    for _ in range(20):
        languages.hear("mina", evidence({"ko": 0.5, "en": 0.5}, before, 300))
    assert languages.expected("mina") == pytest.approx(before)


def test_korean_with_an_accent_is_not_taken_for_japanese_however_often_it_sounds_so() -> None:
    languages, accented = SpokenLanguages(), {"ja": 0.94, "ko": 0.03, "en": 0.01}
    assert {read(languages, "mina", accented, 3000) for _ in range(12)} == {"ko"}
    assert "ja" not in languages.expected("mina")


def test_another_language_that_is_beyond_doubt_is_then_expected() -> None:
    languages = meeting_in("ko", "mina")
    assert read(languages, "yuki", {"ja": 0.998, "ko": 0.001, "en": 0.0005}, 4000) == "ja"
    assert read(languages, "yuki", {"ja": 0.9, "ko": 0.08, "en": 0.01}, 3000) == "ja"


def test_what_is_said_by_an_engine_that_names_a_language_counts_by_its_length_and_confidence() -> None:
    def after(voice_ms: int, confidence: float | None) -> float:
        languages = meeting_in("ko", "mina")
        for _ in range(2):
            languages.hear("mina", evidence_of("en", voice_ms, confidence))
        return languages.expected("mina")["en"]

    assert after(4000, None) > after(4000, 0.3) > after(600, 0.3)
    assert after(4000, 0.9) > after(600, 0.9) > after(0, 0.9)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mina", "ben"]),
            st.dictionaries(st.sampled_from(["ko", "en", "ja", "zh"]), st.floats(0, 1), min_size=1),
            st.integers(0, 40_000),
        ),
        max_size=40,
    )
)
def test_whatever_was_heard_both_languages_stay_possible(heard: list[tuple[str, Shares, int]]) -> None:
    languages = SpokenLanguages()
    for speaker, model_says, voice_ms in heard:
        read(languages, speaker, model_says, voice_ms)
    for speaker in ("mina", "ben", "chloe"):
        expected = languages.expected(speaker)
        assert 0.99 < sum(expected.values()) < 1.0001
        assert min(expected["ko"], expected["en"]) > 0.02
