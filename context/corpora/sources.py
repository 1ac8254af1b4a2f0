"""Ranking of passages of any corpus for a question, and packing of the best ones into a budget.

Passages are ranked by their words (`ranked_by_words`): BM25 with the frequencies of a whole collection of
which few passages are seen. The terms are those of `context.retrieval.index_terms`, and the prefix (meeting,
topic, speakers, time) counts as part of the text. Coarse terms stay out: among thousands of passages
everything sounds like something.

They are raised by their source (`source_scores`), the meeting or document that the question is about. It is
judged by its best three passages, how much of the question is said in it and in one passage of it, whether
neighbouring words of the question were said side by side, and whether the one whose words are asked for
speaks there. The weights were learned on QMSum's train split; measures are compared among the sources of one
search.

What has nothing to do with the question stays out where it is of another meeting or a document (`unrelated`).

A question may be put in other ways (`rewritten`); each is ranked on its own and fused with it (`rrf_fusion`),
so a bad rewriting costs little. The best are packed (`pack`) by seed 002's bounds (§3.5.3): stop when full,
at most k; a passage that does not fit is passed over for a shorter one, and the room that is left goes to the
passages next to the best ones, for an answer often stands right behind the question that was found.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np

from context.corpora.passage import Passage, Query, Retrieved
from context.language.first_person import says_i
from context.language.korean import language_of
from context.retrieval.bm25 import K1, B, term_weight
from context.retrieval.index_terms import exact_terms, stem
from context.retrieval.question_subject import asking_stems, speakers_asked, topic_words

K = TypeVar("K", bound=Hashable)

_MOST_TERMS: Final = 40
_MOST_CHARS: Final = 6_000
"""Characters of a passage that it is found by: what is cut now is shorter, what is stored may not be."""
_AVERAGE_TERMS: Final = 100.0
"""Terms of a passage of usual length, assumed where too few passages are seen to tell."""
_MIN_MEASURED_PASSAGES: Final = 20
"""Passages from which on their own average counts."""


def passage_terms(passage: Passage) -> list[str]:
    """The terms that a passage is found by, with repetitions."""
    return exact_terms(passage.searched[:_MOST_CHARS])


def asked_terms(question: str) -> list[str]:
    """The terms that say what a question is about, in order, each once; all its terms where none do."""
    exact = list(dict.fromkeys(exact_terms(question)))
    telling = [term for term in exact if term not in asking_stems()]
    return (telling or exact)[:_MOST_TERMS]


class PassageTerms:
    """The terms of passages, each read once: a search ranks the same ones for each wording."""

    def __init__(self) -> None:
        self._terms: dict[str, list[str]] = {}

    def __call__(self, passage: Passage) -> list[str]:
        """The terms of a passage. Passages of the same id are the same."""
        if (known := self._terms.get(passage.id)) is None:
            known = self._terms[passage.id] = passage_terms(passage)
        return known


def ranked_by_words(
    asked: Sequence[str],
    passages: Sequence[Passage],
    frequencies: Mapping[str, int],
    total: int,
    terms: Callable[[Passage], list[str]] = passage_terms,
) -> list[tuple[int, float]]:
    """Rank passages by BM25: (place in `passages`, score), best first, without those that share no term.

    `asked`: the question's terms. `frequencies`: in how many of the collection's `total` passages each term
    stands. `terms`: gives the terms of a passage.
    """
    counts = [Counter(terms(passage)) for passage in passages]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if len(lengths) >= _MIN_MEASURED_PASSAGES else _AVERAGE_TERMS
    weights = {term: term_weight(frequencies.get(term, 0), total) for term in asked}
    scores = []
    for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
        norm = K1 * (1 - B + B * length / average)
        score = sum(
            value * count[term] * (K1 + 1) / (count[term] + norm)
            for term, value in weights.items()
            if term in count
        )
        if score > 0:
            scores.append((place, score))
    return sorted(scores, key=lambda place_and_score: (-place_and_score[1], place_and_score[0]))


_FEW_WORDS: Final = 2
"""Topic words from which on a question stands by itself."""


def rewritten(query: Query) -> Query:
    """Add rewritings to a query, after those that it has, up to three in all.

    They add the current topic to a question with few topic words, put the asker's name beside "I", or keep
    the topic words alone.
    """
    wordings = list(query.rewritings)
    subject = topic_words(query.text)
    if query.topic and len(subject) < _FEW_WORDS and query.topic not in query.text:
        wordings.append(f"{query.topic} {query.text}")
    if query.asker_name and query.asker_name not in query.text and says_i(query.text):
        wordings.append(f"{query.asker_name} {query.text}")
    if len(subject) >= _FEW_WORDS:
        wordings.append(" ".join(subject))
    different = [text for text in dict.fromkeys(wordings) if text and text != query.text]
    return query.model_copy(update={"rewritings": tuple(different[:3])})


WEIGHTS: Final = (1.0, 0.38, 0.19, 0.29, 0.47)
"""The weights of a source's measures: best three, together, in one passage, side by side, asked speaker."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a search by words."""

    asked: Sequence[str]
    """The question's terms (`asked_terms`)."""
    passages: Sequence[Passage]
    ranked: Sequence[tuple[int, float]]
    """What `ranked_by_words` gives: (place in `passages`, BM25), best first."""
    frequencies: Mapping[str, int]
    """The number of the collection's passages in which each term stands."""
    total: int
    """How many passages the collection has."""
    terms: Callable[[Passage], list[str]] = passage_terms
    """Gives the terms of a passage."""


def source_scores(question: str, hits: Hits) -> dict[str, float]:
    """The log odds, up to a constant, that each source is the one asked about, by source id."""
    scores_by_source: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, score in hits.ranked:
        scores_by_source[hits.passages[place].source_id].append((place, score))
    if not scores_by_source:
        return {}
    measures = [
        (sum(score for _, score in own[:3]) / 3, *_held(question, hits, [hits.passages[p] for p, _ in own]))
        for own in scores_by_source.values()
    ]
    table = np.array(measures, dtype=np.float64)
    spread = table.std(0)
    scaled = (table - table.mean(0)) / np.where(spread > 1e-9, spread, 1.0)
    return dict(zip(scores_by_source, (scaled @ np.array(WEIGHTS)).tolist(), strict=True))


def chances(scores: Mapping[str, float]) -> dict[str, float]:
    """The probability of each source to be the one asked about, from its log odds; together 1."""
    if not scores:
        return {}
    best = max(scores.values())
    odds = {source: math.exp(score - best) for source, score in scores.items()}
    whole = sum(odds.values())
    return {source: value / whole for source, value in odds.items()}


def _held(question: str, hits: Hits, here: Sequence[Passage]) -> tuple[float, float, float, float]:
    """What one source's passages hold of the question: the last four measures of `WEIGHTS`.

    These are the share of its words in all of them, that in the best one, how often two of its words stand
    side by side, and whether somebody speaks there whose words are asked for.
    """
    names = list(dict.fromkeys(name for passage in here for name in passage.speakers))
    spoken, words = speakers_asked(question, names)
    stems = {stem(word) for word in words}
    left = {
        term: term_weight(hits.frequencies.get(term, 0), hits.total)
        for term in hits.asked
        if term not in stems
    }
    whole = sum(left.values()) or 1.0
    side_by_side = set(pairwise(hits.asked))
    terms = [hits.terms(passage) for passage in here]
    pairs = Counter(
        pair for passage_terms in terms for pair in pairwise(passage_terms) if pair in side_by_side
    )

    def share(own: AbstractSet[str]) -> float:
        return sum(value for term, value in left.items() if term in own) / whole

    together = share({term for passage_terms in terms for term in passage_terms})
    best = max((share(set(passage_terms)) for passage_terms in terms), default=0.0)
    return together, best, sum(map(math.log1p, pairs.values())), float(bool(spoken))


_NO_LIKENESS: Final[Mapping[str, float]] = {}
_MIN_HELD_SHARE: Final = 0.3
"""The share of a question's words, by their weights, that a passage from elsewhere holds at least."""
_MAX_SHARE_BELOW_OWN: Final = 0.1
"""So much less of them than the best passage of this meeting it may hold, or else it has to add"""
_ADDED_SHARE: Final = 0.2
"""so much that no passage of this meeting holds, as where half of a question is about something else.

Measured on every second question of the trials that names what it is about, asked in its own meeting, in
another one, and where its own is not stored, against the six passages of other meetings that are best by
words. Kept are .969 of those with the needed line, and of unrelated ones .23, .57 and .50. With vectors, of
293 passages with the needed line .990 stay, and of unrelated ones .25 where this meeting answers (words alone
would keep .884 of those that either of the two found).
"""


def unrelated(
    question: str,
    passages: Sequence[Passage],
    frequencies: Mapping[str, int],
    total: int,
    *,
    likeness: Mapping[str, float] = _NO_LIKENESS,
    terms: Callable[[Passage], list[str]] = passage_terms,
) -> frozenset[str]:
    """The ids of those `passages` of other meetings and documents that have nothing to do with a question.

    One stays that holds enough of the question's words, or is as close to it by its vector as the closest
    of this meeting: compared with that, no scale of an encoder matters. One in another language than the
    question is not judged. `frequencies`: in how many of `total` passages each term stands. `likeness`:
    cosines to the question by id, of those that have one.
    """
    alike = [
        likeness[passage.id] for passage in passages if passage.corpus == "meeting" and passage.id in likeness
    ]
    closest = max(alike, default=-1.0)
    asked, language = set(asked_terms(question)), language_of(question)
    held = {passage.id: asked & set(terms(passage)) for passage in passages}
    weights = {term: term_weight(frequencies.get(term, 0), total) for term in set().union(*held.values())}
    whole = sum(weights.values()) or 1.0

    def share(own: AbstractSet[str]) -> float:
        return sum(weights[term] for term in own) / whole

    own = [held[passage.id] for passage in passages if passage.corpus == "meeting"]
    best, here = max(map(share, own), default=0.0), set[str]().union(*own)
    return frozenset(
        passage.id
        for passage in passages
        if passage.corpus != "meeting"
        and language_of(passage.text) == language
        and likeness.get(passage.id, -2.0) < closest
        and not (
            share(held[passage.id]) >= _MIN_HELD_SHARE
            and (
                share(held[passage.id]) >= best - _MAX_SHARE_BELOW_OWN
                or share(held[passage.id] - here) >= _ADDED_SHARE
            )
        )
    )


_PASSAGES_WITH_NEIGHBOURS: Final = 2
"""The best passages whose neighbours are taken, too."""
_ALIKE_CHARS: Final = 200
"""Passages that begin with the same so many characters count as one."""


def pack(
    ranked: Sequence[tuple[Passage, float]],
    *,
    k: int,
    budget_tokens: int,
    count: Callable[[str], int],
    known: Mapping[str, Passage] | None = None,
) -> Retrieved:
    """Take at most `k` of `ranked` within `budget_tokens`, best first, and then neighbours of the best.

    `count`: gives the tokens of a text. `known`: passages by id, among which neighbours are looked for.
    """
    taken: list[tuple[Passage, float]] = []
    packed: set[str] = set()
    left = budget_tokens

    def take(passage: Passage, score: float) -> None:
        nonlocal left
        alike = " ".join(passage.text.split())[:_ALIKE_CHARS]
        if len(taken) >= k or not packed.isdisjoint((passage.id, alike)):
            return
        tokens = count(passage.searched)
        if tokens <= left:
            packed.update((passage.id, alike))
            taken.append((passage, score))
            left -= tokens

    for passage, score in ranked:
        take(passage, score)
    for passage, score in taken[:_PASSAGES_WITH_NEIGHBOURS]:
        for position in (passage.position + 1, passage.position - 1):
            if beside := (known or {}).get(f"{passage.source_id}:{position}"):
                take(beside, score)
    return Retrieved(
        passages=tuple(passage for passage, _ in taken),
        scores=tuple(score for _, score in taken),
        tokens=budget_tokens - left,
    )


RRF_K: Final = 60


def rrf_fusion(rankings: Iterable[Sequence[K]]) -> list[tuple[K, float]]:
    """Fuse rankings of keys by their reciprocal ranks (RRF, seed 002 §3.5.1): (key, score), best first.

    Equal scores stand in order of first appearance. A key that is twice in one ranking counts once.
    """
    scores: dict[K, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def with_sources(
    ranked: Sequence[tuple[str, float]], source_of: Mapping[str, str], chances: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Raise the score of each passage by the chance of its source, at most to the double; best first.

    `ranked`: (passage id, score). `source_of`: source ids by passage id. `chances`: those of sources by id.
    """
    raised = [(key, score * (1 + chances.get(source_of[key], 0.0))) for key, score in ranked]
    return sorted(raised, key=lambda item: -item[1])
