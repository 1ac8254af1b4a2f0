"""The answer cache against pairs of questions: near-misses that must not be served, paraphrases that should.

The pairs lie in `tests/data/answer_cache`; any folder of the same shape will do. Beside the cache stands
what is usual: cosine of the questions' embeddings, .85 and more is a hit. Each pair is asked of a cache
that holds the one answer, through the same calls as in a meeting.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from context.answer_cache.entry import Occasion
from context.answer_cache.kept_answers import ResponseCache
from context.ports import Refused
from context.primitives.vectors import Vectors
from tests.bench.figures import Figure, percentile, timed
from worker.configuration.settings import Settings
from worker.embeddings.embedding_client import OwnEmbedder
from worker.errors import InputError

PAIRS: Final = Path(__file__).parents[2] / "tests" / "data" / "answer_cache"
PLAIN_COSINE: Final = 0.85
RECALL: Final = 0.3
_DAY: Final = "2026-11-20"
_FILES: Final = ("near_misses", "paraphrases")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question whose answer is kept, and one that is asked later."""

    stored: str
    asked: str
    language: str
    split: str
    may_be_served: bool
    guard: str
    """What differs in a near-miss; "" for a paraphrase."""
    stored_on: str
    asked_on: str
    stored_by: str
    asked_by: str


def read(folder: Path | None = None) -> list[Pair]:
    """All pairs of a folder, or of its folder `answer_cache`. Raises `InputError`."""
    where = folder if folder is not None else PAIRS
    where = where / "answer_cache" if (where / "answer_cache").is_dir() else where
    found: list[Pair] = []
    for name in _FILES:
        path = where / f"{name}.jsonl"
        if not path.is_file() and folder is not None:
            return read()  # other meetings, but no pairs among them
        try:
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            found += [_pair(row, may_be_served=name == "paraphrases") for row in rows]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: no pairs of questions ({type(error).__name__}: {error})") from error
    return found


def _pair(row: Mapping[str, Any], *, may_be_served: bool) -> Pair:
    return Pair(
        stored=row["stored"],
        asked=row["asked"],
        language=row["language"],
        split=row["split"],
        may_be_served=may_be_served,
        guard=row.get("guard", ""),
        stored_on=row.get("stored_on", _DAY),
        asked_on=row.get("asked_on", _DAY),
        stored_by=row.get("stored_by", "a"),
        asked_by=row.get("asked_by", "a"),
    )


def is_served(pair: Pair, vectors: Mapping[str, Vectors] | None = None, encoder: str = "") -> bool:
    """Whether the one answer is given to the other question."""
    cache = ResponseCache()
    cache.store(
        pair.stored,
        "an answer",
        _occasion(pair.stored_on, pair.stored_by),
        verified=True,
        vector=vectors[pair.stored] if vectors else None,
        encoder=encoder,
    )
    found = cache.find_similar(
        pair.asked,
        # Asked within the hour on the clock: only what the day means may keep them apart.
        _occasion(pair.asked_on, pair.asked_by),
        vector=vectors[pair.asked] if vectors else None,
        encoder=encoder,
    )
    return found is not None


def _occasion(day: str, asker: str) -> Occasion:
    return Occasion(meeting_id="m", at=datetime.fromisoformat(f"{day}T10:00:00+00:00"), asker=asker)


def answer_cache(data: Path | None = None) -> list[Figure]:
    """What is served of near-misses and of paraphrases, beside plain cosine; without an encoder, of neither.

    The packaged judge was trained on these pairs: what it does with pairs that it has not seen is in
    `context/answer_cache/likeness.scores.json`.
    """
    pairs = read(data)
    vectors, encoder = asyncio.run(_vectors(pairs))
    figures: list[Figure] = []
    for part in ("develop", "heldout", "fresh", "added", "edited"):
        figures += _part(part, [pair for pair in pairs if pair.split == part], vectors, encoder)
    for language in ("ko", "en"):
        figures += _part(language, [pair for pair in pairs if pair.language == language], vectors, encoder)
    figures += _part("all", pairs, vectors, encoder)
    return [*figures, *_speed(pairs)]


def _part(
    name: str, pairs: Sequence[Pair], vectors: Mapping[str, Vectors] | None, encoder: str
) -> list[Figure]:
    near = [pair for pair in pairs if not pair.may_be_served]
    same = [pair for pair in pairs if pair.may_be_served]
    if not near or not same:
        return []
    served = sum(is_served(pair, vectors, encoder) for pair in near)
    hits = sum(is_served(pair, vectors, encoder) for pair in same)
    return [
        _figure(f"near-misses served ({name})", served, len(near), 0.0, _plain(near, vectors)),
        _figure(f"paraphrases hit ({name})", hits, len(same), RECALL, _plain(same, vectors), at_least=True),
    ]


def _figure(
    name: str, count: int, of: int, goal: float, plain: float | None, *, at_least: bool = False
) -> Figure:
    return Figure(
        name,
        count / of,
        "",
        goal,
        f"cosine of {PLAIN_COSINE} and more" if plain is not None else "",
        plain,
        f"{count} of {of}",
        at_least=at_least,
    )


def _plain(pairs: Sequence[Pair], vectors: Mapping[str, Vectors] | None) -> float | None:
    if vectors is None:
        return None
    alike = (float(vectors[pair.stored] @ vectors[pair.asked]) for pair in pairs)
    return sum(cosine >= PLAIN_COSINE for cosine in alike) / len(pairs)


def _speed(pairs: Sequence[Pair]) -> list[Figure]:
    """One look-up in a full cache, whose questions are all on the same shelf."""
    cache = ResponseCache()
    occasion = Occasion(meeting_id="m", at=datetime(2026, 11, 20, 10, tzinfo=UTC))
    questions = [f"{pair.stored} {round_}" for round_ in range(3) for pair in pairs]
    for question in questions[:1000]:
        cache.store(question, "an answer", occasion, verified=True)
    took = [timed(cache.find_similar, pair.asked, occasion)[1] for pair in pairs[:200]]
    note = f"among {len(cache)} kept"
    return [
        Figure("cache look-up p50", 1000 * percentile(took, 0.5), "ms", note=note),
        Figure("cache look-up p95", 1000 * percentile(took, 0.95), "ms", 25.0, note=note),
    ]


async def _vectors(pairs: Sequence[Pair]) -> tuple[dict[str, Vectors] | None, str]:
    """The questions' embeddings by the packaged model, and its name; None where it isn't installed."""
    embedder = OwnEmbedder(Settings().process.cache_dir, fast=True)
    texts = sorted({text for pair in pairs for text in (pair.stored, pair.asked)})
    try:
        return {text: await embedder.embed_query(text) for text in texts}, embedder.name
    except Refused:
        return None, ""
    finally:
        await embedder.aclose()
