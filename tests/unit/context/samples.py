"""The two scripted meetings as values, without sound."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from context.models import Utterance

START = datetime(2025, 1, 14, 14, 30, tzinfo=UTC)
_MEETINGS = Path(__file__).parents[2] / "data" / "meetings"


def script(name: str) -> dict[str, Any]:
    """All of its file."""
    found: dict[str, Any] = json.loads((_MEETINGS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def load_lines(name: str) -> list[tuple[str, str]]:
    """(speaker id, text) of each line."""
    return [(line["speaker"], line["text"]) for line in script(name)["lines"]]


SCRIPTS = ("ko-release-planning", "en-sprint-review")
LINES = [text for name in SCRIPTS for _, text in load_lines(name)]
"""All that is said in both."""


def names(name: str) -> dict[str, str]:
    """Speaker id → name."""
    return {key: value["name"] for key, value in script(name)["participants"].items()}


def utter(
    number: int, speaker: str, text: str, *, name: str | None = None, at_s: float | None = None
) -> Utterance:
    """One utterance; five seconds apart unless told."""
    start_ms = int(1000 * (at_s if at_s is not None else 5 * (number - 1)))
    return Utterance(
        id=number,
        speaker_id=speaker,
        speaker_name=name or speaker,
        text=text,
        start_ms=start_ms,
        end_ms=start_ms + 4000,
        absolute_timestamp=START + timedelta(milliseconds=start_ms),
    )


def load(name: str, first: int = 0, last: int | None = None) -> list[Utterance]:
    """The utterances of lines `first` up to `last` (excluded), numbered from the meeting's start."""
    people = names(name)
    found = [
        utter(number, speaker, text, name=people[speaker])
        for number, (speaker, text) in enumerate(load_lines(name), start=1)
    ]
    return found[first:last]
