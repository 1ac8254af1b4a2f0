"""Whether a later statement replaces an earlier one: the same matter, and the same kind of fact.

Small boosted trees decide by how much the two share, how seldom that is said in meetings (there are many
budgets, but one raffle), which kinds of fact they name, and what the later one does by its own words. A
statement that names only a day never replaces one that names only a figure, whatever the trees say.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from context.evidence.polarity import is_negated
from context.facts import Facts, agree, clash, facts, matter, matter_in_order, normal
from context.language.korean import has_hangul
from context.reading.acts import log_odds
from context.reading.linear import head, trees

RARITIES: Final = Path(__file__).with_name("rarity.json")
SELDOM: Final = 3.2
"""A word with such a rarity belongs to a matter of its own: fewer than one meeting in twenty-five has it."""


def rarity(stem: str) -> float:
    """How seldom a stem is said (idf): 0 if in every meeting, some 6 if in none of the training meetings."""
    meetings, known = _counts()
    return math.log(meetings / known.get(stem, 0.5))


@cache
def _counts() -> tuple[int, dict[str, int]]:
    found = json.loads(RARITIES.read_text("utf-8"))
    return found["meetings"], found["stems"]


SURE: Final = 0.6
"""From this probability on a statement counts as replaced."""
CHANGING: Final = Path(__file__).with_name("changing.npz")
KINDS: Final = Path(__file__).with_name("kinds.npz")
PAIRS: Final = Path(__file__).with_name("replacing.npz")
_OF_THE_MATTER: Final = 0.6
"""So much of a word's pairs of letters has to be in a word of the other statement (`_found_in`)."""
_SETTLES: Final = 0.8
"""So much of an open point's rarest words has to be in the decision that settles it."""
_REMEMBERED: Final = 512
_LATIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")

Floats = NDArray[np.float32]


def replaces(later: str, earlier: str) -> float:
    """How likely, 0 to 1, the statement `later` takes the place of the statement `earlier`."""
    if not of_one_matter(later, earlier):
        return 0.0
    row = traits(later, earlier, changing(later), kinds(later), kinds(earlier))
    return float(1 / (1 + np.exp(-trees(PAIRS).scores(row[None])[0])))


def of_one_matter(later: str, earlier: str) -> bool:
    """Whether two statements may be about one matter; false where they are the same words twice, too."""
    if normal(later) == normal(earlier) or not _comparable(facts(later), facts(earlier)):
        return False
    return _shares_matter(later, earlier)


def is_about(decision: str, item: str) -> bool:
    """Whether a decision settles what an open point (`item`) left open: it has most of its rarest words."""
    return _found_in(_rarest(item), matter_in_order(decision)) >= _SETTLES


def _shares_matter(later: str, earlier: str) -> bool:
    """Whether both name the same seldom thing or, where one names nothing seldom, much the same things."""
    new, old = (
        tuple(word for word in matter_in_order(each) if rarity(word) >= SELDOM) for each in (later, earlier)
    )
    if new and old:
        return any(_found_in((word,), new) >= _OF_THE_MATTER for word in old)
    alike = (
        _found_in(_rarest(earlier), matter_in_order(later)),
        _found_in(_rarest(later), matter_in_order(earlier)),
    )
    return max(alike) >= _OF_THE_MATTER


@lru_cache(maxsize=_REMEMBERED)
def changing(text: str) -> float:
    """How likely, 0 to 1, a statement by its own words changes something."""
    return head(CHANGING).probabilities(text)["changes"]


@lru_cache(maxsize=_REMEMBERED)
def kinds(text: str) -> tuple[float, ...]:
    """How likely, 0 to 1 each, a statement settles a day, an amount, a person, a place, a thing, a way."""
    return tuple(head(KINDS).probabilities(text).values())


def traits(
    later: str, earlier: str, changes: float, settles: Sequence[float], settled: Sequence[float]
) -> Floats:
    """What the trees see of two statements [signals].

    `changes`: `changing` of the later one; `settles` and `settled`: `kinds` of the later and of the earlier.
    """
    new, old = matter(later), matter(earlier)
    shared = len(new & old)
    first, once_first = matter_in_order(later), matter_in_order(earlier)
    now, before = facts(later), facts(earlier)
    new_day = bool((now.dates | now.weekdays | now.days) - (before.dates | before.weekdays | before.days))
    new_figure = bool(now.numbers - before.numbers)
    pieces, former = _pieces(later), _pieces(earlier)
    alike = len(pieces & former)
    names, once_named = _names(later), _names(earlier)
    found = [_found_in(_rarest(earlier)[:most], first) for most in (1, 2)]
    again = [_found_in(_rarest(later)[:most], once_first) for most in (1, 2)]
    return np.array(
        [
            shared,
            shared / max(1, min(len(new), len(old))),
            shared / max(1, len(new | old)),
            len(new),
            len(old),
            alike / max(1, min(len(pieces), len(former))),
            alike / max(1, len(pieces | former)),
            first[:1] == once_first[:1],
            _found_in(once_first[:1], first),
            _found_in(first[:1], once_first),
            _found_in(once_first[:2], first),
            _found_in(first[:2], once_first),
            _found_in(once_first, first),
            _found_in(first, once_first),
            *found,
            *again,
            max(*found, *again),
            max([rarity(word) for word in set(first) & set(once_first)], default=0.0),
            _weighed(first, once_first),
            fuzz.token_set_ratio(later, earlier),
            fuzz.partial_ratio(later, earlier),
            clash(now, before),
            agree(now, before) and not (new_day or new_figure),
            new_day,
            new_figure,
            *_names_kind(now),
            *_names_kind(before),
            is_negated(later),
            is_negated(earlier),
            "?" in later,
            len(names & once_named),
            len(names ^ once_named),
            has_hangul(later),
            changes,
            float(np.dot(settles, settled)),
            *settles,
            *settled,
            *log_odds(later),
            log_odds(earlier)[0],
        ],
        dtype=np.float32,
    )


def _names_kind(told: Facts) -> tuple[bool, bool]:
    """Whether a statement with these facts names a day, and whether it names a figure."""
    return bool(told.dates or told.days or told.weekdays), bool(told.numbers)


def _comparable(now: Facts, before: Facts) -> bool:
    """Whether both name a fact of the same kind, or one of them names none: a date never replaces a cost."""
    new, old = _names_kind(now), _names_kind(before)
    if not any(new) or not any(old):
        return True
    return any(one and other for one, other in zip(new, old, strict=True))


@lru_cache(maxsize=_REMEMBERED)
def _pieces(text: str) -> frozenset[str]:
    """Pairs of letters of the words that say what it is about: Korean words share stems, not forms."""
    return frozenset(pair for word in matter(text) for pair in _pairs_of(word))


def _found_in(wanted: Sequence[str], there: Sequence[str]) -> float:
    """How much of the letters of the words `wanted` the likeliest of the words `there` have, 0 to 1."""
    shares = [
        max(
            (len(one & other) / max(1, min(len(one), len(other))) for other in map(_pairs_of, there)),
            default=0.0,
        )
        for one in map(_pairs_of, wanted)
    ]
    return sum(shares) / len(shares) if shares else 0.0


@lru_cache(maxsize=_REMEMBERED)
def _rarest(text: str) -> tuple[str, ...]:
    """The two words of a statement that are most seldom said, the rarest first; fewer where it has fewer."""
    found = sorted({(rarity(word), word) for word in matter_in_order(text)})
    return tuple(root for _, root in reversed(found[-2:]))


def _weighed(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of the rarity of all words that the words in both have, 0 to 1."""
    both, either = set(one) & set(other), set(one) | set(other)
    return sum(map(rarity, both)) / (sum(map(rarity, either)) or 1.0)


@lru_cache(maxsize=_REMEMBERED)
def _pairs_of(word: str) -> frozenset[str]:
    return frozenset(word[i : i + 2] for i in range(max(1, len(word) - 1)))


@lru_cache(maxsize=_REMEMBERED)
def _names(text: str) -> frozenset[str]:
    """What looks like a name: Latin letters in a Korean text, a capital letter inside an English sentence."""
    words = text.split()
    found = words if has_hangul(text) else [word for word in words[1:] if word[:1].isupper()]
    return frozenset(word.lower().strip(".,!?'\"") for word in found if word[:1].lower() in _LATIN)
