"""Seed 002's memory of the agent's turns: three tiers (§3.2.2, §4), and a profile per person (§3.2.1).

`HierarchicalMemory` keeps the turns in tiers, each with a share of a prompt's budget:

- working, 50 %: the last 5 turns, word for word.
- compressed, 30 %: each five turns that have left the working tier, in at most 200 tokens; turns that have
  left and are fewer than five yet, shortened.
- semantic, 20 %: what lasts. Decisions and the like at once, other things from their second mention on, and
  the course of what is measured. What lasts, and when, each kind of entity says (`Kind`).

Compressed spans never overlap the working tier, and every turn is in a tier. Over budget the semantic tier
stays, then the last turns, then the compressed spans that bear on the question, of equal ones the more
important.

`ProfileStore` keeps what is known of each person, with weights that fade: 0.9 to the power of the turns
since. Where a kind has one value, a later one supersedes the earlier one, which is kept, marked, and no
longer told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from pydantic import AwareDatetime

from context.budgets.tokens import fit
from context.language.questions import sentences
from context.models import Frozen
from context.packs.entity import Entity, Kinds
from context.ports import Tokenizer
from context.retrieval.index_terms import terms

COMPRESSED_TOKENS: Final = 200
"""Most tokens of one compressed span."""
_SHARES: Final = (0.5, 0.3, 0.2)
"""The shares of a budget for the working, the compressed and the semantic tier."""
_MIN_MENTIONS: Final = 2
"""Mentions from which on what is none of those lasts, too."""
_MIN_PATTERN_MENTIONS: Final = 2


class CompressedMemory(Frozen):
    """A span of turns that have left the working tier, in short."""

    summary: str
    named: tuple[str, ...] = ()
    """The entities that the turns name, people apart: seed 002's `key_medical_info`."""
    turn_range: tuple[int, int]
    """First and last turn."""
    importance: float = 0.0
    """0–1, of the most important turn."""


class MemoryEntry(Frozen):
    """One thing in the semantic tier."""

    name: str
    first_mentioned: int
    """Number of the turn."""
    frequency: int
    """The number of mentions."""


class SemanticMemory(Frozen):
    """The semantic tier: what lasts, and the course of what is measured."""

    entries: Mapping[str, tuple[MemoryEntry, ...]] = {}
    """By heading (`Kind.lasts_as`), what must not be forgotten first."""
    patterns: tuple[str, ...] = ()
    """A line for each measured value: first, last, direction, mean and count."""


class MemoryContext(Frozen):
    """The text of each tier that fits into a budget; "" where a tier has nothing to show."""

    working: str = ""
    compressed: str = ""
    semantic: str = ""
    tokens: int = 0
    """The tokens of all three texts."""


class HierarchicalMemory:
    """Seed 002's `HierarchicalMemory`: the three tiers of one thread. Turns are added in order."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        kinds: Kinds,
        *,
        working_memory_capacity: int = 5,
        compression_threshold: int = 5,
    ) -> None:
        """`kinds`: of the entities that turns name."""
        self._tokenizer = tokenizer
        self._kinds = kinds
        self._capacity = working_memory_capacity
        self._threshold = compression_threshold
        self.turns: list[DialogueTurn] = []
        self.compressed: list[CompressedMemory] = []
        self.profile = ProfileStore(kinds)

    @property
    def working(self) -> list[DialogueTurn]:
        """The last turns, as many as the working tier holds."""
        return self.turns[-self._capacity :]

    @property
    def between(self) -> list[DialogueTurn]:
        """Turns that have left the working tier and are too few for a compressed span yet."""
        covered = self.compressed[-1].turn_range[1] if self.compressed else 0
        return [turn for turn in self.turns[: -self._capacity] if turn.turn_id > covered]

    def add_turn(self, turn: DialogueTurn) -> None:
        """Take in the next turn; when enough turns have left the working tier, they are compressed."""
        self.turns.append(turn)
        self.profile.add(turn.turn_id, turn.extracted_slots)
        gone = self.between
        if len(gone) < self._threshold:
            return
        span = gone[: self._threshold]
        slots = (slot for turn in span for slot in turn.extracted_slots if slot.kind != "people")
        self.compressed.append(
            CompressedMemory(
                summary=self._first_sentences(span, COMPRESSED_TOKENS),
                named=tuple(dict.fromkeys(slot.of_whom() for slot in slots)),
                turn_range=(span[0].turn_id, span[-1].turn_id),
                importance=max(turn.importance for turn in span),
            )
        )

    @property
    def semantic(self) -> SemanticMemory:
        """The semantic tier, from all turns so far."""
        at_once_first = sorted(self._kinds.values(), key=lambda kind: not kind.lasts_at_once)
        lasting: dict[str, list[MemoryEntry]] = {kind.lasts_as: [] for kind in at_once_first}
        for fact in self.profile.known():
            kind = self._kinds[fact.entity.kind]
            if kind.lasts_at_once or fact.entity.chronic or fact.count >= _MIN_MENTIONS:
                name = fact.entity.of_whom()
                entry = MemoryEntry(name=name, first_mentioned=fact.first_turn, frequency=fact.count)
                lasting[kind.lasts_as].append(entry)
        entries = {heading: tuple(found) for heading, found in lasting.items() if heading and found}
        return SemanticMemory(entries=entries, patterns=tuple(self._patterns()))

    def retrieve_context(self, query: str, max_tokens: int) -> MemoryContext:
        """What of the tiers fits into `max_tokens` together.

        The spans whose words are those of `query` come first. What the other two leave of their shares is the
        working tier's.
        """
        semantic = self._fitted(_semantic_lines(self.semantic), round(max_tokens * _SHARES[2]))
        asked = set(terms(query))
        spans = sorted(
            self.compressed, key=lambda span: (-len(asked & set(terms(span.summary))), -span.importance)
        )
        lines = [_line(turn) for turn in reversed(self.between)] + [_span_line(span) for span in spans]
        compressed = self._fitted(lines, round(max_tokens * _SHARES[1]))
        left = max_tokens - self._count(semantic) - self._count(compressed)
        turn_texts = [
            f"Q{turn.turn_id}: {turn.user_query}\nA{turn.turn_id}: {turn.agent_response}"
            for turn in self.working
        ]
        while len(turn_texts) > 1 and self._count("\n".join(turn_texts)) > left:
            turn_texts.pop(0)
        verbatim = fit("\n".join(turn_texts), left - 1, self._tokenizer)
        tiers = {"working": verbatim, "compressed": compressed, "semantic": semantic}
        return MemoryContext(**tiers, tokens=sum(map(self._count, tiers.values())))

    def _count(self, text: str) -> int:
        return self._tokenizer.count(text) + 1 if text else 0

    def _fitted(self, lines: Sequence[str], budget: int) -> str:
        fitting: list[str] = []
        for line in lines:
            if self._count("\n".join((*fitting, line))) <= budget:
                fitting.append(line)
        return "\n".join(fitting)

    def _first_sentences(self, turns: Sequence[DialogueTurn], tokens: int) -> str:
        """Each question with the first sentence of its answer, shortened until all fit."""
        lines = [_line(turn) for turn in turns]
        texts = (" / ".join(line[:most] for line in lines) for most in (160, 100, 60, 30))
        text = ""
        for text in texts:
            if self._count(text) <= tokens:
                return text
        return fit(text, tokens - 1, self._tokenizer)

    def _patterns(self) -> list[str]:
        """The course of each measured value, by person; superseded values count too (seed 002)."""
        patterns = []
        measured = defaultdict[tuple[str, str], list[float]](list)
        for entity in (fact.entity for fact in self.profile.facts):
            if self._kinds[entity.kind].measured:
                measured[entity.person, entity.name].append(float(entity.value))
        for (person, name), values in measured.items():
            if len(values) >= _MIN_PATTERN_MENTIONS:
                direction = _direction(values[0], values[-1])
                course = f"{values[0]:g} {direction} {values[-1]:g}"
                pattern = f"{name} {course} (mean {fmean(values):.4g}, {len(values)})"
                patterns.append(f"{person}: {pattern}" if person else pattern)
        return patterns


def _direction(first: float, last: float) -> str:
    if last == first:
        return "→"
    return "↑" if last > first else "↓"


def _line(turn: DialogueTurn) -> str:
    first = next(iter(sentences(turn.agent_response.replace("\n", " "))), "")
    return f"Q{turn.turn_id}: {turn.user_query} → {first}"


def _span_line(span: CompressedMemory) -> str:
    named = f" [{'; '.join(span.named[:8])}]" if span.named else ""
    return f"Q{span.turn_range[0]}-{span.turn_range[1]}: {span.summary}{named}"


def _semantic_lines(memory: SemanticMemory) -> list[str]:
    """The semantic tier by lines, those that must not be forgotten first."""
    lines = [
        f"{heading}: {entry.name} (×{entry.frequency})"
        for heading, entries in memory.entries.items()
        for entry in entries
    ]
    return lines + [f"pattern: {pattern}" for pattern in memory.patterns]


_DECAY_PER_TURN: Final = 0.9
_LEAST_WEIGHT: Final = 0.1


@dataclass(slots=True)
class Fact:
    """One thing that is known of a person, and when it was said."""

    entity: Entity
    first_turn: int
    last_turn: int
    count: int = 1
    """How often it was said."""
    weight: float = 1.0
    """0–1: 1 when it was just said, or does not fade."""
    superseded: bool = False
    """Whether a later value took its place, or it was denied since."""


class ProfileStore:
    """Seed 002's `ProfileStore` (§3.2.1): what is known of each person, added to with every turn."""

    def __init__(self, kinds: Kinds) -> None:
        """`kinds`: of the entities that turns name."""
        self._kinds = kinds
        self.facts: list[Fact] = []
        self.turn = 0

    def add(self, turn: int, entities: Iterable[Entity]) -> None:
        """Take in the entities that a turn named.

        One that is denied, stopped or the like (`Kind.ends`) is no fact and ends the facts of its name. One
        that is only asked about is no fact either, and ends nothing.
        """
        self.turn = max(self.turn, turn)
        for entity in entities:
            kind, status = self._kinds[entity.kind], entity.detail("status")
            if status == "asked":
                continue
            whose = (entity.kind, entity.name, entity.person)
            same = [
                fact
                for fact in self.facts
                if not fact.superseded and (fact.entity.kind, fact.entity.name, fact.entity.person) == whose
            ]
            ended = status in kind.ends
            equal = next((fact for fact in same if fact.entity.said() == entity.said()), None)
            if equal is not None and not ended:
                equal.last_turn, equal.count = turn, equal.count + 1
                continue
            if ended or (kind.one_value and (entity.value or entity.details)):
                for fact in same:
                    fact.superseded = True
            if not ended:
                self.facts.append(Fact(entity, turn, turn))
        self.apply_temporal_weights()

    def apply_temporal_weights(self) -> None:
        """Weigh each fact anew: 0.9^(turns ago) for kinds that fade, 1 for the others (seed 002)."""
        for fact in self.facts:
            ago = self.turn - fact.last_turn
            fact.weight = _DECAY_PER_TURN**ago if self._kinds[fact.entity.kind].fades else 1.0

    def known(self, kind: str | None = None) -> list[Fact]:
        """The facts that stand, of `kind` or of all kinds, the weightiest first."""
        standing = [f for f in self.facts if not f.superseded and (kind is None or f.entity.kind == kind)]
        return sorted(standing, key=lambda fact: (-fact.weight, -fact.count, fact.first_turn))

    def profile_summary(self, language: str = "ko", *, most: int = 20) -> str:
        """The `most` weightiest facts as text, a line for each kind; "" where nothing is known.

        `language`: `ko`, or anything else for English.
        """
        by_kind: dict[str, list[str]] = {}
        for fact in self.known()[:most]:
            if fact.weight >= _LEAST_WEIGHT:
                by_kind.setdefault(fact.entity.kind, []).append(fact.entity.said())
        return "\n".join(
            f"{kind.korean if language == 'ko' else kind.english}: {', '.join(by_kind[name])}"
            for name, kind in self._kinds.items()
            if name in by_kind
        )


_BASE_IMPORTANCE: Final = 0.5
_MAX_SLOTS_IMPORTANCE: Final = 0.3
_SLOTS_PER_IMPORTANCE: Final = 10
"""How many things named in a turn would make up a whole of importance."""
_LASTING_IMPORTANCE: Final = 0.2


def importance(slots: Sequence[Entity], kinds: Kinds) -> float:
    """How important a turn is, by the entities that it names (seed 002 §3.2.2): 0.5 to 1.0.

    0.5 + min(0.3, slots/10) + 0.2 for something chronic + 0.2 for what lasts at once, such as a decision.
    """
    chronic = any(entity.chronic for entity in slots)
    at_once = any(kinds[entity.kind].lasts_at_once for entity in slots)
    of_slots = min(_MAX_SLOTS_IMPORTANCE, len(slots) / _SLOTS_PER_IMPORTANCE)
    return min(
        1.0, _BASE_IMPORTANCE + of_slots + _LASTING_IMPORTANCE * chronic + _LASTING_IMPORTANCE * at_once
    )


class DialogueTurn(Frozen):
    """Seed 002's `DialogueTurn` (§3.2.2): a question and its answer, with the entities that they name."""

    turn_id: int
    """The number of the turn, from 1."""
    user_query: str
    agent_response: str
    extracted_slots: tuple[Entity, ...] = ()
    timestamp: AwareDatetime
    importance: float = _BASE_IMPORTANCE
    """0.5–1.0 (see `importance`)."""
