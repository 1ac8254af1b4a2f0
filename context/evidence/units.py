"""What a claim's figures count, held against what they were said to count: three weeks are no three months.

Only what is certain speaks against a claim: its figure was said with a unit of the list, and never with the
claim's. A figure that was said bare may count anything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from context.evidence.figures import OWN_COUNTS, is_heard
from context.language.counted_figures import certain_values, counted_figures, without_counted
from context.language.numbers import heard

_COUNTS: Final = frozenset(("person", "piece", "time"))
"""Units that are no measures: a claim may count by itself what was said."""


def units_heard(text: str, spoken: str) -> bool:
    """Whether each figure of the claim `text` counts what it was said to count, where that was said.

    A measure up to ten (three hours, $4) has to have been said: it is no count of the claim's own.
    """
    said = _units_by_figure(spoken.lower())
    claimed = [
        (value, unit) for figure, unit in counted_figures(text.lower()) for value in certain_values(figure)
    ]
    small = (value for value, unit in claimed if unit not in _COUNTS and value in OWN_COUNTS)
    if not all(is_heard(value, spoken) for value in small):
        return False
    return all(unit in said.get(value, {unit}) for value, unit in claimed)


@lru_cache(maxsize=512)
def _units_by_figure(spoken: str) -> dict[float, set[str]]:
    """The units of each figure that was said with one each time."""
    found: dict[float, set[str]] = {}
    for figure, unit in counted_figures(spoken):
        for value in {*heard(f"{figure} "), *certain_values(figure)}:
            found.setdefault(value, set()).add(unit)
    bare = heard(without_counted(spoken))
    return {value: units for value, units in found.items() if value not in bare}
