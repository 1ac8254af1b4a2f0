"""Imported by each Python process on whose path this folder stands: each frame that a `Track` gets is noted.

A line per frame, with its participant, in `$TRACK_FRAMES/PID`: it outlives a process that is killed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from stt.track import Track

_push = Track.push


def push(track: Track, *arguments: Any, **more: Any) -> None:
    """Note it, and go on as ever."""
    with (Path(os.environ["TRACK_FRAMES"]) / str(os.getpid())).open("a", encoding="utf-8") as notes:
        notes.write(f"{track.participant}\n")
    _push(track, *arguments, **more)


Track.push = push  # type: ignore[method-assign]  # in a test's processes only
