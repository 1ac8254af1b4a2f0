"""What an experiment found: figures beside their goals, with the seed and the load of the machine."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["ok", "MISSED", ""]
_BEGAN_S = os.times().elapsed


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    what: str
    value: float | str
    unit: str = ""
    goal: str = ""
    verdict: Verdict = ""


@dataclass(slots=True)
class Report:
    """The figures of one experiment."""

    name: str
    seed: int
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def missed(self) -> list[Figure]:
        """Figures that miss their goal."""
        return [figure for figure in self.figures if figure.verdict == "MISSED"]

    def say(self, what: str, value: float | str, unit: str = "") -> None:
        """A figure without a goal."""
        self.figures.append(Figure(what, value, unit))

    def at_most(self, what: str, value: float, most: float, unit: str = "") -> None:
        """A figure that must not be above `most`."""
        verdict: Verdict = "ok" if value <= most else "MISSED"
        self.figures.append(Figure(what, value, unit, f"≤ {_plain(most)}", verdict))

    def exactly(self, what: str, value: float, wanted: float, unit: str = "") -> None:
        """A figure that must be `wanted`."""
        verdict: Verdict = "ok" if value == wanted else "MISSED"
        self.figures.append(Figure(what, value, unit, f"= {_plain(wanted)}", verdict))

    def note(self, text: str) -> None:
        """A line below the table: what went wrong, which seed shows it."""
        self.notes.append(text)

    @property
    def broken(self) -> list[Figure]:
        """Missed goals that no slowness of the machine excuses: counts, not times or shares."""
        return [figure for figure in self.missed if figure.unit not in {"s", "ms", "%"}]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "experiment": self.name,
            "seed": self.seed,
            "load": round(os.getloadavg()[0], 2),
            "figures": {
                f.what: {"value": f.value, "unit": f.unit, "goal": f.goal, "verdict": f.verdict}
                for f in self.figures
            },
            "notes": self.notes,
            "missed": [f.what for f in self.missed],
        }

    def table(self) -> str:
        """For people."""
        loads = " ".join(f"{load:.1f}" for load in os.getloadavg())
        took_s = os.times().elapsed - _BEGAN_S
        lines = [f"{self.name}   seed {self.seed}, load {loads} on {os.cpu_count()} cores, {took_s:.0f} s"]
        rows = [(f.what, f"{_plain(f.value)} {f.unit}".strip(), f.goal, f.verdict) for f in self.figures]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
        lines += ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([*(line.rstrip() for line in lines), *(f"  ! {note}" for note in self.notes)])

    def print(self, *, as_json: bool) -> None:
        """To stdout."""
        print(json.dumps(self.as_json(), ensure_ascii=False) if as_json else self.table(), flush=True)


def progress(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` (0–1) of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def _plain(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, int) or value == round(value) else f"{value:.3g}"
