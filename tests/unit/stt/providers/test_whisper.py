"""The pure parts of the local engine; the model itself is in `tests/integration/test_whisper.py`."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stt.providers.whisper import max_tokens
from stt.providers.whisper_window import padded, pieces, reading_window_s, window_s


@given(st.floats(0, 29.9))
def test_the_window_holds_the_speech_and_is_one_of_a_few(duration_s: float) -> None:
    assert window_s(duration_s) >= duration_s
    assert window_s(duration_s) in (10, 15, 20, 25, 30)


@given(st.floats(0, 29.5))
def test_a_readings_window_holds_the_sound_and_is_no_longer_than_a_finals(duration_s: float) -> None:
    assert duration_s <= reading_window_s(duration_s) <= window_s(duration_s)
    assert reading_window_s(4.5) == 5


@given(st.floats(0, 30))
def test_the_token_bound_fits_the_model_and_quick_speech(duration_s: float) -> None:
    assert 9 * duration_s + 10 < max_tokens(duration_s) <= 448 - 100  # of the model's 448 places


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 70), st.integers(0, 2**32 - 1))
def test_no_sample_is_lost_where_long_speech_is_cut(seconds: int, seed: int) -> None:
    sound = np.random.default_rng(seed).random(seconds * 16_000 + seed % 1000, np.float32)
    cut = pieces(sound)
    assert sum(len(piece) for piece in cut) == len(sound)
    if cut:
        assert np.array_equal(np.concatenate(cut), sound)
    assert all(0 < len(piece) <= 30 * 16_000 for piece in cut)
    assert all(len(piece) >= 25 * 16_000 for piece in cut[:-1])


def test_long_speech_is_cut_where_it_is_quiet() -> None:
    sound = np.ones(40 * 16_000, np.float32)
    sound[27 * 16_000 : 27 * 16_000 + 3200] = 0
    first, _ = pieces(sound)
    assert 27.0 <= len(first) / 16_000 <= 27.2


def test_after_the_speech_the_model_is_shown_silence() -> None:
    features = np.random.default_rng(3).uniform(-0.6, 1.4, (80, 320)).astype(np.float32)
    window = padded(features, 1000)
    assert window.shape == (80, 1000)
    assert window.dtype == np.float32
    assert np.array_equal(window[:, :320], features)
    assert np.allclose(window[:, 320:], features.max() - 2)
    assert np.array_equal(padded(features, 300), features[:, :300])
