"""Seed 002's `ContextCompressor` (§3.6.3): three strategies, never above the target.

A model's shorter wording of passages, of which only what the passages bear out is kept.

The weightiest sentences that fit, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from context.budget import EstimateTokenizer, fit
from context.checking import fault
from context.compression.weights import CompressionStatistics, PassageLine, lines_of, rendered, weights
from context.contradictions import comparable
from context.corpora.passage import Passage
from context.features import CompressionStrategy
from context.language.korean import language_of
from context.language.said import parted
from context.models import Frozen
from context.ports import PortError, Tokenizer

HYBRID_SHARE: Final = 0.6
"""Hybrid: so much of the original is extracted before a model shortens it to the budget."""


class Compression(Frozen):
    """Passages made shorter, and what that came to."""

    passages: tuple[Passage, ...]
    tokens_before: int
    tokens_after: int
    """Of the passages' texts, by true count."""
    strategy: CompressionStrategy
    """How it was done in the end: `extractive` where a model's wording didn't stand."""


class ContextCompressor:
    """Makes passages shorter with regard to a question; holds statistics only."""

    def __init__(
        self,
        tokenizer: Tokenizer | None = None,
        abstract: Abstract | None = None,
        *,
        clock: Callable[[], float] = lambda: 0.0,
        statistics: CompressionStatistics | None = None,
    ) -> None:
        """`abstract`: asks a model; None leaves extraction. `clock`: seconds, for the statistics alone.

        `statistics`: that are counted on; by default new ones.
        """
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._abstract = abstract
        self._clock = clock
        self.statistics = statistics or CompressionStatistics()

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        target_tokens: int,
        strategy: CompressionStrategy = "extractive",
    ) -> Compression:
        """At most `target_tokens` of text together, passages and sentences in their order.

        What fits is left as it is. Where a model is away, or its wording does not stand, it is extracted.
        """
        began_s = self._clock()
        before = tokens_of(passages, self._tokenizer)
        made: tuple[Passage, ...] | None = None
        if strategy != "extractive" and before > target_tokens > 0:
            made = await self._abstracted(passages, query, target_tokens, before, strategy)
        used: CompressionStrategy = strategy if made is not None else "extractive"
        if made is None:
            made = extracted(passages, query, target_tokens, self._tokenizer)
        after = tokens_of(made, self._tokenizer)
        self.statistics.count(before, after, 1000 * (self._clock() - began_s))
        return Compression(passages=made, tokens_before=before, tokens_after=after, strategy=used)

    async def _abstracted(
        self,
        passages: Sequence[Passage],
        query: str,
        target_tokens: int,
        before: int,
        strategy: CompressionStrategy,
    ) -> tuple[Passage, ...] | None:
        if self._abstract is None:
            return None
        if strategy == "hybrid":
            passages = extracted(passages, query, int(before * HYBRID_SHARE), self._tokenizer)
            if tokens_of(passages, self._tokenizer) <= target_tokens:
                return None  # extraction alone gets there, and may keep more of it
        try:
            written = await self._abstract([passage.text for passage in passages], query, target_tokens)
        except PortError:
            return None
        return standing(written, passages, target_tokens, self._tokenizer)


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


def extracted(
    passages: Sequence[Passage], query: str, target_tokens: int, tokenizer: Tokenizer
) -> tuple[Passage, ...]:
    """Whole sentences with their speakers, at most `target_tokens` together; as they are where they fit.

    Where no sentence fits whole, the weightiest is cut at the end.
    """
    if target_tokens <= 0:
        return ()
    if tokens_of(passages, tokenizer) <= target_tokens:
        return tuple(passages)
    lines = lines_of(passages)
    names = tuple(dict.fromkeys(name for passage in passages for name in passage.speakers))
    weighed = dict(zip(lines, weights(lines, query, names), strict=True))
    kept = _chosen(lines, weighed, target_tokens, tokenizer)
    if not kept:
        return _cut(passages, lines, weighed, target_tokens, tokenizer)
    made = rendered(passages, kept)
    while tokens_of(made, tokenizer) > target_tokens:  # joined, byte pairs may count one more
        kept.discard(min(kept, key=lambda line: weighed[line]))
        made = rendered(passages, kept)
    return made


def tokens_of(passages: Sequence[Passage], tokenizer: Tokenizer) -> int:
    """What the passages' texts come to."""
    return sum(tokenizer.count(passage.text) for passage in passages)


def _chosen(
    lines: Sequence[PassageLine], weighed: dict[PassageLine, float], target_tokens: int, tokenizer: Tokenizer
) -> set[PassageLine]:
    """Greedy: the next best that still fits, with the sentence before where it leans on that."""
    kept: set[PassageLine] = set()
    left = target_tokens
    at = {(line.passage, line.place): line for line in lines}
    for line in sorted(lines, key=lambda each: -weighed[each]):
        if line in kept:
            continue
        together = {line}
        while (first := min(together, key=lambda each: each.place)).needs_before:
            together.add(at[first.passage, first.place - 1])
        cost = sum(_cost(each, tokenizer) for each in together - kept)
        if cost <= left:
            kept |= together
            left -= cost
    return kept


def _cost(line: PassageLine, tokenizer: Tokenizer) -> int:
    text = f"{line.speaker}: {line.text}" if line.speaker else line.text
    return tokenizer.count(text) + 1


def _cut(
    passages: Sequence[Passage],
    lines: Sequence[PassageLine],
    weighed: dict[PassageLine, float],
    target_tokens: int,
    tokenizer: Tokenizer,
) -> tuple[Passage, ...]:
    if not lines:
        return ()
    best = max(lines, key=lambda line: weighed[line])
    (whole,) = rendered(passages, [best])
    text = fit(whole.text, target_tokens, tokenizer)
    return (whole.model_copy(update={"text": text}),) if text else ()
