"""What a sentence weighs for a question (seed 002 §3.6.3).

weight = .4 query overlap + .3 entity density + .2 position + .1 entropy, each 0 to 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from context.checking import is_negated
from context.compression.lines import PassageLine
from context.language.dates import month_days, weekdays
from context.language.moments import due_in
from context.language.numbers import spelled, stated
from context.retrieval.terms import exact_terms, weigh, words

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
