"""Whether a later statement takes up the matter of an earlier one again, and says something else of it.

Small boosted trees decide by how the two line up (`aligning`): whether what they speak of is the same, how
seldom that is said in meetings (there are many budgets, but one raffle), which values are kept and which are
new, and what the later one does by its own words. A statement that names only a day never takes up one that
names only a figure, whatever the trees say. They are right often enough to show one statement beside the
other, and not often enough to strike one out (docs/decisions/0052-no-decision-is-struck-by-its-words.md).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from context.evidence.facts import Facts, agree, clash, facts, matter, matter_in_order, normal
from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.language.numbers import heard
from context.reading import aligning
from context.reading.aligning import FOUND_SCORE, SAME_SCORE, Word, found
from context.reading.linear import head, trees

RARITIES: Final = Path(__file__).with_name("rarity.json")
SELDOM_RARITY: Final = 3.2
"""A word with such a rarity belongs to a matter of its own: fewer than one meeting in twenty-five has it."""


def rarity(stem: str) -> float:
    """How seldom a stem is said (idf): 0 if in every meeting, some 6 if in none of the training meetings."""
    meetings, known = _counts()
    return math.log(meetings / known.get(stem, 0.5))


@cache
def _counts() -> tuple[int, dict[str, int]]:
    found = json.loads(RARITIES.read_text("utf-8"))
    return found["meetings"], found["stems"]


SURE_CHANCE: Final = 0.8
"""From this probability on a statement is shown beside the earlier one: the least at which, in
cross-validation, 98 in 100 of such pairs are of one matter."""
DOES: Final = Path(__file__).with_name("changing.npz")
PAIRS: Final = Path(__file__).with_name("replacing.npz")
_OF_THE_MATTER: Final = 0.6
"""So much of a word's pairs of letters has to be in a word of the other statement (`_found_in`)."""
_SETTLES: Final = 0.8
"""So much of an open point's rarest words has to be in the decision that settles it."""
_CACHE_SIZE: Final = 512
_GIVES_UP: Final = closed_lists("clauses")
_NEAR_CHARACTERS: Final = 24
"""A word that gives a value up stands at most so many characters from it."""

Floats = NDArray[np.float32]


def takes_up(later: str, earlier: str) -> float:
    """How likely, 0 to 1, the statement `later` says something else of the matter of `earlier`."""
    if not of_one_matter(later, earlier):
        return 0.0
    row = traits(later, earlier, does(later))
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
        tuple(word for word in matter_in_order(each) if rarity(word) >= SELDOM_RARITY)
        for each in (later, earlier)
    )
    if new and old:
        return any(_found_in((word,), new) >= _OF_THE_MATTER for word in old)
    alike = (
        _found_in(_rarest(earlier), matter_in_order(later)),
        _found_in(_rarest(later), matter_in_order(earlier)),
    )
    return max(alike) >= _OF_THE_MATTER


@lru_cache(maxsize=_CACHE_SIZE)
def does(text: str) -> Mapping[str, float]:
    """How likely, 0 to 1 each, a statement by its own words changes something, or only says it again."""
    return head(DOES).probabilities(text)


def traits(later: str, earlier: str, done: Mapping[str, float]) -> Floats:
    """What the trees see of two statements [signals]. `done`: `does` of the later one."""
    return np.array(
        [
            done["changes"],
            done["again"],
            *_of_subjects(later, earlier),
            *_of_words(later, earlier),
            *_of_order(later, earlier),
            *_of_matters(later, earlier),
            *_of_values(later, earlier),
        ],
        dtype=np.float32,
    )


def _of_subjects(later: str, earlier: str) -> list[float]:
    """How far what the two speak of is the same."""
    words, once = aligning.words_of(later), aligning.words_of(earlier)
    about = aligning.subject(once)
    parts = [
        aligning.subject(part)
        for part in (aligning.closest_clause(words, once), words, aligning.last_clause(words))
    ]
    there = found(about, words)
    told = [_mean(there), min(there, default=-1), *there[:1], *([] if there else [-1])]
    for part in parts:
        told += [_mean(found(about, part)), _mean(found(part, about)), len(part)]
        heads = aligning.likeness(about[-1].base, part[-1].base) if about and part else -1
        told += [
            heads,
            sum(each < FOUND_SCORE for each in (*found(about, part)[:-1], *found(part, about)[:-1])),
        ]
    leading, once_leading = _leading(words), _leading(once)
    for ours, theirs in ((once_leading, words), (leading, once)):
        likely = found(ours, theirs)
        told += [
            _mean([each >= SAME_SCORE for each in likely]),
            sum(each < FOUND_SCORE for each, word in zip(likely, ours, strict=True) if not word.is_value),
            sum(each < SAME_SCORE for each, word in zip(likely, ours, strict=True) if word.is_value),
        ]
    return told


def _leading(words: Sequence[Word]) -> list[Word]:
    """All words up to the last that a topic or a subject is made of."""
    last = max((place for place, each in enumerate(words) if each.part in ("topic", "subject")), default=-1)
    return list(words[: last + 1])


def _of_words(later: str, earlier: str) -> list[float]:
    """Which words of the two are not in the other, by the part that they play."""
    words, once = aligning.words_of(later), aligning.words_of(earlier)
    clause = aligning.closest_clause(words, once)
    told: list[float] = [len(words), len(once), len(clause), len({each.clause for each in words})]
    for ours, theirs in ((once, words), (words, once), (clause, once)):
        kept = [each for each in ours if not each.is_value and each.part != "verb"]
        likely = found(kept, theirs)
        missing = [word for word, each in zip(kept, likely, strict=True) if each < FOUND_SCORE]
        rare = [rarity(word.base) for word in kept]
        shared = sum(much for much, each in zip(rare, likely, strict=True) if each >= FOUND_SCORE)
        told += [_mean(likely), len(missing), shared / sum(rare) if sum(rare) else -1]
        told += [max((rarity(word.base) for word in missing), default=0.0)]
        told += [sum(word.part == part for word in missing) for part in ("topic", "subject", "object")]
    return told


def _of_order(later: str, earlier: str) -> list[float]:
    """Whether they have one verb, how they begin and end alike, and what stands between that."""
    words, once = aligning.words_of(later), aligning.words_of(earlier)
    verbs = [
        next((each.base for each in reversed(ours) if each.part == "verb"), "") for ours in (words, once)
    ]
    told: list[float] = [aligning.likeness(*verbs) if all(verbs) else -1]
    bases, former = [each.base for each in words], [each.base for each in once]
    fore = sum(1 for _ in _shared_run(bases, former))
    aft = sum(1 for _ in _shared_run(bases[::-1], former[::-1]))
    slot, former_slot = words[fore : len(words) - aft], once[fore : len(once) - aft]
    told += [fore, aft, len(slot), len(former_slot)]
    told += [sum(each.part in ("topic", "subject") for each in part) for part in (slot, former_slot)]
    told += [_mean([each.is_value for each in part]) for part in (slot, former_slot)]
    return told


def _shared_run(one: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    """The words with which both begin."""
    ends = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return one[: min(len(one), len(other)) if ends is None else ends]


def _of_matters(later: str, earlier: str) -> list[float]:
    """How much of what they are about the two share, and how seldom that is said."""
    first, once_first = matter_in_order(later), matter_in_order(earlier)
    new, old = matter(later), matter(earlier)
    rarest = [_found_in(_rarest(earlier)[:most], first) for most in (1, 2)]
    again = [_found_in(_rarest(later)[:most], once_first) for most in (1, 2)]
    return [
        len(new & old) / max(1, min(len(new), len(old))),
        len(new & old) / max(1, len(new | old)),
        _found_in(once_first[:1], first),
        _found_in(first[:1], once_first),
        _found_in(once_first[:2], first),
        _found_in(first[:2], once_first),
        *rarest,
        *again,
        max(*rarest, *again),
        max([rarity(word) for word in set(first) & set(once_first)], default=0.0),
        fuzz.token_set_ratio(later, earlier),
        fuzz.partial_ratio(later, earlier),
        has_hangul(later),
    ]


def _of_values(later: str, earlier: str) -> list[float]:
    """Which days and figures the two share, and whether the later one gives up what the earlier one said."""
    now, before = facts(later), facts(earlier)
    new, old = _named(now), _named(before)
    figures, former = heard(later), heard(earlier)
    return [
        clash(now, before),
        agree(now, before),
        len(new & old),
        len(old - new),
        len(new - old),
        bool(old) and old <= new,
        bool(before.numbers) and before.numbers <= figures,
        bool(now.numbers) and now.numbers <= former,
        len(figures & former) / max(1, len(figures | former)),
        is_negated(later),
        is_negated(earlier),
        "?" in later,
        *_given_up(later, earlier),
    ]


def _named(told: Facts) -> frozenset[tuple[object, ...]]:
    sorts = (told.numbers, told.dates, told.days, told.weekdays)
    return frozenset(
        chain.from_iterable(((sort, each) for each in named) for sort, named in enumerate(sorts))
    )


def _given_up(later: str, earlier: str) -> tuple[int, int]:
    """How many words of the earlier one's predicate the later one names, and by how many it gives one up."""
    text = later.lower()
    korean = has_hangul(later)
    named = given_up = 0
    for word in aligning.words_of(earlier):
        if word.part in ("topic", "subject", "verb") or (place := text.find(word.base)) < 0:
            continue
        behind = text[place + len(word.base) :][:_NEAR_CHARACTERS]
        around = behind if korean else f" {text[max(0, place - _NEAR_CHARACTERS) : place]} {behind} "
        named += 1
        given_up += any(each in around for each in _GIVES_UP["gives_up"])
    return named, given_up


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else -1.0


def _names_kind(told: Facts) -> tuple[bool, bool]:
    """Whether a statement with these facts names a day, and whether it names a figure."""
    return bool(told.dates or told.days or told.weekdays), bool(told.numbers)


def _comparable(now: Facts, before: Facts) -> bool:
    """Whether both name a fact of the same kind, or one of them names none: a date never replaces a cost."""
    new, old = _names_kind(now), _names_kind(before)
    if not any(new) or not any(old):
        return True
    return any(one and other for one, other in zip(new, old, strict=True))


def _found_in(wanted: Sequence[str], there: Sequence[str]) -> float:
    """How much of the letters of the words `wanted` the likeliest of the words `there` have, 0 to 1."""
    shares = [
        max(
            (len(one & other) / max(1, min(len(one), len(other))) for other in map(aligning.pairs_of, there)),
            default=0.0,
        )
        for one in map(aligning.pairs_of, wanted)
    ]
    return sum(shares) / len(shares) if shares else 0.0


@lru_cache(maxsize=_CACHE_SIZE)
def _rarest(text: str) -> tuple[str, ...]:
    """The two words of a statement that are most seldom said, the rarest first; fewer where it has fewer."""
    found = sorted({(rarity(word), word) for word in matter_in_order(text)})
    return tuple(root for _, root in reversed(found[-2:]))
