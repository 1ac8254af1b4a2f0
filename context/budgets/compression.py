"""Seed 002's `ContextCompressor` (§3.6.3): passages made shorter for a question, never above the target.

The `extractive` strategy keeps the weightiest sentences that fit, in their order and with their speakers; a
sentence weighs .4 query overlap + .3 entity density + .2 position + .1 entropy, each 0 to 1. `abstractive`
asks a model to write them shorter; of its wording only what the passages bear out is kept. `hybrid` extracts
first, then asks the model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from context.budgets.tokens import EstimateTokenizer, fit
from context.corpora.passage import Passage
from context.evidence.claim_words import comparable
from context.evidence.polarity import is_negated
from context.features import CompressionStrategy
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.dates import due_in, month_days, weekdays
from context.language.korean import language_of
from context.language.numbers import spelled, stated
from context.language.spoken_sentences import spoken_sentences
from context.models import Frozen
from context.ports import PortError, Tokenizer
from context.reading.acts import act_of, is_courtesy
from context.retrieval.index_terms import STOPWORDS, exact_terms, weigh, words
from context.statements.checks import certain_fault

WEIGHTS: Final = {"query": 0.4, "entities": 0.3, "position": 0.2, "entropy": 0.1}
_DENSITY_GAIN: Final = 4.0
"""One entity in so many words gives the full density of 1."""
_FEW_TOKENS: Final = 8.0
"""Words; a shorter sentence counts as one of so many."""


def weights(lines: Sequence[PassageLine], query: str, names: Sequence[str] = ()) -> list[float]:
    """Each sentence's weight for the question, 0 to 1; 0 for a courtesy and for what is said to the agent.

    `names`: people whose mention makes a sentence denser.
    """
    bags = [frozenset(exact_terms(line.text)) for line in lines]
    spread = Counter(term for bag in bags for term in bag)
    wanted = {term: math.log(1 + len(lines) / (1 + spread[term])) for term in exact_terms(query)}
    whole = sum(wanted.values()) or 1.0
    passages = 1 + max((line.passage for line in lines), default=0)
    found: list[float] = []
    for line, bag in zip(lines, bags, strict=True):
        parts = {
            "query": sum(weight for term, weight in wanted.items() if term in bag) / whole,
            "entities": density(line, names),
            "position": 1 - (line.place / line.of + line.passage / passages) / 2,
            "entropy": entropy(line.text),
        }
        weight = sum(WEIGHTS[name] * value for name, value in parts.items())
        found.append(0.0 if line.kind == "courtesy" else weight)
    return found


def density(line: PassageLine, names: Sequence[str] = ()) -> float:
    """The entity density, 0 to 1: numbers, days, people, a decision or task, a denial, per four words."""
    text = line.text
    count = len(stated(text) | spelled(text)) + len(weekdays(text)) + len(month_days(text))
    count += due_in(text) is not None
    count += sum(1 for name in names if name != line.speaker and name in text)
    count += line.kind in {"decision", "task", "open"}
    count += is_negated(text)
    return min(1.0, _DENSITY_GAIN * count / max(_FEW_TOKENS, weigh(text)))


def entropy(text: str) -> float:
    """The Shannon entropy of the words over the highest that so many can have, 0 to 1; 0 below two words."""
    counts = Counter(words(text))
    total = sum(counts.values())
    if total < 2:
        return 0.0
    bits = -sum(count / total * math.log2(count / total) for count in counts.values())
    return bits / math.log2(total)


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
    """Who said it; "" in documents."""
    text: str
    kind: str
    """`courtesy`, the act that `context.reading.acts` reads in it (`decision`, `task`, …), or `plain`."""
    needs_before: bool
    """Whether it decides on something that the sentence before names: it is kept with that one only."""


def lines_of(passages: Sequence[Passage]) -> list[PassageLine]:
    """All sentences of the passages, in their order."""
    found: list[PassageLine] = []
    for number, passage in enumerate(passages):
        said = _sentences(passage)
        for place, (row, speaker, text) in enumerate(said):
            to_agent = without_wake_word(text, DEFAULT_WAKE_WORDS) is not None
            kind = "courtesy" if to_agent or is_courtesy(text) else act_of(text) or "plain"
            few = sum(word not in STOPWORDS for word in words(text)) < _FEW_WORDS
            needs = few and place > 0 and kind in {"decision", "acceptance"}
            found.append(PassageLine(number, place, len(said), row, speaker, text, kind, needs))
    return found


def rendered(passages: Sequence[Passage], kept: Iterable[PassageLine]) -> tuple[Passage, ...]:
    """The passages reduced to their sentences in `kept`, in the original order; none that is left empty.

    The speaker is named wherever the speaker changes.
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


def _sentences(passage: Passage) -> list[tuple[int, str, str]]:
    """Each sentence as (row, speaker, text); a row that names nobody goes on with the speaker before.

    The citations that a sentence begins with belong to the one before it.
    """
    speaker = ""
    found: list[tuple[int, str, str]] = []
    for number, row in enumerate(passage.text.split("\n")):
        name, colon, rest = row.partition(": ")
        text = row
        if colon and name in passage.speakers:
            speaker, text = name, rest
        for piece in spoken_sentences(text):
            sentence = piece.strip()
            if found and (cited := _CITATION.match(sentence)):
                at, who, before = found[-1]
                found[-1] = (at, who, f"{before} {cited.group().strip()}")
                sentence = sentence[cited.end() :]
            if any(char.isalnum() for char in sentence):
                found.append((number, speaker, sentence))
    return found


HYBRID_SHARE: Final = 0.6
"""`hybrid` extracts this share of the tokens before a model shortens them to the target."""


class Compression(Frozen):
    """Passages made shorter, with the tokens of their texts before and after."""

    passages: tuple[Passage, ...]
    tokens_before: int
    tokens_after: int
    strategy: CompressionStrategy
    """The strategy that made them in the end: `extractive` where a model's wording didn't stand."""


class ContextCompressor:
    """Seed 002's `ContextCompressor` (§3.6.3): makes passages shorter with regard to a question."""

    def __init__(self, tokenizer: Tokenizer | None = None, abstract: Abstract | None = None) -> None:
        """`abstract`: asks a model to shorten passages; None: there is none, and all is extracted."""
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._abstract = abstract

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        target_tokens: int,
        strategy: CompressionStrategy = "extractive",
    ) -> Compression:
        """The passages in at most `target_tokens` together, passages and sentences in their order.

        Passages that fit stay as they are. Where the model cannot be reached, or its wording does not stand,
        they are extracted. Never raises for the model's sake.
        """
        before = tokens_of(passages, self._tokenizer)
        written = None
        if strategy != "extractive" and before > target_tokens > 0:
            written = await self._abstracted(passages, query, target_tokens, hybrid=strategy == "hybrid")
        made = written or extracted(passages, query, target_tokens, self._tokenizer)
        return Compression(
            passages=made,
            tokens_before=before,
            tokens_after=tokens_of(made, self._tokenizer),
            strategy=strategy if written else "extractive",
        )

    async def _abstracted(
        self, passages: Sequence[Passage], query: str, target_tokens: int, *, hybrid: bool
    ) -> tuple[Passage, ...] | None:
        if self._abstract is None:
            return None
        if hybrid:
            share = int(tokens_of(passages, self._tokenizer) * HYBRID_SHARE)
            passages = extracted(passages, query, share, self._tokenizer)
            if tokens_of(passages, self._tokenizer) <= target_tokens:
                return None  # extraction alone gets there, and may keep more of it
        try:
            written = await self._abstract([passage.text for passage in passages], query, target_tokens)
        except PortError:
            return None
        return checked_wording(written, passages, target_tokens, self._tokenizer)


Abstract = Callable[[Sequence[str], str, int], Awaitable[str]]
"""Asks a model for (texts, question, tokens): gives lines that begin with [n], the text's number from 1."""
_MARKED_ROW: Final = re.compile(r"^\s*\[(\d{1,3})\]\s*(.+)$")
_LEAST_STANDING: Final = 0.5
"""Where a smaller share of a model's sentences stands than this, its wording isn't used at all."""


def checked_wording(
    written: str, passages: Sequence[Passage], target_tokens: int, tokenizer: Tokenizer
) -> tuple[Passage, ...] | None:
    """The passages in the model's words; None where too little of them stands, or they do not fit.

    `written`: as `Abstract` gives it. Each sentence is held against the passage whose number its line has,
    and that one alone, for what is certainly wrong. What an answer makes of it is held against the passage as
    it was.
    """
    texts: dict[int, list[str]] = {}
    said = stood = 0
    for row in written.splitlines():
        marked = _MARKED_ROW.match(row)
        number = int(marked.group(1)) - 1 if marked else -1
        for sentence in spoken_sentences(marked.group(2) if marked else row):
            if not any(char.isalnum() for char in sentence):
                continue
            said += 1
            if not 0 <= number < len(passages):
                continue
            passage = passages[number]
            wrong = certain_fault(sentence, (1,), {1: passage.text}, passage.speakers)
            if wrong is None and comparable(sentence, passage.text, language_of(passage.text)):
                texts.setdefault(number, []).append(sentence.strip())
                stood += 1
    if not stood or stood < _LEAST_STANDING * said:
        return None
    made = tuple(
        passages[number].model_copy(update={"text": " ".join(texts[number])}) for number in sorted(texts)
    )
    return made if tokens_of(made, tokenizer) <= target_tokens else None


def extracted(
    passages: Sequence[Passage], query: str, target_tokens: int, tokenizer: Tokenizer
) -> tuple[Passage, ...]:
    """The passages' weightiest sentences with their speakers, at most `target_tokens` together.

    Passages that fit stay as they are; () for no tokens. Where no sentence fits, the weightiest is cut.
    """
    if target_tokens <= 0:
        return ()
    if tokens_of(passages, tokenizer) <= target_tokens:
        return tuple(passages)
    lines = lines_of(passages)
    names = tuple(dict.fromkeys(name for passage in passages for name in passage.speakers))
    weighed = dict(zip(lines, weights(lines, query, names), strict=True))
    kept = _chosen(lines, weighed, target_tokens, tokenizer)
    if lines and not kept:
        (whole,) = rendered(passages, [max(lines, key=lambda line: weighed[line])])
        text = fit(whole.text, target_tokens, tokenizer)
        return (whole.model_copy(update={"text": text}),) if text else ()
    made = rendered(passages, kept)
    while tokens_of(made, tokenizer) > target_tokens:  # joined, byte pairs may count one more
        kept.discard(min(kept, key=lambda line: weighed[line]))
        made = rendered(passages, kept)
    return made


def tokens_of(passages: Sequence[Passage], tokenizer: Tokenizer) -> int:
    """The tokens of the passages' texts together."""
    return sum(tokenizer.count(passage.text) for passage in passages)


def _chosen(
    lines: Sequence[PassageLine], weighed: dict[PassageLine, float], target_tokens: int, tokenizer: Tokenizer
) -> set[PassageLine]:
    """Sentences chosen greedily by weight, each with the one before it that it needs, while they fit."""
    kept: set[PassageLine] = set()
    left = target_tokens
    at = {(line.passage, line.place): line for line in lines}
    for line in sorted(lines, key=lambda each: -weighed[each]):
        together, first = {line}, line
        while first.needs_before:
            first = at[first.passage, first.place - 1]
            together.add(first)
        shown = (f"{each.speaker}: {each.text}" if each.speaker else each.text for each in together - kept)
        cost = sum(tokenizer.count(text) + 1 for text in shown)
        if cost <= left:
            kept |= together
            left -= cost
    return kept
