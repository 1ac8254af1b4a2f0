"""Lines of the recorded meetings with their sound and their true words, and how far from these a reading is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from stt.files.audio import read_pcm
from stt.segment import BYTES_PER_MS, Segment

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "audio"


def meeting(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / name / "meeting.json").read_text()))


def line(name: str, number: int) -> tuple[str, bytes]:
    """The true text of a line, and its sound cut out of its track."""
    data = meeting(name)
    it = data["lines"][number]
    track = b"".join(read_pcm(DATA / name / data["participants"][it["speaker"]]["track"]))
    start, end = (int(it[key] * 1000) * BYTES_PER_MS for key in ("start_s", "end_s"))
    return it["text"], track[start:end]


def errors(truth: str, said: list[Segment]) -> float:
    def plain(text: str) -> str:
        return re.sub(r"[^\w]", "", text).lower()

    text = plain("".join(segment.text for segment in said))
    return Levenshtein.distance(plain(truth), text) / len(plain(truth))
