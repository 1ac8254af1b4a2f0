"""Passages ranked by their words: BM25, with the frequencies of a whole collection of which few are seen.

The terms are `retrieval.terms`': Korean syllable pairs, English stems. The prefix (meeting, topic,
speakers, time) counts as part of the text. Terms of sound stay out: among thousands of passages
everything sounds like something.

Other ways to put a question, from what is known of whoever asks and of what is being talked about.

Each is ranked on its own beside the question and fused with it, so a bad rewriting costs little. Only
what makes the question more its own is added: the topic for one that names no subject ("and how much is
that?"), the asker's name for one that says I or my.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from context.corpora.passage import Passage, Query
from context.language.said import says_i
from context.retrieval.lexical import exact_terms
from context.retrieval.questions import asking_stems, topic_words

_K1: Final = 1.2
_B: Final = 0.6
_MOST_TERMS: Final = 40
_AVERAGE: Final = 100.0
"""Terms of a passage of usual length, where too few are seen to tell."""
_ENOUGH: Final = 20


def passage_terms(passage: Passage) -> list[str]:
    """The terms that a passage is found by, with repetitions."""
    return exact_terms(passage.searched)


def asked_terms(question: str) -> list[str]:
    """The terms that say what a question is about, once each; all its terms where those are none."""
    exact = list(dict.fromkeys(exact_terms(question)))
    telling = [term for term in exact if term not in asking_stems()]
    return (telling or exact)[:_MOST_TERMS]


def weight(found: int, total: int) -> float:
    """How telling a term is that stands in `found` of `total` passages."""
    return math.log(1 + (max(total, found) - found + 0.5) / (found + 0.5))


def frequencies(passages: Iterable[Passage]) -> Counter[str]:
    """In how many passages each term stands."""
    return Counter(term for passage in passages for term in set(passage_terms(passage)))


def ranked_by_words(
    asked: Sequence[str], passages: Sequence[Passage], found: Mapping[str, int], total: int
) -> list[tuple[int, float]]:
    """(place in `passages`, BM25), best first, without those that share nothing; equals as they come."""
    counts = [Counter(passage_terms(passage)) for passage in passages]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if len(lengths) >= _ENOUGH else _AVERAGE
    weights = {term: weight(found.get(term, 0), total) for term in asked}
    scores = []
    for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
        norm = _K1 * (1 - _B + _B * length / average)
        score = sum(
            value * count[term] * (_K1 + 1) / (count[term] + norm)
            for term, value in weights.items()
            if term in count
        )
        if score > 0:
            scores.append((place, score))
    return sorted(scores, key=lambda each: (-each[1], each[0]))


_FEW_WORDS: Final = 2


def rewritten(query: Query) -> Query:
    """`query` with the rewritings that fit it, those that it has first; at most three."""
    found = list(query.rewritings)
    subject = topic_words(query.text)
    if query.topic and len(subject) < _FEW_WORDS and query.topic not in query.text:
        found.append(f"{query.topic} {query.text}")
    if query.asker_name and query.asker_name not in query.text and says_i(query.text):
        found.append(f"{query.asker_name} {query.text}")
    if subject and len(subject) >= _FEW_WORDS:
        found.append(" ".join(subject))
    kept = [text for text in dict.fromkeys(found) if text and text != query.text]
    return query.model_copy(update={"rewritings": tuple(kept[:3])})
