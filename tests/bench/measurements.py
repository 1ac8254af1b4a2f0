"""The table of docs/measurements.md that the bench writes: for each measure the figures of its last recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import takewhile
from pathlib import Path
from typing import Final

from tests.bench.figures import Figure

PAGE: Final = Path(__file__).parents[2] / "docs" / "measurements.md"
HEAD: Final = (
    "| measure | value | goal | baseline of the same run | command | when |\n|---|---|---|---|---|---|\n"
)
"""The head of the table; it stands in the page once."""


def record(name: str, figures: Sequence[Figure], day: date) -> None:
    """Write the figures of the measure `name` into the page, in the place of those that it had."""
    PAGE.write_text(recorded(PAGE.read_text("utf-8"), name, figures, day), "utf-8")


def recorded(page: str, name: str, figures: Sequence[Figure], day: date) -> str:
    """Give the page with the measure's rows anew, where they stood or at the table's end.

    Raises `ValueError` where the page has no table with this head.
    """
    before, head, rest = page.partition(HEAD)
    if not head:
        raise ValueError(f"{PAGE}: no table of measures; its head is {HEAD!r}")
    rows = list(takewhile(lambda line: line.startswith("| "), rest.splitlines()))
    after = rest[sum(len(row) + 1 for row in rows) :]
    command = f"`python -m tests.bench {name}`"
    place = next((at for at, row in enumerate(rows) if f"| {command} |" in row), len(rows))
    others = [row for row in rows if f"| {command} |" not in row]
    others[place:place] = [_row(figure, command, day) for figure in figures]
    return before + head + "".join(f"{row}\n" for row in others) + after


def _row(figure: Figure, command: str, day: date) -> str:
    value = f"{figure.value:.4g} {figure.unit}".strip()
    goal = baseline = ""
    if figure.goal is not None:
        bound = "≥" if figure.at_least else "≤"
        goal = f"{bound} {figure.goal:.4g}: {'met' if figure.met else 'missed'}"
    if figure.baseline_value is not None:
        baseline = f"{figure.baseline_value:.4g}: {figure.baseline}"
        baseline += f" ({figure.ratio:.2f} ×)" if figure.ratio is not None else ""
    name = figure.name.strip() + (f" ({figure.note})" if figure.note else "")
    cells = (name, value, goal, baseline, command, day.isoformat())
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
