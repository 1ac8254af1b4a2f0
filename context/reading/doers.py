"""Names of those who are to do what a sentence says, found word by word: "the caretaker", 사무국, 류 선생님.

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
from context.language.first_person import FIRST_PERSON
from context.language.korean import has_hangul
from context.reading.linear import LinearHead, head

DOER_HEAD: Final = Path(__file__).with_name("doers.npz")
LAST_WORD, EARLIER_WORD, NO_NAME = "last", "part", "none"
"""The tags of a word: it is the last one of a doer's name, an earlier one of it, or no part of a name."""
MIN_DOER_CHANCE: Final = 0.2
"""A name that is less likely is no candidate."""
_MIN_EARLIER_WORD_CHANCE: Final = 0.55
"""A word before a name that is less likely is no part of it."""
_MAX_PARTICLE_CHARS: Final = 4
"""Characters behind a Korean name at most: 께서는요."""
_MAX_WORDS: Final = 60
_MAX_EARLIER_WORDS: Final = 4
_MARKS: Final = ".:;!?()\"'“”‘’…"
_TITLE: Final = re.compile(r"[\"'(]*([A-Z][a-z]{1,3}\.)")
_NAME_TOKEN: Final = re.compile(rf"[\w'&-]+|{_TITLE.pattern}")
_BOUND_TITLES: Final = frozenset(closed_lists("addressing")["called_with"])
"""What hangs on a name and is none without the word before it: 김영숙 님."""
_DETERMINERS: Final = frozenset(closed_lists("labels")["determiners_en"])
_CACHE_SIZE: Final = 512


@dataclass(frozen=True, slots=True)
class Doer:
    """A name in a sentence, and the chance, 0 to 1, that its bearer is to do what the sentence says."""

    name: str
    chance: float
    words: range
    """The places of the name's words in the sentence."""


@lru_cache(maxsize=_CACHE_SIZE)
def doers(text: str) -> tuple[Doer, ...]:
    """The likely doers that `text` names, in the order of their words; none stands within another."""
    return tuple(doers_by(head(DOER_HEAD), text))


def doers_by(tagger: LinearHead, text: str) -> list[Doer]:
    """The doers that `text` names, by a given head."""
    words = name_tokens(text)
    doers_found: list[Doer] = []
    for last, word in enumerate(words):
        cuts = [
            (tagger.probabilities(token_context(words, last, name_length))[LAST_WORD], name_length)
            for name_length in name_lengths(word)
        ]
        chance, name_length = max(cuts, default=(0.0, 0))
        if chance >= MIN_DOER_CHANCE:
            first_free = doers_found[-1].words.stop if doers_found else 0
            bound = word[:name_length] in _BOUND_TITLES
            first = _first_place(tagger, words, last, first_free, bound=bound)
            if bound and first == last:
                continue
            first += first < last and words[first].lower() in _DETERMINERS
            name = " ".join([*words[first:last], word[:name_length]])
            doers_found.append(Doer(name, chance, range(first, last + 1)))
    return doers_found


def _first_place(tagger: LinearHead, words: list[str], last: int, first_free: int, *, bound: bool) -> int:
    """The place of the first word of a name that ends at `last`; `first_free`: before it another one ends.

    `bound`: the last word is never without the one before it.
    """
    first = last
    while first > max(first_free, last - _MAX_EARLIER_WORDS):
        before = words[first - 1]
        if not name_lengths(before) or (
            not (bound and first == last)
            and tagger.probabilities(token_context(words, first - 1, len(before)))[EARLIER_WORD]
            < _MIN_EARLIER_WORD_CHANCE
        ):
            break
        first -= 1
    return first


def name_tokens(text: str) -> list[str]:
    """The words of a sentence and its commas; of other signs the full stop of a title stays: Dr. Alvarez."""
    spaced = text.replace("’", "'").replace(",", " , ")
    words = (_TITLE.fullmatch(word) or word.strip(_MARKS) for word in spaced.split())
    return [word if isinstance(word, str) else word[1] for word in words if word][:_MAX_WORDS]


def name_lengths(word: str) -> list[int]:
    """How many of a word's characters may be a name: behind it may stand a particle, in English 's or 'll.

    Nothing of a comma, a web address and what else has other signs, and of what people call themselves.
    """
    if _NAME_TOKEN.fullmatch(word) is None or word.lower() in FIRST_PERSON:
        return []
    if has_hangul(word):
        return list(range(max(1, len(word) - _MAX_PARTICLE_CHARS), len(word) + 1))
    cut = word.rfind("'")
    return [cut if cut > 0 and len(word) - cut <= 3 else len(word)]


def token_context(words: list[str], place: int, name_length: int) -> str:
    """The text that the head sees of the word at `place`, whose first `name_length` letters may be a name."""
    return " ".join(_context_parts(words, place, name_length))


def _context_parts(words: list[str], place: int, name_length: int) -> Iterator[str]:
    word = words[place]
    name, rest = word[:name_length], word[name_length:].strip("'")
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
