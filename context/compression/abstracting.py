"""A model's shorter wording of passages, of which only what the passages bear out is kept."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from context.checking import fault
from context.comparing import comparable
from context.compression.extracting import tokens_of
from context.corpora.passage import Passage
from context.language.korean import language_of
from context.language.said import parted
from context.ports import Tokenizer

Abstract = Callable[[Sequence[str], str, int], Awaitable[str]]
"""From the passages' texts, the question and a number of tokens: lines that begin with [n], the passage."""
_MARKED: Final = re.compile(r"^\s*\[(\d{1,3})\]\s*(.+)$")
_LEAST_STANDING: Final = 0.5
"""Where less of what a model wrote stands than this share, its wording isn't used at all."""


def standing(
    written: str, passages: Sequence[Passage], target_tokens: int, tokenizer: Tokenizer
) -> tuple[Passage, ...] | None:
    """The passages in the model's words; None where too little stands, or it doesn't fit.

    Each sentence must say under whose number it stands, and is held against that passage alone: its
    figures, days, names and denials.
    """
    texts: dict[int, list[str]] = {}
    said = stood = 0
    for row in written.splitlines():
        marked = _MARKED.match(row)
        for sentence in parted(marked.group(2) if marked else row):
            if not any(char.isalnum() for char in sentence):
                continue
            said += 1
            number = int(marked.group(1)) - 1 if marked else -1
            if 0 <= number < len(passages) and _stands(sentence, passages[number]):
                texts.setdefault(number, []).append(sentence.strip())
                stood += 1
    if not stood or stood < _LEAST_STANDING * said:
        return None
    made = tuple(
        passage.model_copy(update={"text": " ".join(texts[number])})
        for number, passage in enumerate(passages)
        if number in texts
    )
    return made if tokens_of(made, tokenizer) <= target_tokens else None


def _stands(sentence: str, passage: Passage) -> bool:
    wrong = fault(sentence, (1,), {1: passage.text}, passage.speakers)
    return wrong is None and comparable(sentence, passage.text, language_of(passage.text))
