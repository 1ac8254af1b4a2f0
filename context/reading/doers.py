"""Which words of a sentence name whoever is to do what it says: "the caretaker", 사무국, 류 선생님.

A linear head sees one word at a time, with what stands beside it and how the sentence ends. Of a Korean word
it also says where the name ends and the particle begins, by trying every cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.language.said import FIRST_PERSON
from context.reading.linear import LinearHead, head

DOERS: Final = Path(__file__).with_name("doers.npz")
LAST, PART, NONE = "last", "part", "none"
"""A word is the last one of a doer's name, one before it, or none of it."""
LEAST_LIKELY: Final = 0.2
"""A name that is less likely is no candidate."""
_LEAST_LIKELY_PART: Final = 0.35
"""A word before a name that is less likely is no part of it."""
_LONGEST_PARTICLE: Final = 4
"""Characters behind a Korean name at most: 께서는요."""
_MOST_WORDS: Final = 60
_MOST_PARTS: Final = 4
_MARKS: Final = ".:;!?()\"'“”‘’…"
_TITLE: Final = re.compile(r"[\"'(]*([A-Z][a-z]{1,3}\.)")
_NAMELIKE: Final = re.compile(rf"[\w'&-]+|{_TITLE.pattern}")
_DETERMINERS: Final = frozenset(closed_lists("labels")["determiners_en"])
_CACHE_SIZE: Final = 512


@dataclass(frozen=True, slots=True)
class Doer:
    """A name in a sentence, and how likely, 0 to 1, it is that of whoever does what the sentence says."""

    name: str
    likely: float
    words: range
    """The places of its words."""


@lru_cache(maxsize=_CACHE_SIZE)
def doers(text: str) -> tuple[Doer, ...]:
    """The likely ones in `text`, in the order of their words; none stands within another."""
    return tuple(doers_by(head(DOERS), text))


def doers_by(tagger: LinearHead, text: str) -> list[Doer]:
    """`doers`, as a head tells them."""
    words = words_of(text)
    found: list[Doer] = []
    for last, word in enumerate(words):
        cuts = [(tagger.probabilities(view(words, last, cut))[LAST], cut) for cut in cuts_of(word)]
        likely, cut = max(cuts, default=(0.0, 0))
        if likely >= LEAST_LIKELY:
            free = found[-1].words.stop if found else 0
            first = _first(tagger, words, last, free)
            first += first < last and words[first].lower() in _DETERMINERS
            name = " ".join([*words[first:last], word[:cut]])
            found.append(Doer(name, likely, range(first, last + 1)))
    return found


def _first(tagger: LinearHead, words: list[str], last: int, free: int) -> int:
    """The place of the first word of a name that ends at `last`; `free`: before it another one ends."""
    first = last
    while first > max(free, last - _MOST_PARTS):
        before = words[first - 1]
        if (
            not cuts_of(before)
            or tagger.probabilities(view(words, first - 1, len(before)))[PART] < _LEAST_LIKELY_PART
        ):
            break
        first -= 1
    return first


def words_of(text: str) -> list[str]:
    """The words of a sentence and its commas; of other signs the full stop of a title stays: Dr. Alvarez."""
    bare = text.replace("’", "'").replace(",", " , ")
    words = (_TITLE.fullmatch(word) or word.strip(_MARKS) for word in bare.split())
    return [word if isinstance(word, str) else word[1] for word in words if word][:_MOST_WORDS]


def cuts_of(word: str) -> list[int]:
    """How many of a word's characters may be a name: behind it may stand a particle, in English 's or 'll.

    Nothing of a comma, a web address and what else has other signs, and of what people call themselves.
    """
    if _NAMELIKE.fullmatch(word) is None or word.lower() in FIRST_PERSON:
        return []
    if has_hangul(word):
        return list(range(max(1, len(word) - _LONGEST_PARTICLE), len(word) + 1))
    cut = word.rfind("'")
    return [cut if cut > 0 and len(word) - cut <= 3 else len(word)]


def view(words: list[str], place: int, cut: int) -> str:
    """What the head sees of the word at `place`, whose first `cut` characters may be a name."""
    return " ".join(_seen(words, place, cut))


def _seen(words: list[str], place: int, cut: int) -> Iterator[str]:
    word = words[place]
    name, rest = word[:cut], word[cut:].strip("'")
    yield f"n_{name}_n"
    yield f"r_{rest}_r"
    yield f"c_{'A' if name.isupper() and len(name) > 1 else 'a' if name.istitle() else 'x'}{min(place, 3)}"
    for off, mark in ((-2, "bb"), (-1, "b"), (1, "a"), (2, "aa")):
        if 0 <= place + off < len(words):
            yield f"{mark}_{words[place + off]}_{mark}"
        else:
            yield f"{mark}__{mark}"
    for back in (1, 2):
        if len(words) >= back:
            yield f"z{back}_{words[-back]}_z{back}"
