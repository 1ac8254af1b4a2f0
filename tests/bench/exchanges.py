"""Short meetings that nothing is trained on: decisions, tasks and open points of each kind against the minutes.

Most is settled there in exchanges: somebody asks, another names a value, the first confirms it. `split` of
each meeting (`tests/data/exchanges`) says how it was written: by a list of `ways` to settle things, or `free`.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

from tests.bench.decisions import Kind, Score, by_engine, folded, read, score
from tests.bench.figures import Figure

DATA: Final = Path(__file__).parents[1] / "data" / "exchanges"
_KINDS: Final[dict[str, tuple[Kind, ...]]] = {
    "decisions": ("decision",),
    "tasks": ("action",),
    "decisions and tasks": ("decision", "action"),
    "open points": ("open",),
}
_GOALS: Final = {"decisions and tasks": (0.9, 0.8), "open points": (0.8, 0.6)}
"""Precision and recall."""


def exchanges(folder: Path | None) -> list[Figure]:
    """Precision and recall of each kind, by set and language."""
    where = folder / "exchanges" if folder is not None and (folder / "exchanges").is_dir() else DATA
    scores: dict[tuple[str, str], Score] = defaultdict(Score)
    for meeting in read(where):
        found = by_engine(folded(meeting))
        for name, kinds in _KINDS.items():
            for part in (meeting.split, f"{meeting.split}, {meeting.language}"):
                scores[part, name] += score(meeting, found, kinds)
    return [figure for (part, name), of in sorted(scores.items()) for figure in _figures(part, name, of)]


def _figures(part: str, name: str, of: Score) -> list[Figure]:
    goals = _GOALS.get(name, (None, None))
    told, noted = of.right + of.wrong, of.hit + of.missed
    return [
        Figure(
            f"{part}: {name}, precision",
            of.precision,
            "",
            goals[0],
            note=f"{of.right} of {told}",
            at_least=True,
        ),
        Figure(
            f"{part}: {name}, recall", of.recall, "", goals[1], note=f"{of.hit} of {noted}", at_least=True
        ),
    ]
