"""Who answers whom, for the document, the page and the minutes: the one rule of what is worth telling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_ENOUGH_ANSWERS: Final = 3
"""Answers in a meeting from which on it is told: one or two say nothing of how people talk."""
_MOST_PAIRS: Final = 8
"""Most pairs that are told: a hearing of thirty people has a hundred."""


def exchange_rows(participants: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Make the document's `exchanges` of the rows of its participants.

    There is nothing where hardly anybody was answered. `pairs`: who answered whom, and how often they spoke
    right after them, the most answers first; `more`: how many further pairs there are.
    """
    pairs = [
        {"id": person["id"], "other": other, "answers": answers, "follows": stats["follows"].get(other, 0)}
        for person in participants
        for stats in [person["stats"]]
        for other, answers in stats["answers_to"].items()
    ]
    if sum(pair["answers"] for pair in pairs) < _ENOUGH_ANSWERS:
        return {}
    pairs.sort(key=lambda pair: (-pair["answers"], -pair["follows"]))
    return {"exchanges": {"pairs": pairs[:_MOST_PAIRS], "more": len(pairs[_MOST_PAIRS:])}}
