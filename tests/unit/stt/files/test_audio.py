from __future__ import annotations

import tracemalloc
import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from stt.files.audio import duration_ms, read_pcm, sound_tracks
from stt.files.bad_input import BadInput
from stt.files.suffixes import is_audio
from tests.unit.stt.audio import write_tracks

DATA = Path(__file__).parents[3] / "data" / "audio"


def tone(seconds: float, rate: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    times = np.arange(int(seconds * rate)) / rate
    return (np.sin(2 * np.pi * 440 * times) * 12000).astype(np.int16)


def write(path: Path, codec: str, *, rate: int = 44_100, stereo: bool = True, seconds: float = 2.0) -> Path:
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate, layout="stereo" if stereo else "mono")
        stream.codec_context.bit_rate = 64_000 if codec.startswith("wma") else 0
        resampler = av.AudioResampler(format=stream.format, layout=stream.layout, rate=rate)
        fifo = av.AudioFifo()
        frame = av.AudioFrame.from_ndarray(tone(seconds, rate)[None], format="s16", layout="mono")
        frame.sample_rate = rate
        for ready in [*resampler.resample(frame), *resampler.resample(None)]:
            fifo.write(ready)
        size = stream.codec_context.frame_size or 1024
        while (piece := fifo.read(size, partial=True)) is not None:
            container.mux(stream.encode(piece))
        container.mux(stream.encode(None))
    return path


KINDS = [
    ("a.wav", "pcm_s16le"),
    ("a.flac", "flac"),
    ("a.mp3", "libmp3lame"),
    ("a.ogg", "libopus"),
    ("a.m4a", "aac"),
    ("a.mkv", "libopus"),
    ("a.MOV", "aac"),
    ("a.wma", "wmav2"),
    ("a.aiff", "pcm_s16be"),
    ("a.amr", "libopencore_amrnb"),
    ("a.3gp", "libopencore_amrnb"),
]
RATES = {"libopus": 48_000, "libopencore_amrnb": 8_000}


@pytest.mark.parametrize(("name", "codec"), KINDS)
def test_every_kind_becomes_16_khz_mono(tmp_path: Path, name: str, codec: str) -> None:
    path = write(tmp_path / name, codec, rate=RATES.get(codec, 44_100), stereo="amr" not in codec)
    assert is_audio(path)
    chunks = list(read_pcm(path, chunk_ms=50))
    assert {len(chunk) for chunk in chunks[:-1]} == {1600}
    sound = np.frombuffer(b"".join(chunks), np.int16).astype(float)
    assert len(sound) / 16_000 == pytest.approx(2.0, abs=0.1)
    loudest = np.abs(np.fft.rfft(sound[8000:24000])).argmax()
    assert loudest == pytest.approx(440, abs=2)


@pytest.mark.parametrize("name", ["a.mka", "a.mkv", "a.mov"])
def test_each_sound_track_of_a_file_is_heard_from_the_moment_in_which_it_begins(
    tmp_path: Path, name: str
) -> None:
    path = write_tracks(tmp_path / name, ("김민지", 100, 0.0), ("", 200, 0.5))
    assert sound_tracks(path) == ["김민지", ""]
    first = np.frombuffer(b"".join(read_pcm(path)), np.int16)
    second = np.frombuffer(b"".join(read_pcm(path, stream=1)), np.int16)
    assert (first == 100).all()
    assert len(first) == 16_000
    assert (second[:8_000] == 0).all()
    assert (second[8_000:] == 200).all()
    assert len(second) == 24_000


@pytest.mark.parametrize("meeting", ["ko-release-planning", "en-sprint-review"])
def test_the_tracks_of_a_meeting_have_one_clock(meeting: str) -> None:
    lengths = [duration_ms(path) for path in sorted((DATA / meeting).glob("*.flac"))]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"", "the file is empty"), (b"\0" * 5000, "no sound"), (b"not a sound" * 100, "no sound")],
)
@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3"])
def test_what_is_no_sound_is_named(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=what) as caught:
        list(read_pcm(path, chunk_ms=200))
    assert str(caught.value).startswith(f"{path}: ")


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(read_pcm(tmp_path / "none.wav"))
    with pytest.raises(BadInput, match="is a folder"):
        list(read_pcm(tmp_path))


def test_a_wav_without_samples_is_named(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "a.wav"), "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
    with pytest.raises(BadInput, match="no sound in it"):
        list(read_pcm(tmp_path / "a.wav"))


def test_a_broken_piece_becomes_silence_and_the_clock_stays(tmp_path: Path) -> None:
    good = write(tmp_path / "a.flac", "flac", seconds=20)
    raw = bytearray(good.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 300] = b"x" * 100
    (tmp_path / "b.flac").write_bytes(raw)
    assert duration_ms(tmp_path / "b.flac") == pytest.approx(duration_ms(good), abs=300)


def test_a_file_that_breaks_off_gives_what_there_is(tmp_path: Path) -> None:
    good = write(tmp_path / "a.flac", "flac", seconds=20)
    raw = good.read_bytes()
    (tmp_path / "b.flac").write_bytes(raw[: len(raw) // 2])
    assert 8_000 < duration_ms(tmp_path / "b.flac") <= 11_000


def test_memory_does_not_grow_with_the_length(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        minute = bytes(16_000 * 2 * 60)
        for _ in range(10):
            sound.writeframes(minute)
    tracemalloc.start()
    try:
        assert sum(len(chunk) for chunk in read_pcm(path, chunk_ms=200)) == len(minute) * 10
        assert tracemalloc.get_traced_memory()[1] < 2_500_000
    finally:
        tracemalloc.stop()
