"""Sentences as they were spoken, which can be quoted: utterances taken apart (`SpokenSentence`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.language.closed_lists import closed_lists, word_sets
from context.language.korean import final
from context.language.questions import sentences
from context.language.to_agent import without_instructions
from context.models import Utterance

LONGEST_CHARS: Final = 400
"""The length of the longest quote; a longer one is cut."""
_MAX_SENTENCES_PER_UTTERANCE: Final = 60
"""Sentences of an utterance that are looked at."""
_LISTS: Final = closed_lists("spoken_sentences")
_SETS: Final = word_sets("spoken_sentences")
_PAUSES: Final = ",.…!~"
_NOISE: Final = re.compile(r"\{[a-z]+\}|\[[a-z ]+\]|[\x00-\x08\x0b-\x1f\x7f]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """One sentence of one utterance, cleaned of fillers, otherwise word for word."""

    text: str
    utterance: Utterance
    place: int
    """Which sentence of its utterance, from 0."""


def clean(text: str) -> str:
    """`text` without stage directions, leading fillers and doubled blanks, cut at `LONGEST_CHARS`."""
    words = _NOISE.sub(" ", text).split()
    bare = " ".join(words[_fillers(words) :] or words)
    if len(bare) > LONGEST_CHARS:
        cut = bare.rfind(" ", 0, LONGEST_CHARS - 1)
        bare = bare[: cut if cut > LONGEST_CHARS // 2 else LONGEST_CHARS - 1] + "…"
    return bare


def _fillers(words: Sequence[str]) -> int:
    """How many words at a sentence's beginning are fillers: 네, 음 그; you know,"""
    count = 0
    while count < len(words):
        length = 2 if " ".join(words[count : count + 2]).lower().rstrip(_PAUSES) in _SETS["fillers"] else 1
        filler = " ".join(words[count : count + length]).lower()
        behind = words[count + length].lower() if count + length < len(words) else ""
        paused = (
            filler.endswith(tuple(_PAUSES))
            or behind.rstrip(_PAUSES) in _SETS["fillers_before_which_no_pause_is_needed"]
        )
        if filler.rstrip(_PAUSES) not in _SETS["fillers"] or not paused:
            break
        count += length
    return count


def split_utterance(utterance: Utterance) -> list[SpokenSentence]:
    """The sentences of one utterance, in order, cleaned; see `spoken_sentences`."""
    return [
        SpokenSentence(text, utterance, place) for place, text in enumerate(_quotable(utterance.text[:8000]))
    ]


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in spoken_sentences(text):
        bare = clean(piece)
        if any(char.isalnum() for char in bare):
            found.append(bare)
        if len(found) >= _MAX_SENTENCES_PER_UTTERANCE:
            break
    return tuple(found)


def spoken_sentences(text: str) -> Iterator[str]:
    """The sentences of a text as they stand: by punctuation and, in unpunctuated Korean, by final endings."""
    for part in sentences(text):
        begun: list[str] = []
        for word in part.split():
            begun.append(word)
            if _ends(word):
                yield " ".join(begun)
                begun = []
        if begun:
            yield " ".join(begun)


def _ends(word: str) -> bool:
    """Whether a Korean word ends a sentence: 합니까, but not 하니까; 하죠 alone ends nothing."""
    if word.endswith("니까"):
        return len(word) > len("니까") and final(word[-3]) == "ㅂ"
    return word[1:].endswith(_LISTS["ends_ko"])


def split_utterances(utterances: Iterable[Utterance]) -> list[SpokenSentence]:
    """The sentences of all utterances, in order, without instructions to whoever writes the minutes."""
    return [
        said for utterance in without_instructions(list(utterances)) for said in split_utterance(utterance)
    ]
