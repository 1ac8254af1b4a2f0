"""Audio files: written with several tracks, and read as samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray


def load(path: Path) -> NDArray[np.int16]:
    resampler = av.AudioResampler("s16", "mono", 16_000)
    with av.open(str(path)) as file:
        parts = [
            part.to_ndarray().ravel() for frame in file.decode(audio=0) for part in resampler.resample(frame)
        ]
    return np.concatenate(parts)


def write_tracks(path: Path, *tracks: tuple[str, int, float]) -> Path:
    """A file with a sound track for each title, value of its samples, and second in which it begins; 1 s each."""
    with av.open(str(path), "w") as container:
        streams: list[Any] = []
        for title, _, _ in tracks:
            stream = container.add_stream("pcm_s16le", rate=16_000, layout="mono")
            if title:
                stream.metadata["title"] = title
            streams.append(stream)
        for stream, (_, value, begins_s) in zip(streams, tracks, strict=True):
            for piece in range(10):
                samples = np.full((1, 1_600), value, np.int16)
                frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
                frame.sample_rate = 16_000
                frame.pts = round(begins_s * 16_000) + piece * 1_600
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    return path
