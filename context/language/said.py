# ruff: noqa: E501  # patterns and texts read better unbroken
"""Utterances taken apart into sentences that can be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.language.instructions import told
from context.language.questions import sentences
from context.models import Utterance

LONGEST_CHARS: Final = 400
"""A quote is no longer than this."""
_MOST_PER_UTTERANCE: Final = 60
_KO_END: Final = re.compile(
    r"(?<=[가-힣])(?:니다|니까|까요|나요|세요|어요|아요|해요|네요|지요|거든요|에요|예요|을게요|할게요|시죠|하죠|보죠|가죠)(?=\s)"
)
_FILLER: Final = re.compile(
    r"^(?:(?:네|예|음|어|아|그|저|자|뭐|아니|글쎄요|okay|ok|um|uh|uhm|well|so|yeah|yes|right|oh|ah|mm|hmm|you know|i mean)"
    r"(?:[,.…!~]+\s*|\s+(?=(?:네|예|음|어|um|uh|so|well|yeah)\b)))+",
    re.IGNORECASE,
)
_NOISE: Final = re.compile(r"\{[a-z]+\}|\[[a-z ]+\]|[\x00-\x08\x0b-\x1f\x7f]", re.IGNORECASE)
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of one utterance, cleaned of fillers, otherwise word for word."""

    text: str
    utterance: Utterance
    place: int
    """Which sentence of its utterance, from 0."""


def clean(text: str) -> str:
    """A quote without stage directions, leading fillers and doubled blanks; never longer than a quote may be."""
    bare = _BLANKS.sub(" ", _NOISE.sub(" ", text)).strip()
    shorter = _FILLER.sub("", bare).strip()
    bare = shorter or bare
    if len(bare) > LONGEST_CHARS:
        cut = bare.rfind(" ", 0, LONGEST_CHARS - 1)
        bare = bare[: cut if cut > LONGEST_CHARS // 2 else LONGEST_CHARS - 1] + "…"
    return bare


def split(utterance: Utterance) -> list[Said]:
    """The sentences of an utterance: by punctuation and, in unpunctuated Korean, by final endings."""
    return [Said(text, utterance, place) for place, text in enumerate(_quotable(utterance.text[:8000]))]


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in parted(text):
        bare = clean(piece)
        if any(char.isalnum() for char in bare):
            found.append(bare)
        if len(found) >= _MOST_PER_UTTERANCE:
            break
    return tuple(found)


def parted(text: str) -> Iterator[str]:
    """The sentences of a text as they stand."""
    for part in sentences(text):
        yield from _KO_END.sub(lambda end: end.group() + "\n", part).split("\n")


def said_in(utterances: Iterable[Utterance]) -> list[Said]:
    """All sentences in order, but for what is meant for whoever writes them down."""
    return [said for utterance in told(utterances) for said in split(utterance)]
