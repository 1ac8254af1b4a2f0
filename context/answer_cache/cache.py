"""Answers that were given before, for questions that mean the same (seed 002 §3.3).

Theory of operation. A question is looked up on its shelf (tenant, meeting, call type, language, maker, day).
The same words are a hit. Other words are one where there are vectors, no fact of the two differs, a learnt
judge finds them alike (`likeness`), the evidence is unchanged and nothing newer was said on the subject. A
false answer costs trust and a miss only time, so every doubt is a miss. At most `capacity` answers, the one
unused longest leaving first; none older than `lifetime`. No clock: the moment comes with the occasion.

What the cache saved, under the seed's names.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from context.answer_cache.entry import CacheEntry, EvidenceMark, MeetingWitness, Occasion, Vector
from context.answer_cache.likeness import Guard, calibration_of, is_same, objections, shared, threshold_for
from context.answer_cache.reading import Reading, read

CAPACITY: Final = 1_000
LIFETIME: Final = timedelta(hours=1)
_NEAR: Final = 0.5
"""A kept question with at least this share of the words is near enough for its refusal to be counted."""

_Key = tuple[str, ...]


class ResponseCache:
    """Verified answers of any meetings; a process has one, or each meeting its own."""

    def __init__(
        self,
        *,
        capacity: int = CAPACITY,
        lifetime: timedelta = LIFETIME,
        on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    ) -> None:
        self._capacity = max(1, capacity)
        self._lifetime = lifetime
        self._on_look_up = on_look_up
        self._entries: OrderedDict[_Key, CacheEntry] = OrderedDict()
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
        """The answer to a question that means the same, and how alike they are, 0 to 1; None is a miss.

        `vector` and `encoder`: the question's embedding, of length 1, and whose it is. Without a `witness`
        nothing vouches for the evidence and only answers that rest on none are given. `threshold`: on the
        seed's scale; None is its .85.
        """
        self._forget_old(occasion.at)
        asked = read(query, occasion.names)
        if asked.leaning:
            self._count(LookUp(hit=False, guard="leaning"))
            return None
        search = _Search(asked, occasion, vector, encoder, threshold)
        best: tuple[CacheEntry, float] | None = None
        refused: tuple[float, Guard] | None = None
        for entry in self._on_shelf(occasion):
            near, guard = search.judge(entry, witness)
            if guard is None:
                best = max(best, (entry, near), key=lambda pair: pair[1]) if best else (entry, near)
            elif near >= _NEAR and (refused is None or near > refused[0]):
                refused = (near, guard)
        if best is not None:
            self._use(best[0], asked)
        else:
            self._count(LookUp(hit=False, guard=refused[1] if refused else None))
        return best

    def needs_vector(self, query: str, occasion: Occasion) -> bool:
        """Whether an embedding could decide anything: only where the best one would say yes."""
        asked = read(query, occasion.names)
        shelf = [entry for entry in self._on_shelf(occasion) if entry.vector is not None]
        if asked.leaning or any(entry.reading.normal == asked.normal for entry in shelf):
            return False
        return any(
            not objections(entry.reading, asked) and is_same(entry.reading, asked, 1.0) for entry in shelf
        )

    def store(
        self,
        query: str,
        response: str,
        occasion: Occasion,
        *,
        verified: bool,
        evidence: tuple[EvidenceMark, ...] = (),
        after_utterance: int = 0,
        tokens: int = 0,
        time_ms: float = 0.0,
        quality: float = 1.0,
        readers: frozenset[str] = frozenset(),
        vector: Vector | None = None,
        encoder: str = "",
    ) -> CacheEntry | None:
        """Keep an answer. None, and nothing kept: unverified, empty, leaning, or unfounded."""
        reading = read(query, occasion.names)
        founded = verified and all(mark.digest for mark in evidence)
        if not founded or not response.strip() or reading.leaning:
            return None
        entry = CacheEntry(
            query, response, occasion, reading, evidence, after_utterance, tokens, time_ms, occasion.at,
            quality, readers, vector, encoder,
        )  # fmt: skip
        key = _key(reading, occasion)
        self._entries.pop(key, None)
        self._entries[key] = entry
        self._forget_old(occasion.at)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        return entry

    def _on_shelf(self, occasion: Occasion) -> Iterator[CacheEntry]:
        for entry in self._entries.values():
            if entry.occasion.shelf == occasion.shelf and entry.may_be_read_by(occasion):
                yield entry

    def _use(self, entry: CacheEntry, asked: Reading) -> None:
        entry.hit_count += 1
        exact = entry.reading.normal == asked.normal
        self._count(LookUp(hit=True, exact=exact, tokens_saved=entry.tokens, time_saved_ms=entry.time_ms))
        self._entries.move_to_end(_key(entry.reading, entry.occasion))

    def _count(self, look_up: LookUp) -> None:
        self.statistics.count(look_up)
        self._on_look_up(look_up)

    def _forget_old(self, now: datetime) -> None:
        for key, entry in list(self._entries.items()):
            if not timedelta(0) <= now - entry.stored_at <= self._lifetime:
                del self._entries[key]


class _Search:
    """One question against kept ones."""

    def __init__(
        self, asked: Reading, occasion: Occasion, vector: Vector | None, encoder: str, wished: float | None
    ) -> None:
        self._asked, self._occasion = asked, occasion
        self._vector = vector if calibration_of(encoder) is not None else None
        self._encoder = encoder
        self._least_cosine = threshold_for(encoder, wished) if self._vector is not None else 1.0

    def judge(self, entry: CacheEntry, witness: MeetingWitness | None) -> tuple[float, Guard | None]:
        """How alike, and who objects."""
        alike, guard = 1.0, self._asker(entry)
        if guard is None and entry.reading.normal != self._asked.normal:
            alike, guard = self._compared(entry)
        return alike, guard or _changed(entry, witness)

    def _asker(self, entry: CacheEntry) -> Guard | None:
        personal = entry.reading.own or self._asked.own
        return "asker" if personal and entry.occasion.asker != self._occasion.asker else None

    def _compared(self, entry: CacheEntry) -> tuple[float, Guard | None]:
        """The cosine of two questions in other words, or their share of words, and who objects."""
        words = shared(entry.reading, self._asked)
        facts = objections(entry.reading, self._asked)
        if facts:
            return words, facts[0]
        if self._vector is None or entry.vector is None or entry.encoder != self._encoder:
            return words, "encoder"
        cosine = float(min(1.0, max(0.0, float(entry.vector @ self._vector))))
        if cosine < self._least_cosine:
            return words, "encoder"
        return (cosine, None) if is_same(entry.reading, self._asked, cosine) else (words, "topic")


def _changed(entry: CacheEntry, witness: MeetingWitness | None) -> Guard | None:
    if witness is None:
        return "evidence" if entry.evidence else None
    if any(witness.digest(mark.key) != mark.digest for mark in entry.evidence):
        return "evidence"
    return "newer" if witness.newer_on(entry.query, entry.reading, entry.after_utterance) else None


def _key(reading: Reading, occasion: Occasion) -> _Key:
    own = occasion.asker if reading.own or occasion.private else ""
    return (*occasion.shelf, str(occasion.private), own, reading.normal)


@dataclass(frozen=True, slots=True)
class LookUp:
    """How one look-up in the cache ended: a hit, or why it was a miss."""

    hit: bool
    exact: bool = False
    guard: Guard | None = None
    """Of a miss: who spoke against the nearest kept question; None where nothing was near."""
    tokens_saved: int = 0
    time_saved_ms: float = 0.0


@dataclass(slots=True)
class CacheStatistics:
    """Counts since the cache was made."""

    total_queries: int = 0
    cache_hits: int = 0
    exact_hits: int = 0
    total_tokens_saved: int = 0
    total_time_saved_ms: float = 0.0
    guarded: Counter[Guard] = field(default_factory=Counter)
    """Of questions that were like a kept one and missed: which guard spoke first."""

    @property
    def cache_hit_rate(self) -> float:
        """Hits over queries, 0 to 1."""
        return self.cache_hits / self.total_queries if self.total_queries else 0.0

    def count(self, look_up: LookUp) -> None:
        """A look-up ended."""
        self.total_queries += 1
        self.cache_hits += look_up.hit
        self.exact_hits += look_up.exact
        self.total_tokens_saved += look_up.tokens_saved
        self.total_time_saved_ms += look_up.time_saved_ms
        if look_up.guard is not None:
            self.guarded[look_up.guard] += 1

    def as_dict(self) -> dict[str, Any]:
        """The seed's five, then ours."""
        return {
            "total_queries": self.total_queries,
            "cache_hits": self.cache_hits,
            "cache_hit_rate": self.cache_hit_rate,
            "total_tokens_saved": self.total_tokens_saved,
            "total_time_saved_ms": self.total_time_saved_ms,
            "exact_hits": self.exact_hits,
            "guarded": dict(self.guarded),
        }
