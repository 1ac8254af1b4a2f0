"""What is learnt, on what it had not seen, beside the rules' first runs and plain ways.

The figures are those that `python -m tests.training HEAD` wrote beside the weights, cross-validated: of
meetings (or families of paraphrases) that what is scored had not been trained on. The weights that are
shipped know them all, so running them on the same meetings would flatter; for other meetings there is
`python -m tests.bench decisions --data DIR`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import context.plain
import context.reading
from tests.bench.figures import Figure

_AT: Final = "0.65"
"""The threshold of `context.plain.statements` for decisions."""
_GOALS: Final = {"team": (0.85, 0.70), "qmsum": (0.70, 0.50)}
_SETS: Final[tuple[tuple[str, str, str, tuple[float, float] | None], ...]] = (
    ("teams", "all team meetings", "team", None),
    ("teams ko", "Korean team meetings", "team", None),
    ("teams en", "English team meetings", "team", None),
    ("develop-7", "develop-7 and after-7-teams", "team", (0.83, 0.54)),
    ("develop-8", "develop-8", "team", (0.79, 0.49)),
    ("after-8-teams", "after-8-teams", "team", (0.92, 0.36)),
    ("qmsum", "QMSum, all excerpts", "qmsum", None),
    ("held-out-2", "QMSum, held-out-2", "qmsum", (0.74, 0.21)),
)
"""Set, its name, which goal, and precision and recall of the rules' first run on it."""


def learnt(_data: Path | None = None) -> list[Figure]:
    """Every head, by its own scores."""
    return [*_statements(), *_requests(), *_answers()]


def _statements() -> list[Figure]:
    found = _scores(context.reading, "acts")
    figures: list[Figure] = []
    for key, name, goal, first in _SETS:
        precision, recall, labels = found[key][_AT]
        for what, value, place in (("precision", precision, 0), ("recall", recall, 1)):
            figures.append(
                Figure(
                    f"decisions and tasks, {what} ({name}, {labels} labels)",
                    value,
                    "",
                    _GOALS[goal][place],
                    "the rules' first run" if first else "",
                    first[place] if first else None,
                    at_least=True,
                )
            )
    owners = _scores(context.reading, "owners")
    figures.append(
        Figure(
            "owners right, of those named",
            _share(owners["named right"]),
            "",
            0.9,
            "always whoever speaks",
            _share(owners["always whoever speaks"]),
            owners["named right"],
            at_least=True,
        )
    )
    return figures


def _requests() -> list[Figure]:
    found = _scores(context.reading, "requests")
    return [
        Figure(f"{name} ({how})", found[key][score], "", at_least=at_least)
        for key, how in (("with_meaning", "with vectors"), ("by_words", "by words alone"))
        for score, name, at_least in (
            ("lists_given", "a list is asked for and given", True),
            ("another_list_given", "another list is given", False),
            ("list_given_unasked", "a list is given unasked", False),
        )
    ]


def _answers() -> list[Figure]:
    found = _scores(context.plain, "answers")
    rows = (
        ("among_three_other_words", "an answer among three, other words than the meeting's", 0.65, True),
        ("among_three_same_words", "an answer among three, the meeting's words", 0.80, True),
        ("wrong_and_sure", "wrong and sure, of all questions", 0.08, False),
        ("foreign_answered_surely", "what nobody said, answered as sure", 0.10, False),
    )
    return [
        Figure(
            name,
            found["with_meaning"][key],
            "",
            goal,
            "by words alone",
            found["by_words"][key],
            at_least=more,
        )
        for key, name, goal, more in rows
    ]


def _scores(room: Any, head: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(room.__path__[0]) / f"{head}.scores.json").read_text("utf-8"))
    return found


def _share(told: str) -> float:
    """The last number of a text like `661 of 700 (0.944)`."""
    return float(told.rsplit("(", 1)[1].rstrip(")"))
