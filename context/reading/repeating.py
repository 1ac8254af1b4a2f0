"""Whether a later statement says an earlier one again, and nothing else: "so, on the twelfth, as agreed".

Small boosted trees decide by how the two line up (`context.reading.replacing`). Whatever they say, a later
statement that asks, or names a day, a figure or a denial that the earlier one lacks, does not only repeat it.
What repeats another is told with it, so the trees have to be sure: where they are not, both stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.evidence.facts import facts
from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.reading import aligning
from context.reading.linear import trees
from context.reading.replacing import SELDOM_RARITY, does, rarity, traits
from context.retrieval.index_terms import stem, words

PAIRS: Final = Path(__file__).with_name("repeating.npz")
SURE: Final = 2.0
"""From these log odds on a statement repeats another: then, in cross-validation, all pairs did
(`repeating.scores.json`), and 98 in 100 have to."""
_LISTS: Final = closed_lists("restating")
_FRAMES_EN: Final = frozenset(_LISTS["frames_en"])
_FRAMES_KO: Final = frozenset(_LISTS["frames_ko"])
_REMEMBERED: Final = 512


@lru_cache(maxsize=_REMEMBERED)
def repeats(later: str, earlier: str) -> bool:
    """Whether each line of `later` that tells something says a line of `earlier` again, and adds nothing."""
    telling = [line for line in later.splitlines() if _tells(_telling_stems(line))]
    return (
        bool(telling)
        and adds_nothing(later, earlier)
        and all(any(_line_repeats(line, before) for before in earlier.splitlines()) for line in telling)
    )


def adds_nothing(later: str, earlier: str) -> bool:
    """Whether `later` does not ask, and has no day, figure or denial that `earlier` lacks."""
    now, before = facts(later), facts(earlier)
    days = before.days | {day for _, day in before.dates}
    return (
        "?" not in later
        and now.dates <= before.dates
        and now.days <= days
        and now.weekdays <= before.weekdays
        and now.numbers <= before.numbers
        and now.negated == before.negated
    )


def signals(later: str, earlier: str, done: Mapping[str, float] | None = None) -> NDArray[np.float32]:
    """What the trees see of two statements [signals]. `done`: `replacing.does` of the later one."""
    lined_up = traits(later, earlier, does(later) if done is None else done)
    lacks = [_not_in(later, earlier), _not_in(earlier, later)]
    return np.array([*lined_up, *lacks, facts(later) == facts(earlier)], dtype=np.float32)


def _line_repeats(later: str, earlier: str) -> bool:
    if _in_the_same_words(later, earlier):
        return True
    return float(trees(PAIRS).scores(signals(later, earlier)[None])[0]) >= SURE


def _in_the_same_words(later: str, earlier: str) -> bool:
    """Whether the words of `later` that tell something are all of `earlier`, in its order."""
    new, rest = _telling_stems(later), iter(_telling_stems(earlier))
    return _tells(new) and all(word in rest for word in new) and facts(later) == facts(earlier)


def _tells(stems: Sequence[str]) -> bool:
    """Whether one of them is seldom said."""
    return any(rarity(each) >= SELDOM_RARITY for each in stems)


def _telling_stems(text: str) -> list[str]:
    """The stems of the words of a text that tell something of its matter, in order."""
    if not has_hangul(text):
        return [stem(word) for word in words(text) if word not in _FRAMES_EN]
    found: list[str] = []
    for word in words(text):
        if word not in _FRAMES_KO:
            ending = next((each for each in _LISTS["endings_ko"] if word.endswith(each)), "")
            base = word.removesuffix(ending) if ending else aligning.without_particle(word)
            found += [base] if base else []
    return found


def _not_in(text: str, other: str) -> int:
    """How many words of a text, values aside, are none of the other's."""
    own = [word for word in aligning.words_of(text) if not word.is_value]
    return sum(each < aligning.SAME_SCORE for each in aligning.found(own, aligning.words_of(other)))
