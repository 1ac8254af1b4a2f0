"""What is said in the meetings of a load: the sample meetings' lines, Korean and English, over and over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

_TRIALS: Final = Path(__file__).resolve().parents[1] / "data" / "trials"
PACE_S: Final = (4.0, 6.0)
"""From the end of one turn to the end of the next; a turn every 5 s is 720 an hour."""
_PEOPLE: Final = (
    ("김민지", "박준호", "이서연", "최도윤"),
    ("Alice Moreau", "Ben Carter", "Dana Kim", "Leo Marsh"),
)
"""The same four all the time, whoever said it in the sample."""
_SHARE_SPOKEN: Final = 0.8
"""The share of that time in which somebody speaks; the rest is a pause."""


@dataclass(frozen=True, slots=True)
class Line:
    """One turn, `end_ms` of meeting time at which its text is sent."""

    number: int
    speaker: str
    text: str
    start_ms: int
    end_ms: int

    def message(self) -> dict[str, Any]:
        """An entry of `moim:default:in:{meeting}`."""
        return {
            "id": f"t{self.number}",
            "speaker": self.speaker,
            "name": self.speaker,
            "text": self.text,
            "start_ms": self.start_ms,
            "end_ms": self.end_ms,
            "final": True,
        }


def talk(number: int, seed: int) -> Iterator[Line]:
    """The endless talk of meeting `number`: even ones begin in Korean, odd ones in English, then all follow."""
    scripts = _scripts()
    ordered = [*scripts[number % 2], *scripts[1 - number % 2]]
    shift = number // 2 % len(ordered)
    random = Random(f"{seed}/{number}")
    at_s, said = random.uniform(0, PACE_S[1]), 0
    while True:
        for script in (*ordered[shift:], *ordered[:shift]):
            cast = {speaker: place for place, speaker in enumerate(dict.fromkeys(who for who, _ in script))}
            for who, text in script:
                speaker = _PEOPLE[number % 2][cast[who] % len(_PEOPLE[0])]
                step_s = random.uniform(*PACE_S)
                start_ms, end_ms = (
                    round((at_s + step_s * (1 - _SHARE_SPOKEN)) * 1000),
                    round((at_s + step_s) * 1000),
                )
                yield Line(said, speaker, text, start_ms, end_ms)
                at_s, said = at_s + step_s, said + 1


def _scripts() -> tuple[list[list[tuple[str, str]]], list[list[tuple[str, str]]]]:
    """Korean and English ones."""
    found: tuple[list[list[tuple[str, str]]], list[list[tuple[str, str]]]] = ([], [])
    for path in sorted(_TRIALS.glob("*.json")):
        script = json.loads(path.read_text(encoding="utf-8"))
        lines = [(line["speaker"], line["text"]) for line in script["lines"]]
        found[0 if script["language"] == "ko" else 1].append(lines)
    return found
