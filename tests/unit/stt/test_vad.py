"""The real voice detector: found without the plugin, told apart from noise, one state per track."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from stt.vad import WINDOW_BYTES, WINDOW_SAMPLES, SileroVad, shared_model, weights
from tests.unit.stt.audio import load

AUDIO = Path(__file__).parents[2] / "data" / "audio"


def verdicts(wave: NDArray[np.int16], vad: SileroVad) -> list[float]:
    pcm = wave.tobytes()
    return [
        vad.probability(pcm[at : at + WINDOW_BYTES])
        for at in range(0, len(pcm) - WINDOW_BYTES + 1, WINDOW_BYTES)
    ]


def test_listening_does_not_load_livekit_agents() -> None:
    """What a listening process imports is a good part of its memory."""
    code = "import sys, stt.vad, stt.track; stt.vad.shared_model(); print('livekit.agents' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_one_model_per_process() -> None:
    assert shared_model() is shared_model()
    assert weights().is_file()


def test_noise_is_no_voice() -> None:
    noise = (np.random.default_rng(3).standard_normal(16_000 * 4) * 1_500).astype(np.int16)
    assert max(verdicts(noise, SileroVad())) < 0.5


def test_tracks_do_not_disturb_each_other_and_reset_forgets() -> None:
    wave = load(next((AUDIO / "ko-release-planning").glob("*.flac")))[: 16_000 * 20]
    alone = verdicts(wave, SileroVad())
    one, other = SileroVad(), SileroVad()
    noise = (np.random.default_rng(3).standard_normal(len(wave)) * 3_000).astype(np.int16)
    together = []
    for at in range(0, len(wave) - WINDOW_SAMPLES + 1, WINDOW_SAMPLES):
        together.append(one.probability(wave[at : at + WINDOW_SAMPLES].tobytes()))
        other.probability(noise[at : at + WINDOW_SAMPLES].tobytes())
    assert together == pytest.approx(alone)
    one.reset()
    assert verdicts(wave, one) == pytest.approx(alone)
