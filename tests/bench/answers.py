"""All meetings in one store: which one a question is about, what of it is found, and when to decline.

`python -m tests.bench answers --data DIR`: the questions of QMSum's test split, where there is one, else of val. A
meeting's title is not told: QMSum's are ids. Words and vectors are the product's own (`context.corpora`);
vectors are made once with the packaged model and kept in the cache, without it those rows are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from context.budgets.tokens import ExactTokenizer
from context.corpora.passage import Passage
from context.corpora.sources import (
    Hits,
    asked_terms,
    chances,
    passage_terms,
    source_scores,
)
from context.language.transcriber_marks import plain
from context.ports import Tokenizer
from context.retrieval.bm25 import term_weight
from context.retrieval.lexical import Floats, LexicalIndex
from context.retrieval.ranker import per_utterance
from tests.bench.across import evidence_across
from tests.bench.evidence_vectors import MeetingVectors, vector_maker
from tests.bench.figures import Figure
from tests.bench.qmsum import LabelledMeeting, LabelledQuestion, held_back
from tests.fakes.passages import frequencies, passages_of
from worker.configuration.settings import Settings
from worker.errors import InputError

_CANDIDATES: Final = 400
_BUDGET: Final = 3000
_CLOSE_WEIGHT: Final = 0.8
_ABOVE_FIRST: Final = 0.20
_ABOVE_RECALL: Final = 0.15
_BM25: Final = "BM25, the best passage's meeting"
_BM25_TURNS: Final = "BM25 over the turns of all meetings"


class Shelf:
    """All passages of all meetings, and BM25 over them."""

    def __init__(self, meetings: Sequence[LabelledMeeting]) -> None:
        self.passages = [p for each in meetings for p in passages_of(each.utterances, each.id)]
        for place, passage in enumerate(self.passages):  # an id of QMSum is no title that people give
            self.passages[place] = passage.model_copy(update={"title": "", "prefix": ""})
        self.frequencies = frequencies(self.passages)
        counts = [Counter(passage_terms(passage)) for passage in self.passages]
        self._lengths = np.array([sum(count.values()) for count in counts], dtype=float)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, count in enumerate(counts):
            for term, often in count.items():
                self._postings.setdefault(term, []).append((place, often))

    def ranked(self, asked: Sequence[str]) -> list[tuple[int, float]]:
        """The best passages by BM25, as `ranked_by_words` would have them."""
        scores = np.zeros(len(self.passages))
        norms = 1.2 * (0.4 + 0.6 * self._lengths / self._lengths.mean())
        for term in asked:
            value = term_weight(self.frequencies[term], len(self.passages))
            for place, often in self._postings.get(term, ()):
                scores[place] += value * often * 2.2 / (often + norms[place])
        order = np.argsort(-scores, kind="stable")[:_CANDIDATES]
        return [(int(place), float(scores[place])) for place in order if scores[place] > 0]


@dataclass(slots=True)
class _Tally:
    """Per way of looking: was the right meeting first; and how much evidence was found."""

    first: dict[str, list[float]]
    recall: dict[str, list[float]]


def answers(data: Path | None) -> list[Figure]:
    """The right meeting first, evidence within 3,000 tokens, and declining."""
    if data is None:
        raise InputError("moim bench answers: give a folder of meetings with --data DIR")
    meetings = held_back(data)
    maker = vector_maker(Settings.load().process.cache_dir)
    vectors = [maker.of(meeting) for meeting in meetings] if maker is not None else None
    tally = _across(meetings, vectors)
    return _figures(tally)


def _across(meetings: Sequence[LabelledMeeting], vectors: Sequence[MeetingVectors] | None) -> _Tally:
    shelf = Shelf(meetings)
    said = {each.id: (each.utterances, LexicalIndex(each.utterances)) for each in meetings}
    turns = _Turns(meetings)
    tokenizer = ExactTokenizer()
    tally = _Tally({}, {})
    for place, meeting in enumerate(meetings):
        for number, question in enumerate(meeting.questions):
            asked = asked_terms(question.text)
            ranked = shelf.ranked(asked)
            plain_first = shelf.passages[ranked[0][0]].source_id if ranked else ""
            near = _near(vectors, place, number) if vectors is not None else []
            close = _closest(near)
            hits = Hits(asked, shelf.passages, ranked, shelf.frequencies, len(shelf.passages))
            words = source_scores(question.text, hits)
            both = _with_vectors(words, close)
            firsts = {"BM25": plain_first, "words": _best(words)}
            ways: dict[str, Mapping[str, float]] = {"words": words}
            if vectors is not None:
                firsts |= {"vectors": _best(close), "hybrid": _best(both)}
                ways["hybrid"] = both
            for way, first in firsts.items():
                tally.first.setdefault(way, []).append(float(first == meeting.id))
            if not question.evidence:
                continue
            for way, scores in ways.items():
                shown = evidence_across(
                    question.text,
                    chances(scores),
                    said,
                    budget_tokens=_BUDGET,
                    count=tokenizer.count,
                    close=_closeness(vectors, meetings, place, number) if way == "hybrid" else _no_vectors,
                )
                tally.recall.setdefault(way, []).append(_recall(meeting, question, shown.get(meeting.id, ())))
            tally.recall.setdefault("BM25", []).append(turns.recall(place, question, tokenizer))
            packed = _packed(shelf, ranked, meeting, tokenizer)
            tally.recall.setdefault("BM25 passages", []).append(_recall(meeting, question, packed))
    return tally


def _best(scores: Mapping[str, float]) -> str:
    return max(scores, key=lambda source: scores[source]) if scores else ""


def _near(vectors: Sequence[MeetingVectors], place: int, number: int) -> list[tuple[str, float]]:
    query = vectors[place].questions[number]
    found = [
        (passage.source_id, float(cosine))
        for each in vectors
        for passage, cosine in zip(each.passages, each.rows @ query, strict=True)
    ]
    return sorted(found, key=lambda item: -item[1])


def _closest(found: Sequence[tuple[str, float]]) -> dict[str, float]:
    """For each meeting how near its best three passages are; `found`: (meeting, cosine), best first."""
    near: dict[str, list[float]] = {}
    for source, cosine in found:
        near.setdefault(source, []).append(cosine)
    return {source: sum(values[:3]) / len(values[:3]) for source, values in near.items()}


def _with_vectors(scores: Mapping[str, float], close: Mapping[str, float]) -> dict[str, float]:
    """The scores by words, each raised or lowered by how near the meeting is."""
    values = np.array(list(close.values()))
    spread = float(values.std()) if len(values) else 0.0
    least = min(scores.values(), default=0.0)
    deviations = (values - values.mean()) / (spread if spread > 1e-9 else 1.0) if len(values) else values
    nearer = zip(close, deviations, strict=True)
    return {**scores, **{each: scores.get(each, least) + _CLOSE_WEIGHT * float(by) for each, by in nearer}}


def _no_vectors(_meeting: str) -> Floats | None:
    return None


class _closeness:  # noqa: N801  # a function with a memory: the vectors of one question
    def __init__(
        self,
        vectors: Sequence[MeetingVectors] | None,
        meetings: Sequence[LabelledMeeting],
        place: int,
        number: int,
    ) -> None:
        assert vectors is not None
        self._query = vectors[place].questions[number]
        self._vectors = {
            each.id: (found, len(each.utterances)) for each, found in zip(meetings, vectors, strict=True)
        }

    def __call__(self, meeting: str) -> Floats | None:
        found, count = self._vectors[meeting]
        similar = dict(enumerate((found.rows @ self._query).tolist()))
        spans = {
            place: ((each.first or 1) - 1, (each.last or 1) - 1) for place, each in enumerate(found.passages)
        }
        return per_utterance(similar, spans, count)


def _packed(
    shelf: Shelf, ranked: Sequence[tuple[int, float]], meeting: LabelledMeeting, tokenizer: Tokenizer
) -> set[int]:
    """Places in `meeting` of the turns whose passages fit, best first."""
    left = _BUDGET
    got: set[int] = set()
    for place, _ in ranked:
        passage: Passage = shelf.passages[place]
        tokens = tokenizer.count(passage.text)
        if tokens <= left:
            left -= tokens
            if passage.source_id == meeting.id:
                got.update(id_ - 1 for id_ in passage.utterances)
    return got


def _recall(meeting: LabelledMeeting, question: LabelledQuestion, shown: Sequence[int] | set[int]) -> float:
    there = set(shown)
    words = {place: len(meeting.utterances[place].text.split()) for place in question.evidence}
    return sum(count for place, count in words.items() if place in there) / (sum(words.values()) or 1)


class _Turns:
    """BM25 over every turn of every meeting, the best first until the budget is full."""

    def __init__(self, meetings: Sequence[LabelledMeeting]) -> None:
        self._meetings = meetings
        self._where = [
            (place, turn) for place, each in enumerate(meetings) for turn in range(len(each.utterances))
        ]
        self._postings: dict[str, list[tuple[int, int]]] = {}
        lengths = []
        for number, (place, turn) in enumerate(self._where):
            said = meetings[place].utterances[turn]
            counts = Counter(asked_all(f"{said.speaker_name}: {plain(said.text)}"))
            lengths.append(sum(counts.values()))
            for term, often in counts.items():
                self._postings.setdefault(term, []).append((number, often))
        self._norms = 1.2 * (0.25 + 0.75 * np.array(lengths) / max(1e-9, float(np.mean(lengths))))

    def recall(self, place: int, question: LabelledQuestion, tokenizer: Tokenizer) -> float:
        """The recall of the question's evidence in the meeting at `place`."""
        scores = np.zeros(len(self._where))
        for term in dict.fromkeys(asked_all(question.text)):
            posting = self._postings.get(term, ())
            value = math.log(1 + (len(scores) - len(posting) + 0.5) / (len(posting) + 0.5))
            for number, often in posting:
                scores[number] += value * often * 2.2 / (often + self._norms[number])
        left, misses = _BUDGET, 0
        got: set[int] = set()
        for number in np.argsort(-scores, kind="stable"):
            meeting, turn = self._where[int(number)]
            said = self._meetings[meeting].utterances[turn]
            tokens = tokenizer.count(f"{said.speaker_name}: {said.text}\n")
            if tokens > left:
                misses += 1
                if misses > 15:
                    break
                continue
            left -= tokens
            if meeting == place:
                got.add(turn)
        return _recall(self._meetings[place], question, got)


def asked_all(text: str) -> list[str]:
    """All terms of a text, as `words` has them, with repetitions."""
    return passage_terms(Passage(source_id="", position=0, text=text))


def _figures(tally: _Tally) -> list[Figure]:
    first = {way: float(np.mean(found)) for way, found in tally.first.items()}
    recall = {way: float(np.mean(found)) for way, found in tally.recall.items()}
    questions = len(tally.first["BM25"])
    best = "hybrid" if "hybrid" in first else "words"
    named = {
        "words": "by words: several passages of a meeting, neighbouring words, who is asked for",
        "vectors": "by vectors alone, best three passages",
        "hybrid": "by words and vectors",
    }
    figures = []
    for way in ("hybrid", "words", "vectors"):
        if way in first:
            goal = first["BM25"] + _ABOVE_FIRST if way == best else None
            name = f"the right meeting first, {named[way]} ({questions} questions)"
            figures.append(
                Figure(name, first[way], "of the questions", goal, _BM25, first["BM25"], at_least=True)
            )
    for way in ("hybrid", "words"):
        if way in recall:
            goal = recall["BM25"] + _ABOVE_RECALL if way == best else None
            name = f"evidence recall at 3,000 tokens out of all meetings, {named[way]}"
            figures.append(
                Figure(name, recall[way], "of the words", goal, _BM25_TURNS, recall["BM25"], at_least=True)
            )
    figures.append(
        Figure(
            "… BM25 over passages, beside",
            recall["BM25 passages"],
            "of the words",
            baseline=_BM25_TURNS,
            baseline_value=recall["BM25"],
        )
    )
    return figures
