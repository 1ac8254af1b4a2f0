"""Vectors of labelled meetings, as a live meeting has them at any moment; made once, kept in the cache."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np

from context.corpora.passage import Passage
from context.primitives.vectors import Vectors
from context.retrieval.ranker import per_utterance
from tests.bench.qmsum import LabelledMeeting
from tests.fakes.passages import passages_of
from worker.embeddings.e5_file import WeightsMissing
from worker.embeddings.e5_models import TextModel, load

_UNSETTLED: Final = 40
"""So far behind the newest utterance a live meeting is indexed."""
_BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class MeetingVectors:
    """A meeting's passages and questions, and their vectors."""

    passages: Sequence[Passage]
    rows: Vectors
    questions: Vectors

    def close(self, question: int, heard: int, *, over: bool) -> Vectors:
        """How close each of the first `heard` utterances is to a question, as far as indexed by then."""
        until = heard if over else heard - _UNSETTLED
        known = [place for place, each in enumerate(self.passages) if (each.last or 0) <= until]
        similar = dict(zip(known, (self.rows[known] @ self.questions[question]).tolist(), strict=True))
        spans = {
            place: ((self.passages[place].first or 1) - 1, (self.passages[place].last or 1) - 1)
            for place in known
        }
        return per_utterance(similar, spans, heard)


class VectorMaker:
    """The local model, loaded where a meeting is not in the cache yet."""

    def __init__(self, cache_dir: Path) -> None:
        """Raises `WeightsMissing` where the model is not installed."""
        self._cache_dir = cache_dir
        self._model: TextModel | None = None
        self._load()

    def of(self, meeting: LabelledMeeting) -> MeetingVectors:
        """A meeting's vectors; some 40 ms of CPU per passage the first time."""
        passages = passages_of(meeting.utterances, meeting.id)
        questions = [question.text for question in meeting.questions]
        rows = self.rows([each.searched for each in passages], query=False)
        return MeetingVectors(passages, rows, self.rows(questions, query=True))

    def rows(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """One row per text, from the cache where these texts have been embedded before."""
        model = self._load()
        key = sha256("\0".join((model.name, str(query), *texts)).encode("utf-8", "surrogatepass")).hexdigest()
        kept = self._cache_dir / "bench" / "vectors" / f"{key[:32]}.npy"
        if kept.is_file():
            rows: Vectors = np.load(kept)
            return rows
        parts = [
            model.encode(texts[start : start + _BATCH], query=query) for start in range(0, len(texts), _BATCH)
        ]
        rows = np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, rows)
        sys.stderr.write(f"embedded {len(texts)} texts\n")
        return rows

    def asked(self, question: str) -> Vectors:
        """A question's vector, never from the cache: it takes as long as an asker waits for it."""
        row: Vectors = self._load().encode([question], query=True)[0]
        return row

    def _load(self) -> TextModel:
        if self._model is None:
            self._model = load(self._cache_dir)
        return self._model


def vector_maker(cache_dir: Path) -> VectorMaker | None:
    """None, and a line, where the model is not installed."""
    try:
        return VectorMaker(cache_dir)
    except WeightsMissing as error:
        sys.stderr.write(f"without vectors: {error}\n")
        return None
