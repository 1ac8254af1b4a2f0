"""Where speech starts and ends: no start cut, no sample lost, none twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stt.endpointer import (
    Endpointer,
    EndpointerOptions,
    SpeechEnded,
    SpeechSound,
    SpeechStarted,
    StretchEvent,
)

WINDOW = 512
OPTIONS = EndpointerOptions(silence_ms=320, preroll_ms=96, longest_ms=3_200, search_ms=960)


class Recorder:
    """Collects stretches and checks the grammar of events: started, sound, …, ended."""

    def __init__(self) -> None:
        self.stretches: list[tuple[SpeechStarted, bytes, SpeechEnded]] = []
        self._started: SpeechStarted | None = None
        self._sound = bytearray()

    def take(self, events: list[StretchEvent]) -> None:
        for event in events:
            match event:
                case SpeechStarted():
                    assert self._started is None
                    self._started = event
                case SpeechSound(pcm):
                    assert self._started is not None
                    self._sound += pcm
                case SpeechEnded():
                    assert self._started is not None
                    self.stretches.append((self._started, bytes(self._sound), event))
                    self._started = None
                    self._sound.clear()

    @property
    def open(self) -> bool:
        return self._started is not None


def sound_of(count: int) -> bytes:
    """Every sample differs from its neighbours, so that a lost or doubled one shows."""
    return (np.arange(count * WINDOW) * 7919 % 60_000 - 30_000).astype(np.int16).tobytes()


def windows(sound: bytes) -> list[bytes]:
    return [sound[at : at + WINDOW * 2] for at in range(0, len(sound), WINDOW * 2)]


def hear(verdicts: list[float], options: EndpointerOptions = OPTIONS, sound: bytes | None = None) -> Recorder:
    endpointer, recorder = Endpointer(options), Recorder()
    sound = sound_of(len(verdicts)) if sound is None else sound
    for n, (pcm, verdict) in enumerate(zip(windows(sound), verdicts, strict=True)):
        recorder.take(endpointer.push(pcm, verdict, n * WINDOW))
    recorder.take(endpointer.flush())
    assert not recorder.open
    for started, pcm, ended in recorder.stretches:
        assert pcm == sound[started.sample * 2 : ended.sample * 2]
        assert started.sample <= started.voiced_sample <= ended.voiced_sample <= ended.sample
    return recorder


def test_a_short_yes_survives() -> None:
    """A Korean 네 lasts about 150 ms, an English yes 200."""
    for voiced in (3, 5):
        recorder = hear([0.0] * 20 + [0.9] * voiced + [0.0] * 20)
        assert len(recorder.stretches) == 1
        assert recorder.stretches[0][0].voiced_sample == 20 * WINDOW


def test_a_click_does_not() -> None:
    assert hear([0.0] * 20 + [0.9] + [0.0] * 20).stretches == []


def test_the_start_comes_with_its_preroll() -> None:
    (started, _, ended) = hear([0.0] * 20 + [0.9] * 10 + [0.0] * 20).stretches[0]
    assert started.sample == 17 * WINDOW
    assert ended.voiced_sample == 30 * WINDOW
    assert ended.sample == 40 * WINDOW


def test_a_pause_shorter_than_the_silence_window_does_not_split() -> None:
    assert len(hear([0.9] * 10 + [0.0] * 9 + [0.9] * 10).stretches) == 1
    assert len(hear([0.9] * 10 + [0.0] * 10 + [0.9] * 10).stretches) == 2


def test_between_the_thresholds_goes_on_but_does_not_start() -> None:
    assert hear([0.42] * 30).stretches == []
    (stretch,) = hear([0.9] * 3 + [0.42] * 30 + [0.0] * 12).stretches
    assert stretch[2].voiced_sample == 33 * WINDOW


def test_speech_without_a_pause_is_cut_at_its_quietest_point() -> None:
    wave = np.full(150 * WINDOW, 8_000, np.int16)
    wave[85 * WINDOW : 88 * WINDOW] = 500
    recorder = hear([0.9] * 150, sound=wave.tobytes())
    first, second = recorder.stretches[0], recorder.stretches[1]
    assert first[2].sample == second[0].sample == 87 * WINDOW


def test_the_halves_of_a_cut_share_no_sample() -> None:
    sound = sound_of(700)
    recorder = hear([0.9] * 700, sound=sound)
    assert len(recorder.stretches) >= 7
    assert b"".join(pcm for _, pcm, _ in recorder.stretches) == sound


def test_flush_ends_it_at_once_with_all_its_sound() -> None:
    endpointer, recorder = Endpointer(OPTIONS), Recorder()
    for n, pcm in enumerate(windows(sound_of(8))):
        recorder.take(endpointer.push(pcm, 0.9, n * WINDOW))
    recorder.take(endpointer.push(b"\x01\x00" * 77, 0.0, 8 * WINDOW))
    assert recorder.open
    recorder.take(endpointer.flush())
    assert recorder.stretches[0][1] == sound_of(8) + b"\x01\x00" * 77
    assert endpointer.flush() == []


def test_sound_that_does_not_follow_ends_what_came_before() -> None:
    endpointer, recorder = Endpointer(OPTIONS), Recorder()
    for n, pcm in enumerate(windows(sound_of(6))):
        recorder.take(endpointer.push(pcm, 0.9, n * WINDOW))
    for n, pcm in enumerate(windows(sound_of(6))):
        recorder.take(endpointer.push(pcm, 0.9, 100_000 + n * WINDOW))
    recorder.take(endpointer.flush())
    assert [started.sample for started, _, _ in recorder.stretches] == [0, 100_000]


verdict_runs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.95]), st.integers(1, 60)), min_size=1, max_size=14
)


@settings(max_examples=150, deadline=None)
@given(verdict_runs)
def test_nothing_is_lost_and_nothing_comes_twice(runs: list[tuple[float, int]]) -> None:
    verdicts = [verdict for verdict, length in runs for _ in range(length)]
    recorder = hear(verdicts)
    covered: set[int] = set()
    end = 0
    for started, _, ended in recorder.stretches:
        assert started.sample >= end
        end = ended.sample
        covered.update(range(started.sample // WINDOW, ended.sample // WINDOW))
        assert (ended.sample - started.sample) / 16 <= OPTIONS.longest_ms + 32
    for first in range(len(verdicts) - 1):
        if (
            verdicts[first] >= OPTIONS.activation_threshold
            and verdicts[first + 1] >= OPTIONS.activation_threshold
        ):
            assert {first, first + 1} <= covered
