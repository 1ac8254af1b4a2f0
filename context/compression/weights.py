"""What a sentence weighs for a question (seed 002 §3.6.3).

weight = .4 query overlap + .3 entity density + .2 position + .1 entropy, each 0 to 1.

What compression came to, under the seed's names (seed 002 §7.3).

Passages taken apart into sentences that keep their speaker, and put together again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from context.checking import is_negated
from context.corpora.passage import Passage
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.dates import due_in, month_days, weekdays
from context.language.numbers import spelled, stated
from context.language.said import parted
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


@dataclass(slots=True)
class CompressionStatistics:
    """Counts since the compressor was made."""

    total_compressions: int = 0
    successful_compressions: int = 0
    """Those that made something shorter."""
    total_tokens_saved: int = 0
    _ratios: float = 0.0
    _time_ms: float = 0.0

    def count(self, tokens_before: int, tokens_after: int, took_ms: float) -> None:
        """A compression ended."""
        self.total_compressions += 1
        self.successful_compressions += tokens_after < tokens_before
        self.total_tokens_saved += tokens_before - tokens_after
        self._ratios += tokens_after / tokens_before if tokens_before else 1.0
        self._time_ms += took_ms

    @property
    def avg_compression_ratio(self) -> float:
        """Tokens after over tokens before, on average; 1 before the first."""
        return self._ratios / self.total_compressions if self.total_compressions else 1.0

    @property
    def avg_compression_time_ms(self) -> float:
        """On average; 0 before the first."""
        return self._time_ms / self.total_compressions if self.total_compressions else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Give the seed's five figures by their names."""
        return {
            "total_compressions": self.total_compressions,
            "successful_compressions": self.successful_compressions,
            "avg_compression_ratio": self.avg_compression_ratio,
            "avg_compression_time_ms": self.avg_compression_time_ms,
            "total_tokens_saved": self.total_tokens_saved,
        }


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
