"""The recorded meetings, and single lines cut out of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from stt.files.audio import read_pcm
from stt.segment import BYTES_PER_MS
from tests.acceptance.scoring import align, norm

AUDIO: Final = Path(__file__).parents[1] / "data" / "audio"
KO: Final = AUDIO / "ko-release-planning"
EN: Final = AUDIO / "en-sprint-review"
_MARGIN_MS: Final = 60
_HEARD_ERRORS: Final = 0.45
"""The share of a line's characters that may be wrong: the base model's worst line here has some 40 %,
another line 80 % and more."""


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody says in a recorded meeting."""

    speaker: str
    text: str
    start_s: float
    end_s: float
    pcm: bytes
    """Its sound alone: 16 kHz mono."""

    @property
    def length_s(self) -> float:
        """How long the cut is."""
        return len(self.pcm) / BYTES_PER_MS / 1000

    def first(self, seconds: float) -> bytes:
        """The beginning of it."""
        return self.pcm[: int(seconds * 1000) * BYTES_PER_MS]


@cache
def truth(folder: Path) -> dict[str, Any]:
    """What was really said."""
    found: dict[str, Any] = json.loads((folder / "meeting.json").read_text("utf-8"))
    return found


@cache
def _sound(path: Path) -> bytes:
    return b"".join(read_pcm(path))


@cache
def line(folder: Path, number: int) -> Line:
    """One line of a recorded meeting, with its sound."""
    meeting = truth(folder)
    said = meeting["lines"][number]
    sound = _sound(folder / meeting["participants"][said["speaker"]]["track"])
    start = max(0, int(said["start_s"] * 1000) - _MARGIN_MS) * BYTES_PER_MS
    end = (int(said["end_s"] * 1000) + _MARGIN_MS) * BYTES_PER_MS
    return Line(said["speaker"], said["text"], said["start_s"], said["end_s"], sound[start:end])


def heard_in(spoken: Line, texts: Iterable[str]) -> int:
    """How many of `texts` hold this line, as a speech model writes it."""
    ref = norm(spoken.text)
    return sum(_inside(ref, norm(text)) for text in texts)


def _inside(ref: str, text: str) -> bool:
    """Enough of `ref` stands in `text`, wherever in it."""
    kinds = align(ref, text)[1]
    return kinds.count("ok") >= (1 - _HEARD_ERRORS) * len(ref)
