"""The cache of answers, looked up by questions that mean the same (seed 002 §3.3), and its statistics.

Theory of operation. A question is looked up on its shelf (tenant, meeting, its erasures, call type,
language, maker, day). The same words are a hit. Other words are one if both questions have vectors, none of
their facts differs and a trained judge finds them alike (`likeness`). Either way the evidence must be
unchanged and nothing newer said on the subject. A false answer costs trust and a miss only time, so every
doubt is a miss. At most `capacity` answers are kept, the one unused longest leaving first, and none longer
than `lifetime`. There is no clock: the moment comes with the occasion.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from context.answer_cache.compared_question import ComparedQuestion, read
from context.answer_cache.entry import CacheEntry, MeetingWitness, Occasion, Vector
from context.answer_cache.likeness import Guard, calibration_of, is_same, objections, shared, threshold_for

MOST_ENTRIES: Final = 1_000
"""Most answers that a cache keeps."""
LIFETIME: Final = timedelta(hours=1)
_NEAR_LIKENESS: Final = 0.5
"""Least share of words that a kept question must have in common for its refusal to be counted."""


class ResponseCache:
    """Verified answers, each under the question that it answered; holds those of any meetings."""

    def __init__(
        self,
        *,
        capacity: int = MOST_ENTRIES,
        lifetime: timedelta = LIFETIME,
        on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    ) -> None:
        """Open an empty cache. `on_look_up` is called with how each look-up ended."""
        self._capacity = max(1, capacity)
        self._lifetime = lifetime
        self._on_look_up = on_look_up
        self._entries: OrderedDict[tuple[str, ...], CacheEntry] = OrderedDict()
        self.statistics = CacheStatistics()

    def __len__(self) -> int:
        return len(self._entries)

    def find_similar(
        self,
        query: str,
        occasion: Occasion,
        *,
        vector: Vector | None = None,
        encoder: str = "",
        witness: MeetingWitness | None = None,
        threshold: float | None = None,
    ) -> tuple[CacheEntry, float] | None:
        """Look a question up: the kept answer and the likeness of the two questions, 0 to 1; None is a miss.

        `vector` and `encoder`: the question's embedding, of length 1, and the name of what made it.
        `witness`: the meeting, which tells whether evidence is unchanged; without it only answers that rest
        on none are given. `threshold`: the least likeness on the seed's scale (`threshold_for`); None stands
        for its .85.
        """
        self._forget_old(occasion.at)
        asked = read(query, occasion.names, occasion.intent)
        if asked.leaning:
            self._count(LookUp(hit=False, guard="leaning"))
            return None
        if calibration_of(encoder) is None:
            vector = None
        least = threshold_for(encoder, threshold) if vector is not None else 1.0
        hits: list[tuple[CacheEntry, float]] = []
        refused: list[tuple[Guard, float]] = []
        for entry in self._on_shelf(occasion):
            alike: float = 1.0
            guard: Guard | None = None
            if entry.reading.normal != asked.normal:
                alike, guard = _compared(entry, asked, vector if entry.encoder == encoder else None, least)
            guard = _asker(entry, asked, occasion) or guard or _changed(entry, witness)
            if guard is None:
                hits.append((entry, alike))
            elif alike >= _NEAR_LIKENESS:
                refused.append((guard, alike))
        if not hits:
            nearest = max(refused, key=lambda each: each[1])[0] if refused else None
            self._count(LookUp(hit=False, guard=nearest))
            return None
        entry, alike = max(hits, key=lambda each: each[1])
        entry.hit_count += 1
        exact = entry.reading.normal == asked.normal
        self._count(LookUp(hit=True, exact=exact, tokens_saved=entry.tokens, time_saved_ms=entry.time_ms))
        self._entries.move_to_end(_key(entry.reading, entry.occasion))
        return entry, alike

    def needs_vector(self, query: str, occasion: Occasion) -> bool:
        """Whether an embedding of the question could make a hit: whether the closest possible one would."""
        asked = read(query, occasion.names, occasion.intent)
        kept = [entry.reading for entry in self._on_shelf(occasion) if entry.vector is not None]
        if asked.leaning or any(each.normal == asked.normal for each in kept):
            return False
        return any(not objections(each, asked) and is_same(each, asked, 1.0) for each in kept)

    def store(
        self,
        query: str,
        response: str,
        occasion: Occasion,
        *,
        verified: bool,
        evidence: Mapping[int, str] = MappingProxyType({}),
        after_utterance: int = 0,
        tokens: int = 0,
        time_ms: float = 0.0,
        quality: float = 1.0,
        readers: frozenset[str] = frozenset(),
        vector: Vector | None = None,
        encoder: str = "",
        elsewhere: bool = False,
    ) -> CacheEntry | None:
        """Keep an answer under its question, and return the entry.

        Nothing is kept, and None returned, for an answer that is empty, unverified or cites what does not
        exist, and for a question that leans on the turn before it. `evidence`: what `MeetingWitness.marks`
        gives. `after_utterance`: the newest utterance's number when the answer was made. `tokens`, `time_ms`:
        what making it took. `readers`: who may read all its evidence; empty stands for everybody.
        `elsewhere`: whether it may rest on other meetings or documents.
        """
        reading = read(query, occasion.names, occasion.intent)
        founded = verified and all(evidence.values())
        if not founded or not response.strip() or reading.leaning:
            return None
        entry = CacheEntry(
            query, response, occasion, reading, evidence, after_utterance, tokens, time_ms, occasion.at,
            quality, readers, vector, encoder, elsewhere,
        )  # fmt: skip
        key = _key(reading, occasion)
        self._entries[key] = entry
        self._entries.move_to_end(key)
        self._forget_old(occasion.at)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        return entry

    def _on_shelf(self, occasion: Occasion) -> list[CacheEntry]:
        shelf = occasion.shelf
        return [
            entry
            for entry in self._entries.values()
            if entry.occasion.shelf == shelf and entry.may_be_read_by(occasion)
        ]

    def _count(self, look_up: LookUp) -> None:
        self.statistics.count(look_up)
        self._on_look_up(look_up)

    def _forget_old(self, now: datetime) -> None:
        for key, entry in list(self._entries.items()):
            if not timedelta(0) <= now - entry.stored_at <= self._lifetime:
                del self._entries[key]


def _asker(entry: CacheEntry, asked: ComparedQuestion, occasion: Occasion) -> Guard | None:
    personal = entry.reading.own or asked.own
    return "asker" if personal and entry.occasion.asker != occasion.asker else None


def _compared(
    entry: CacheEntry, asked: ComparedQuestion, vector: Vector | None, least: float
) -> tuple[float, Guard | None]:
    """How alike two questions in other words are (a hit: by cosine, else by words), and who objects."""
    words = shared(entry.reading, asked)
    if facts := objections(entry.reading, asked):
        return words, facts[0]
    if vector is None or entry.vector is None:
        return words, "encoder"
    cosine = min(1.0, max(0.0, float(entry.vector @ vector)))
    if cosine < least:
        return words, "encoder"
    return (cosine, None) if is_same(entry.reading, asked, cosine) else (words, "topic")


def _changed(entry: CacheEntry, witness: MeetingWitness | None) -> Guard | None:
    if witness is None:
        return "evidence" if entry.evidence else None
    if any(witness.digest(number) != digest for number, digest in entry.evidence.items()):
        return "evidence"
    return "newer" if witness.newer_on(entry.query, entry.reading, entry.after_utterance) else None


def _key(reading: ComparedQuestion, occasion: Occasion) -> tuple[str, ...]:
    own = occasion.asker if reading.own or occasion.private else ""
    return (*occasion.shelf, str(occasion.private), own, reading.normal)


@dataclass(frozen=True, slots=True)
class LookUp:
    """How one look-up in the cache ended: a hit, or why it was a miss."""

    hit: bool
    exact: bool = False
    guard: Guard | None = None
    """The guard that refused the nearest kept question; None for a hit, or where none was near."""
    tokens_saved: int = 0
    time_saved_ms: float = 0.0


@dataclass(slots=True)
class CacheStatistics:
    """Counts of look-ups since the cache was made."""

    total_queries: int = 0
    cache_hits: int = 0
    exact_hits: int = 0
    total_tokens_saved: int = 0
    total_time_saved_ms: float = 0.0
    guarded: Counter[Guard] = field(default_factory=Counter)
    """How often each guard refused the kept question that was nearest to a miss."""

    @property
    def cache_hit_rate(self) -> float:
        """Hits over look-ups, 0 to 1; 0 before the first."""
        return self.cache_hits / self.total_queries if self.total_queries else 0.0

    def count(self, look_up: LookUp) -> None:
        """Count a look-up that ended."""
        self.total_queries += 1
        self.cache_hits += look_up.hit
        self.exact_hits += look_up.exact
        self.total_tokens_saved += look_up.tokens_saved
        self.total_time_saved_ms += look_up.time_saved_ms
        if look_up.guard is not None:
            self.guarded[look_up.guard] += 1

    def as_dict(self) -> dict[str, Any]:
        """All counts: seed 002's five (§3.3.3) under its names, and ours."""
        return asdict(self) | {"cache_hit_rate": self.cache_hit_rate, "guarded": dict(self.guarded)}
