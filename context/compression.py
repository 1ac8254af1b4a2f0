"""Seed 002's `ContextCompressor` (§3.6.3): passages made shorter for a question, never above the target.

Extraction keeps the weightiest sentences that fit, in their order and with their speakers; a sentence weighs
.4 query overlap + .3 entity density + .2 position + .1 entropy, each 0 to 1. A model may word them shorter;
of its wording only what the passages bear out is kept. Hybrid extracts first, then asks the model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from context.budget import EstimateTokenizer, fit
from context.checking import fault
from context.corpora.passage import Passage
from context.evidence.polarity import is_negated
from context.evidence.words import comparable
from context.features import CompressionStrategy
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.dates import due_in, month_days, weekdays
from context.language.korean import language_of
from context.language.numbers import spelled, stated
from context.language.said import parted
from context.models import Frozen
from context.ports import PortError, Tokenizer
from context.reading.acts import act_of, is_courtesy
from context.retrieval.lexical import STOPWORDS, exact_terms, weigh, words

WEIGHTS: Final = {"query": 0.4, "entities": 0.3, "position": 0.2, "entropy": 0.1}
_DENSE: Final = 4.0
"""One entity in so many words is as dense as counts."""
_FEW: Final = 8.0
"""Words; a shorter sentence is as dense as one of so many."""


def weights(lines: Sequence[PassageLine], query: str, names: Sequence[str] = ()) -> list[float]:
    """The weight of each sentence, 0 to 1; a courtesy, or what is said to the agent, weighs nothing.

    `names`: whom a sentence may speak of.
    """
    bags = [frozenset(_terms(line.text)) for line in lines]
    spread = Counter(term for bag in bags for term in bag)
    wanted = {term: math.log(1 + len(lines) / (1 + spread[term])) for term in _terms(query)}
    whole = sum(wanted.values()) or 1.0
    passages = 1 + max((line.passage for line in lines), default=0)
    return [
        0.0
        if line.kind == "courtesy"
        else WEIGHTS["query"] * sum(weight for term, weight in wanted.items() if term in bag) / whole
        + WEIGHTS["entities"] * density(line, names)
        + WEIGHTS["position"] * (1 - (line.place / line.of + line.passage / passages) / 2)
        + WEIGHTS["entropy"] * entropy(line.text)
        for line, bag in zip(lines, bags, strict=True)
    ]


def density(line: PassageLine, names: Sequence[str] = ()) -> float:
    """Numbers, days, people, decisions, owners, denials: how many of them to so many words, at most 1."""
    text = line.text
    count = len(stated(text) | spelled(text)) + len(weekdays(text)) + len(month_days(text))
    count += due_in(text) is not None
    count += sum(1 for name in names if name != line.speaker and name in text)
    count += line.kind in {"decision", "task", "open"}
    count += is_negated(text)
    return min(1.0, _DENSE * count / max(_FEW, weigh(text)))


def entropy(text: str) -> float:
    """How varied the words are: their Shannon entropy over the most there can be; 0 for one word."""
    counts = Counter(words(text))
    total = sum(counts.values())
    if total < 2:
        return 0.0
    bits = -sum(count / total * math.log2(count / total) for count in counts.values())
    return bits / math.log2(total)


def _terms(text: str) -> list[str]:
    return list(dict.fromkeys(exact_terms(text)))


_CITATION: Final = re.compile(r"^(?:\[#?\d+(?:,\s*#?\d+)*\]\s*)+")
_FEW_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class PassageLine:
    """One sentence of one passage."""

    passage: int
    """Which of the passages, from 0."""
    place: int
    """Which sentence of its passage, from 0."""
    of: int
    """How many sentences its passage has."""
    row: int
    """On which of its passage's lines it stands."""
    speaker: str
    """Whose it is; "" in documents."""
    text: str
    kind: str
    """What it does, as `context.reading.acts` reads it by itself; `plain` where that is nothing."""
    needs_before: bool
    """A decision that leaves its subject to the sentence before: one isn't kept without the other."""


def lines_of(passages: Sequence[Passage]) -> list[PassageLine]:
    """Give all sentences of the passages, in their order."""
    found: list[PassageLine] = []
    for number, passage in enumerate(passages):
        said = list(_said(passage))
        for place, (row, speaker, text) in enumerate(said):
            to_agent = wake(text, DEFAULT_WAKE_WORDS) is not None
            kind = "courtesy" if to_agent or is_courtesy(text) else act_of(text) or "plain"
            needs = place > 0 and kind in {"decision", "acceptance"} and _leaves_subject(text)
            found.append(PassageLine(number, place, len(said), row, speaker, text, kind, needs))
    return found


def rendered(passages: Sequence[Passage], kept: Iterable[PassageLine]) -> tuple[Passage, ...]:
    """The passages with what was kept of them, in the original order; none that nothing is left of.

    Whoever spoke is named wherever the speaker changes, and again behind a gap.
    """
    texts: dict[int, list[str]] = {}
    last: dict[int, PassageLine] = {}
    for line in sorted(kept, key=lambda each: (each.passage, each.place)):
        before = last.get(line.passage)
        follows = before is not None and before.speaker == line.speaker
        text = line.text if follows or not line.speaker else f"{line.speaker}: {line.text}"
        rows = texts.setdefault(line.passage, [])
        if before is not None and follows and (before.row, before.place + 1) == (line.row, line.place):
            rows[-1] = f"{rows[-1]} {text}"
        else:
            rows.append(text)
        last[line.passage] = line
    return tuple(
        passage.model_copy(update={"text": "\n".join(texts[number])})
        for number, passage in enumerate(passages)
        if number in texts
    )


def _said(passage: Passage) -> list[tuple[int, str, str]]:
    """(row, speaker, sentence); a row without a name goes on with the speaker before."""
    speaker = ""
    found: list[tuple[int, str, str]] = []
    for number, row in enumerate(passage.text.split("\n")):
        name, colon, rest = row.partition(": ")
        text = row
        if colon and name in passage.speakers:
            speaker, text = name, rest
        for piece in parted(text):
            citation, sentence = _cited(piece.strip())
            if citation and found:
                found[-1] = (*found[-1][:2], f"{found[-1][2]} {citation}")
            elif citation:
                sentence = f"{citation} {sentence}"
            if any(char.isalnum() for char in sentence):
                found.append((number, speaker, sentence))
    return found


def _cited(piece: str) -> tuple[str, str]:
    """The citations that a sentence begins with, which belong to the one before it, and the rest."""
    found = _CITATION.match(piece)
    return (found.group().strip(), piece[found.end() :]) if found else ("", piece)


def _leaves_subject(text: str) -> bool:
    return len([word for word in words(text) if word not in STOPWORDS]) < _FEW_WORDS


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
    """Makes passages shorter with regard to a question."""

    def __init__(self, tokenizer: Tokenizer | None = None, abstract: Abstract | None = None) -> None:
        """`abstract`: asks a model; None leaves extraction."""
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._abstract = abstract

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
        before = tokens_of(passages, self._tokenizer)
        made: tuple[Passage, ...] | None = None
        if strategy != "extractive" and before > target_tokens > 0:
            made = await self._abstracted(passages, query, target_tokens, before, strategy)
        used: CompressionStrategy = strategy if made is not None else "extractive"
        if made is None:
            made = extracted(passages, query, target_tokens, self._tokenizer)
        after = tokens_of(made, self._tokenizer)
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
