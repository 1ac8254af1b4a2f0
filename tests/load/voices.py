"""What is said in the rooms of a load, as Opus packets that are encoded once."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np

from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from stt.segment import SAMPLE_RATE_HZ
from worker.configuration.settings import child_environment

_SAMPLES: Final = SAMPLE_RATE_HZ // 50
_LOUD: Final = 8
_QUIET_FROM, _REFRESH_EVERY = 10, 20
"""What libopus does with DTX: after 200 ms of silence it sends one packet every 400 ms."""
_SENDER: Final = Path(__file__).with_name("sender")
_BUILD_S: Final = 1200.0


def packets(folder: Path, cache: Path) -> dict[str, list[str]]:
    """By speaker: a packet for each 20 ms of the meeting, in base64; empty where nothing is sent."""
    kept = cache / "load" / f"{folder.name}.json"
    if kept.exists() and kept.stat().st_mtime > Path(__file__).stat().st_mtime:
        found: dict[str, list[str]] = json.loads(kept.read_text(encoding="ascii"))
        return found
    made = _packets(folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(made), encoding="ascii")
    return made


def _packets(folder: Path) -> dict[str, list[str]]:
    sounds = {
        track.participant: np.frombuffer(b"".join(read_pcm(track.path)), np.int16)
        for track in read_folder(folder).tracks
    }
    count = -(-max(len(sound) for sound in sounds.values()) // _SAMPLES)
    return {who: _sent(np.pad(sound, (0, count * _SAMPLES - len(sound)))) for who, sound in sounds.items()}


def _sent(sound: np.ndarray) -> list[str]:
    frames = sound.reshape(-1, _SAMPLES)
    encoded, found, quiet = _encoded(frames), [], _QUIET_FROM
    for frame, packet in zip(frames, encoded, strict=True):
        quiet = 0 if np.abs(frame.astype(np.int32)).max() > _LOUD else quiet + 1
        since = quiet - _QUIET_FROM - 1
        sends = since < 0 or since % _REFRESH_EVERY == 0
        found.append(base64.b64encode(packet).decode() if sends else "")
    return found


def _encoded(frames: np.ndarray) -> list[bytes]:
    encoder = av.CodecContext.create("libopus", "w")
    assert isinstance(encoder, av.AudioCodecContext)
    encoder.sample_rate, encoder.layout, encoder.format = SAMPLE_RATE_HZ, "mono", "s16"
    encoder.bit_rate, encoder.time_base = 24_000, Fraction(1, SAMPLE_RATE_HZ)
    encoder.options = {"frame_duration": "20", "application": "voip"}
    made: list[bytes] = []
    for number, samples in enumerate(frames):
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts = SAMPLE_RATE_HZ, number * _SAMPLES
        made += [bytes(packet) for packet in encoder.encode(frame)]
    made += [bytes(packet) for packet in encoder.encode(None)]
    return (made + [made[-1]] * len(frames))[: len(frames)]


def sender(cache: Path) -> Path | None:
    """The program that sends them, built once; None where there is no Go, or where it cannot be built."""
    target = cache / "load" / "sender"
    newest = max(path.stat().st_mtime for path in _SENDER.iterdir())
    if target.exists() and target.stat().st_mtime >= newest:
        return target
    go = shutil.which("go")
    if go is None:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [go, "build", "-o", str(target), "."],
        cwd=_SENDER,
        env=child_environment({"GOFLAGS": "-mod=readonly"}),
        capture_output=True,
        timeout=_BUILD_S,
        check=False,
    )
    return target if done.returncode == 0 else None
