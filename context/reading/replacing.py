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
from context.reading.aligning import (
    SAME_STEM_SIMILARITY,
    SAME_WORD_SIMILARITY,
    ContentWord,
    best_similarities,
)
from context.reading.linear import head, trees

RARITY_FILE: Final = Path(__file__).with_name("rarity.json")
SELDOM_RARITY: Final = 3.2
"""A word with such a rarity belongs to a matter of its own: fewer than one meeting in twenty-five has it."""


def rarity(stem: str) -> float:
    """The inverse document frequency of a stem: 0 if in every training meeting, some 6 if in none."""
    meetings, known = _meeting_counts()
    return math.log(meetings / known.get(stem, 0.5))


@cache
def _meeting_counts() -> tuple[int, dict[str, int]]:
    counts = json.loads(RARITY_FILE.read_text("utf-8"))
    return counts["meetings"], counts["stems"]


SURE_CHANCE: Final = 0.8
"""From this probability on a statement is shown beside the earlier one: the least at which, in
cross-validation, 98 in 100 of such pairs are of one matter."""
CHANGE_HEAD: Final = Path(__file__).with_name("changing.npz")
PAIR_TREES: Final = Path(__file__).with_name("replacing.npz")
_MIN_MATTER_SHARE: Final = 0.6
"""The least share of a word's pairs of letters that a word of the other statement has (`_bigram_share`)."""
_MIN_ITEM_SHARE: Final = 0.8
"""The least share of an open point's rarest words that the decision has which settles it."""
_CACHE_SIZE: Final = 512
_CLAUSE_LISTS: Final = closed_lists("clauses")
_NEAR_CHARACTERS: Final = 24
"""A word that gives a value up stands at most so many characters from it."""

Floats = NDArray[np.float32]


def revision_chance(later: str, earlier: str) -> float:
    """The chance, 0 to 1, that the statement `later` says something else of the matter of `earlier`."""
    if not of_one_matter(later, earlier):
        return 0.0
    row = pair_signals(later, earlier, change_chances(later))
    return float(1 / (1 + np.exp(-trees(PAIR_TREES).scores(row[None])[0])))


def of_one_matter(later: str, earlier: str) -> bool:
    """Whether two statements may be about one matter; false where they are the same words twice, too."""
    if normal(later) == normal(earlier) or not _may_compare(facts(later), facts(earlier)):
        return False
    return _shares_matter(later, earlier)


def settles_item(decision: str, item: str) -> bool:
    """Whether a decision settles what an open point (`item`) left open: it has most of its rarest words."""
    return _bigram_share(_rarest_words(item), matter_in_order(decision)) >= _MIN_ITEM_SHARE


def _shares_matter(later: str, earlier: str) -> bool:
    """Whether both name the same seldom thing or, where one names nothing seldom, much the same things."""
    new, old = (
        tuple(word for word in matter_in_order(each) if rarity(word) >= SELDOM_RARITY)
        for each in (later, earlier)
    )
    if new and old:
        return any(_bigram_share((word,), new) >= _MIN_MATTER_SHARE for word in old)
    alike = (
        _bigram_share(_rarest_words(earlier), matter_in_order(later)),
        _bigram_share(_rarest_words(later), matter_in_order(earlier)),
    )
    return max(alike) >= _MIN_MATTER_SHARE


@lru_cache(maxsize=_CACHE_SIZE)
def change_chances(text: str) -> Mapping[str, float]:
    """The chances, 0 to 1 each, that a statement by its own words `changes` something, or says it `again`."""
    return head(CHANGE_HEAD).probabilities(text)


def pair_signals(later: str, earlier: str, changes: Mapping[str, float]) -> Floats:
    """The signals by which the trees judge two statements [signals].

    `changes`: `change_chances` of the later one.
    """
    return np.array(
        [
            changes["changes"],
            changes["again"],
            *_subject_signals(later, earlier),
            *_word_signals(later, earlier),
            *_order_signals(later, earlier),
            *_matter_signals(later, earlier),
            *_value_signals(later, earlier),
        ],
        dtype=np.float32,
    )


def _subject_signals(later: str, earlier: str) -> list[float]:
    """Signals of whether the subjects of the two statements are the same."""
    later_words, earlier_words = aligning.content_words(later), aligning.content_words(earlier)
    earlier_subject = aligning.subject_words(earlier_words)
    phrases = [
        aligning.subject_words(phrase)
        for phrase in (
            aligning.closest_clause(later_words, earlier_words),
            later_words,
            aligning.last_clause(later_words),
        )
    ]
    similarities = best_similarities(earlier_subject, later_words)
    signals = [
        _mean(similarities),
        min(similarities, default=-1),
        *similarities[:1],
        *([] if similarities else [-1]),
    ]
    for phrase in phrases:
        signals += [
            _mean(best_similarities(earlier_subject, phrase)),
            _mean(best_similarities(phrase, earlier_subject)),
            len(phrase),
        ]
        head_similarity = (
            aligning.bigram_similarity(earlier_subject[-1].stem, phrase[-1].stem)
            if earlier_subject and phrase
            else -1
        )
        signals += [
            head_similarity,
            sum(
                each < SAME_STEM_SIMILARITY
                for each in (
                    *best_similarities(earlier_subject, phrase)[:-1],
                    *best_similarities(phrase, earlier_subject)[:-1],
                )
            ),
        ]
    later_leading, earlier_leading = _through_subject(later_words), _through_subject(earlier_words)
    for ours, theirs in ((earlier_leading, later_words), (later_leading, earlier_words)):
        similarities = best_similarities(ours, theirs)
        signals += [
            _mean([each >= SAME_WORD_SIMILARITY for each in similarities]),
            sum(
                each < SAME_STEM_SIMILARITY
                for each, word in zip(similarities, ours, strict=True)
                if not word.is_value
            ),
            sum(
                each < SAME_WORD_SIMILARITY
                for each, word in zip(similarities, ours, strict=True)
                if word.is_value
            ),
        ]
    return signals


def _through_subject(words: Sequence[ContentWord]) -> list[ContentWord]:
    """The words up to the last one that has the role of a topic or a subject."""
    last = max((place for place, word in enumerate(words) if word.role in ("topic", "subject")), default=-1)
    return list(words[: last + 1])


def _word_signals(later: str, earlier: str) -> list[float]:
    """Signals of the words of each that the other lacks, by their roles."""
    later_words, earlier_words = aligning.content_words(later), aligning.content_words(earlier)
    clause = aligning.closest_clause(later_words, earlier_words)
    signals: list[float] = [
        len(later_words),
        len(earlier_words),
        len(clause),
        len({each.clause for each in later_words}),
    ]
    for ours, theirs in ((earlier_words, later_words), (later_words, earlier_words), (clause, earlier_words)):
        compared = [each for each in ours if not each.is_value and each.role != "verb"]
        similarities = best_similarities(compared, theirs)
        missing = [
            word for word, each in zip(compared, similarities, strict=True) if each < SAME_STEM_SIMILARITY
        ]
        rarities = [rarity(word.stem) for word in compared]
        shared = sum(
            much for much, each in zip(rarities, similarities, strict=True) if each >= SAME_STEM_SIMILARITY
        )
        signals += [_mean(similarities), len(missing), shared / sum(rarities) if sum(rarities) else -1]
        signals += [max((rarity(word.stem) for word in missing), default=0.0)]
        signals += [sum(word.role == role for word in missing) for role in ("topic", "subject", "object")]
    return signals


def _order_signals(later: str, earlier: str) -> list[float]:
    """Signals of order: whether both have one verb, begin and end alike, and what stands between that."""
    later_words, earlier_words = aligning.content_words(later), aligning.content_words(earlier)
    verbs = [
        next((each.stem for each in reversed(ours) if each.role == "verb"), "")
        for ours in (later_words, earlier_words)
    ]
    signals: list[float] = [aligning.bigram_similarity(*verbs) if all(verbs) else -1]
    later_stems, earlier_stems = [each.stem for each in later_words], [each.stem for each in earlier_words]
    shared_before = sum(1 for _ in _shared_beginning(later_stems, earlier_stems))
    shared_behind = sum(1 for _ in _shared_beginning(later_stems[::-1], earlier_stems[::-1]))
    later_slot, earlier_slot = (
        later_words[shared_before : len(later_words) - shared_behind],
        earlier_words[shared_before : len(earlier_words) - shared_behind],
    )
    signals += [shared_before, shared_behind, len(later_slot), len(earlier_slot)]
    signals += [
        sum(each.role in ("topic", "subject") for each in slot) for slot in (later_slot, earlier_slot)
    ]
    signals += [_mean([each.is_value for each in slot]) for slot in (later_slot, earlier_slot)]
    return signals


def _shared_beginning(one: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    """The words that both begin with."""
    ends = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return one[: min(len(one), len(other)) if ends is None else ends]


def _matter_signals(later: str, earlier: str) -> list[float]:
    """Signals of the matter that the two share, and of how seldom it is said."""
    first, once_first = matter_in_order(later), matter_in_order(earlier)
    new, old = matter(later), matter(earlier)
    rarest = [_bigram_share(_rarest_words(earlier)[:most], first) for most in (1, 2)]
    again = [_bigram_share(_rarest_words(later)[:most], once_first) for most in (1, 2)]
    return [
        len(new & old) / max(1, min(len(new), len(old))),
        len(new & old) / max(1, len(new | old)),
        _bigram_share(once_first[:1], first),
        _bigram_share(first[:1], once_first),
        _bigram_share(once_first[:2], first),
        _bigram_share(first[:2], once_first),
        *rarest,
        *again,
        max(*rarest, *again),
        max([rarity(word) for word in set(first) & set(once_first)], default=0.0),
        fuzz.token_set_ratio(later, earlier),
        fuzz.partial_ratio(later, earlier),
        has_hangul(later),
    ]


def _value_signals(later: str, earlier: str) -> list[float]:
    """Signals of the days and figures that the two share, and of whether the later one gives a value up."""
    now, before = facts(later), facts(earlier)
    new, old = _values_of(now), _values_of(before)
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
        *_given_up_counts(later, earlier),
    ]


def _values_of(named: Facts) -> frozenset[tuple[object, ...]]:
    kinds = (named.numbers, named.dates, named.days, named.weekdays)
    return frozenset(
        chain.from_iterable(((kind, value) for value in values) for kind, values in enumerate(kinds))
    )


def _given_up_counts(later: str, earlier: str) -> tuple[int, int]:
    """How many words of the earlier one's predicate the later one names, and how many of them it gives up."""
    text = later.lower()
    korean = has_hangul(later)
    named = given_up = 0
    for word in aligning.content_words(earlier):
        if word.role in ("topic", "subject", "verb") or (place := text.find(word.stem)) < 0:
            continue
        behind = text[place + len(word.stem) :][:_NEAR_CHARACTERS]
        around = behind if korean else f" {text[max(0, place - _NEAR_CHARACTERS) : place]} {behind} "
        named += 1
        given_up += any(each in around for each in _CLAUSE_LISTS["gives_up"])
    return named, given_up


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else -1.0


def _kinds_named(named: Facts) -> tuple[bool, bool]:
    """Whether a statement with these facts names a day, and whether it names a figure."""
    return bool(named.dates or named.days or named.weekdays), bool(named.numbers)


def _may_compare(now: Facts, before: Facts) -> bool:
    """Whether both name a fact of the same kind, or one of them names none: a date never replaces a cost."""
    new, old = _kinds_named(now), _kinds_named(before)
    if not any(new) or not any(old):
        return True
    return any(one and other for one, other in zip(new, old, strict=True))


def _bigram_share(wanted: Sequence[str], candidates: Sequence[str]) -> float:
    """The mean share, 0 to 1, of the pairs of letters of each of `wanted` that its best candidate has."""
    shares = [
        max(
            (
                len(one & other) / max(1, min(len(one), len(other)))
                for other in map(aligning.bigrams, candidates)
            ),
            default=0.0,
        )
        for one in map(aligning.bigrams, wanted)
    ]
    return sum(shares) / len(shares) if shares else 0.0


@lru_cache(maxsize=_CACHE_SIZE)
def _rarest_words(text: str) -> tuple[str, ...]:
    """The two words of a statement that are most seldom said, the rarest first; fewer where it has fewer."""
    by_rarity = sorted({(rarity(word), word) for word in matter_in_order(text)})
    return tuple(root for _, root in reversed(by_rarity[-2:]))
