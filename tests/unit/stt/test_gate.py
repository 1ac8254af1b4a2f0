"""The door before the VAD: what passes is contiguous, starts are never lost, quiet costs nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from stt.vad import Gate
from tests.fakes.speech import frames, silence, tone


def noise(duration_ms: int, dbfs: float) -> bytes:
    count = duration_ms * SAMPLE_RATE_HZ // 1000
    wave = np.random.default_rng(1).standard_normal(count) * 32768 * 10 ** (dbfs / 20)
    return wave.astype(np.int16).tobytes()


def over(sound: bytes, voice: bytes, at_ms: int) -> bytes:
    wave = np.frombuffer(sound, np.int16).astype(np.int32)
    added = np.frombuffer(voice, np.int16)
    at = at_ms * SAMPLE_RATE_HZ // 1000
    wave[at : at + len(added)] += added
    return np.clip(wave, -32768, 32767).astype(np.int16).tobytes()


def passed(gate: Gate, sound: bytes, frame_ms: int = 50) -> list[tuple[int, bytes]]:
    out: list[tuple[int, bytes]] = []
    sample = 0
    for frame in frames(sound, frame_ms):
        out += gate.push(sample, frame)
        sample += len(frame) // 2
    return out


def spans_ms(out: list[tuple[int, bytes]]) -> list[tuple[int, int]]:
    spans: list[list[int]] = []
    for sample, pcm in out:
        start_ms, end_ms = sample // 16, sample // 16 + len(pcm) // BYTES_PER_MS
        if spans and spans[-1][1] == start_ms:
            spans[-1][1] = end_ms
        else:
            spans.append([start_ms, end_ms])
    return [(start, end) for start, end in spans]


def test_silence_stays_outside() -> None:
    assert passed(Gate(), silence(60_000)) == []


def test_a_voice_passes_with_preroll_and_hangover() -> None:
    out = passed(Gate(), silence(3_000) + tone(400) + silence(5_000))
    assert spans_ms(out) == [(2_500, 3_000 + 400 + 750)]


@pytest.mark.parametrize("dbfs", [-60, -50, -44, -40])
def test_a_noisy_room_does_not_hold_it_open_and_a_voice_still_opens_it(dbfs: float) -> None:
    sound = over(noise(40_000, dbfs), tone(600), 30_000)
    spans = spans_ms(passed(Gate(), sound))
    late = [span for span in spans if span[0] > 5_000]
    assert len(late) == 1
    assert late[0][0] <= 29_500
    assert late[0][1] >= 30_600


def test_after_a_minute_of_louder_noise_it_has_closed_again() -> None:
    """An air conditioner goes on."""
    spans = spans_ms(passed(Gate(), noise(10_000, -60) + noise(60_000, -40)))
    assert spans[-1][1] < 40_000


def test_somebody_in_the_middle_of_a_word_holds_it_open() -> None:
    gate = Gate()
    quiet = silence(50)
    gate.push(0, tone(50))
    for n in range(1, 100):
        assert gate.push(n * 800, quiet, hold=True)
    assert not gate.push(100 * 800, quiet)


def test_reset_forgets_what_was_held() -> None:
    gate = Gate()
    gate.push(0, silence(50))
    gate.reset()
    assert gate.push(800, tone(50)) == [(800, tone(50))]


@given(st.lists(st.tuples(st.booleans(), st.integers(10, 1500)), max_size=12), st.sampled_from([10, 20, 50]))
def test_what_passes_is_the_sound_itself_in_order(parts: list[tuple[bool, int]], frame_ms: int) -> None:
    sound = b"".join(tone(ms) if loud else silence(ms) for loud, ms in parts)
    out = passed(Gate(), sound, frame_ms)
    end = 0
    for sample, pcm in out:
        assert sample >= end
        assert sound[sample * 2 : sample * 2 + len(pcm)] == pcm
        end = sample + len(pcm) // 2
