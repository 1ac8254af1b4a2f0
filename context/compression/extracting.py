"""The weightiest sentences that fit, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from context.budget import fit
from context.compression.lines import PassageLine, lines_of, rendered
from context.compression.weights import weights
from context.corpora.passage import Passage
from context.ports import Tokenizer


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
