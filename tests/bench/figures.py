"""A measured figure, its baseline, and the table they stand in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Any, ParamSpec, TypeVar

from rich.console import Console
from rich.table import Table

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, beside what, and what it should be."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    """At most this (or `at_least`); None: no goal of its own."""
    baseline: str = ""
    """What the baseline is."""
    baseline_value: float | None = None
    note: str = ""
    at_least: bool = False
    """The goal is a floor: of quality, more is better."""

    @property
    def ratio(self) -> float | None:
        """Value over baseline."""
        return self.value / self.baseline_value if self.baseline_value else None

    @property
    def met(self) -> bool | None:
        """Is the goal met? None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile, `share` in 0–1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
    """What `work` gives, and the seconds that this thread computed for it (not those it was kept waiting)."""
    began_s = thread_time()
    given = work(*args, **kwargs)
    return given, thread_time() - began_s


def as_json(figures: Sequence[Figure]) -> str:
    """The contract's shape: figures and baselines by name."""
    found: dict[str, Any] = {"figures": {}, "baselines": {}}
    for figure in figures:
        found["figures"][figure.name] = {
            "value": figure.value,
            "unit": figure.unit,
            "goal": figure.goal,
            "met": figure.met,
            "note": figure.note,
        }
        if figure.baseline_value is not None:
            found["baselines"][figure.name] = {
                "what": figure.baseline,
                "value": figure.baseline_value,
                "unit": figure.unit,
                "ratio": figure.ratio,
            }
    return json.dumps(found, ensure_ascii=False, indent=1)


def show(figures: Sequence[Figure]) -> None:
    """The table, for people."""
    table = Table(title="python -m tests.bench", title_justify="left")
    for column, right in (
        ("measure", 0),
        ("value", 1),
        ("goal", 1),
        ("baseline", 1),
        ("ratio", 1),
        ("baseline is", 0),
    ):
        table.add_column(column, justify="right" if right else "left")
    for figure in figures:
        mark = {True: " ✓", False: " ✗", None: ""}[figure.met]
        table.add_row(
            figure.name + (f" ({figure.note})" if figure.note else ""),
            f"{figure.value:.4g} {figure.unit}{mark}",
            "" if figure.goal is None else f"{'≥' if figure.at_least else '≤'} {figure.goal:.4g}",
            "" if figure.baseline_value is None else f"{figure.baseline_value:.4g}",
            "" if figure.ratio is None else f"{figure.ratio:.2f} ×",
            figure.baseline,
        )
    Console(width=150).print(table)
