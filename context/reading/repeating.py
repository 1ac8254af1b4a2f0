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
from context.reading.replacing import SELDOM_RARITY, change_chances, pair_signals, rarity
from context.retrieval.index_terms import stem, words

REPEAT_TREES: Final = Path(__file__).with_name("repeating.npz")
SURE_LOG_ODDS: Final = 2.0
"""From these log odds on a statement repeats another: then, in cross-validation, all pairs did
(`repeating.scores.json`), and 98 in 100 have to."""
_LISTS: Final = closed_lists("restating")
_FRAMES_EN: Final = frozenset(_LISTS["frames_en"])
_FRAMES_KO: Final = frozenset(_LISTS["frames_ko"])
_CACHE_SIZE: Final = 512


@lru_cache(maxsize=_CACHE_SIZE)
def repeats(later: str, earlier: str) -> bool:
    """Whether each line of `later` that tells something says a line of `earlier` again, and adds nothing."""
    telling = [line for line in later.splitlines() if _has_rare_stem(_content_stems(line))]
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


def repeat_signals(
    later: str, earlier: str, changes: Mapping[str, float] | None = None
) -> NDArray[np.float32]:
    """The signals by which the trees judge two statements [signals].

    `changes`: `replacing.change_chances` of the later one; None: they are computed here.
    """
    lined_up = pair_signals(later, earlier, change_chances(later) if changes is None else changes)
    lacks = [_missing_word_count(later, earlier), _missing_word_count(earlier, later)]
    return np.array([*lined_up, *lacks, facts(later) == facts(earlier)], dtype=np.float32)


def _line_repeats(later: str, earlier: str) -> bool:
    if _has_same_words(later, earlier):
        return True
    return float(trees(REPEAT_TREES).scores(repeat_signals(later, earlier)[None])[0]) >= SURE_LOG_ODDS


def _has_same_words(later: str, earlier: str) -> bool:
    """Whether all content words of `later` stand in `earlier`, too, in the same order."""
    new, rest = _content_stems(later), iter(_content_stems(earlier))
    return _has_rare_stem(new) and all(word in rest for word in new) and facts(later) == facts(earlier)


def _has_rare_stem(stems: Sequence[str]) -> bool:
    """Whether one of the stems is seldom said."""
    return any(rarity(each) >= SELDOM_RARITY for each in stems)


def _content_stems(text: str) -> list[str]:
    """The stems of the words of a text that tell something of its matter, in order."""
    if not has_hangul(text):
        return [stem(word) for word in words(text) if word not in _FRAMES_EN]
    stems: list[str] = []
    for word in words(text):
        if word not in _FRAMES_KO:
            ending = next((each for each in _LISTS["endings_ko"] if word.endswith(each)), "")
            base = word.removesuffix(ending) if ending else aligning.without_particle(word)
            stems += [base] if base else []
    return stems


def _missing_word_count(text: str, other: str) -> int:
    """How many content words of a text, values aside, the other lacks."""
    own_words = [word for word in aligning.content_words(text) if not word.is_value]
    return sum(
        each < aligning.SAME_WORD_SIMILARITY
        for each in aligning.best_similarities(own_words, aligning.content_words(other))
    )
