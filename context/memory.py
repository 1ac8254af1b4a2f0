"""Working, compressed and semantic memory of the agent's exchanges (seed 002 §3.2.2, §4).

- working, 50 %: the last 5 turns, word for word.
- compressed, 30 %: each five turns that have left it, in at most 200 tokens; what has left and is not yet
  five, shortened.
- semantic, 20 %: what lasts. Conditions (second mention, or chronic), medicines (second mention), allergies
  and decisions (at once), patterns of vitals.

Spans never overlap the working tier, and nothing is in no tier. Over budget the semantic tier stays, then
the last turns, then the compressed spans that bear on the question, of equal ones the more important.

What is known of a person, with weights that fade: 0.9 to the power of the turns since (seed 002 §3.2.1).

A later value for the same thing supersedes the earlier one (an age, a dose, a due date); the earlier one
is kept, marked, and no longer told.

One exchange with the agent, and how much it matters (seed 002 §3.2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Final

from pydantic import AwareDatetime

from context.budget import fit
from context.entities.entity import Entity
from context.entities.medical_pack import is_chronic
from context.language.questions import sentences
from context.models import Frozen
from context.ports import Tokenizer
from context.retrieval.lexical import terms

COMPRESSED_TOKENS: Final = 200
_KEPT_AS: Final = {
    "allergies": "allergies",
    "decisions": "decisions",
    "conditions": "chronic_conditions",
    "medications": "chronic_medications",
    **dict.fromkeys(("amounts", "dates", "people", "actions"), "facts"),
}
"""Kinds that last, and where."""
_AT_ONCE: Final = frozenset({"allergies", "decisions"})
_SHARES: Final = (0.5, 0.3, 0.2)
_SECOND: Final = 2
_LEAST_FOR_A_PATTERN: Final = 2
_MEASURED: Final = ("SBP", "DBP", "glucose", "HbA1c", "heart rate", "weight")


class CompressedMemory(Frozen):
    """Some turns of the thread, told in short once they have left the working tier."""

    summary: str
    key_medical_info: tuple[str, ...] = ()
    """What they name, each on a line; of a meeting its decisions, amounts and dates."""
    turn_range: tuple[int, int]
    importance: float = 0.0
    """Of the turn that matters most."""


class MemoryEntry(Frozen):
    """One thing of the semantic tier."""

    name: str
    first_mentioned: int
    """Turn."""
    frequency: int


class SemanticMemory(Frozen):
    """What lasts beyond the turns: conditions, medicines, allergies, decisions and trends."""

    chronic_conditions: tuple[MemoryEntry, ...] = ()
    chronic_medications: tuple[MemoryEntry, ...] = ()
    allergies: tuple[MemoryEntry, ...] = ()
    health_patterns: tuple[str, ...] = ()
    decisions: tuple[MemoryEntry, ...] = ()
    facts: tuple[MemoryEntry, ...] = ()
    """Amounts, dates and people that came up again."""


class MemoryContext(Frozen):
    """What of the tiers fits, as text."""

    working: str = ""
    compressed: str = ""
    semantic: str = ""
    tokens: int = 0


class HierarchicalMemory:
    """The three tiers of one thread. Pure; the turns in order."""

    def __init__(
        self, tokenizer: Tokenizer, *, working_memory_capacity: int = 5, compression_threshold: int = 5
    ) -> None:
        self._tokenizer = tokenizer
        self._capacity = working_memory_capacity
        self._threshold = compression_threshold
        self.turns: list[DialogueTurn] = []
        self.compressed: list[CompressedMemory] = []
        self.profile = ProfileStore()

    @property
    def working(self) -> list[DialogueTurn]:
        """The last turns, word for word."""
        return self.turns[-self._capacity :]

    @property
    def between(self) -> list[DialogueTurn]:
        """Turns that have left the working tier and fill no span yet."""
        covered = self.compressed[-1].turn_range[1] if self.compressed else 0
        return [turn for turn in self.turns[: -self._capacity] if turn.turn_id > covered]

    def add_turn(self, turn: DialogueTurn) -> None:
        """Take in the next turn; a span is compressed when enough turns have left the working tier."""
        self.turns.append(turn)
        self.profile.add(turn.turn_id, turn.extracted_slots)
        gone = self.between
        if len(gone) < self._threshold:
            return
        span = gone[: self._threshold]
        named = (each for turn in span for each in turn.extracted_slots if each.kind != "people")
        self.compressed.append(
            CompressedMemory(
                summary=self._first_sentences(span, COMPRESSED_TOKENS),
                key_medical_info=tuple(dict.fromkeys(each.of_whom() for each in named)),
                turn_range=(span[0].turn_id, span[-1].turn_id),
                importance=max(turn.importance for turn in span),
            )
        )

    @property
    def semantic(self) -> SemanticMemory:
        """What lasts, from all turns."""
        lasting: dict[str, list[MemoryEntry]] = {}
        for fact in self.profile.known():
            kind, name = fact.entity.kind, fact.entity.of_whom()
            chronic = kind == "conditions" and is_chronic(fact.entity)
            if kind in _KEPT_AS and (kind in _AT_ONCE or chronic or fact.count >= _SECOND):
                entry = MemoryEntry(name=name, first_mentioned=fact.first_turn, frequency=fact.count)
                lasting.setdefault(_KEPT_AS[kind], []).append(entry)
        return SemanticMemory.model_validate({**lasting, "health_patterns": self._patterns()})

    def retrieve_context(self, query: str, max_tokens: int) -> MemoryContext:
        """What of the tiers fits into `max_tokens`; what two leave of their shares is the working tier's."""
        semantic = self._fitted(_semantic_lines(self.semantic), round(max_tokens * _SHARES[2]))
        asked = set(terms(query))
        spans = sorted(
            self.compressed, key=lambda span: (-len(asked & set(terms(span.summary))), -span.importance)
        )
        lines = [_line(turn) for turn in reversed(self.between)] + [_span_line(span) for span in spans]
        compressed = self._fitted(lines, round(max_tokens * _SHARES[1]))
        left = max_tokens - self._count(semantic) - self._count(compressed)
        said = [
            f"Q{turn.turn_id}: {turn.user_query}\nA{turn.turn_id}: {turn.agent_response}"
            for turn in self.working
        ]
        while len(said) > 1 and self._count("\n".join(said)) > left:
            said.pop(0)
        verbatim = fit("\n".join(said), left - 1, self._tokenizer)
        found = {"working": verbatim, "compressed": compressed, "semantic": semantic}
        return MemoryContext(**found, tokens=sum(map(self._count, found.values())))

    def _count(self, text: str) -> int:
        return self._tokenizer.count(text) + 1 if text else 0

    def _fitted(self, lines: Sequence[str], budget: int) -> str:
        kept: list[str] = []
        for line in lines:
            if self._count("\n".join((*kept, line))) <= budget:
                kept.append(line)
        return "\n".join(kept)

    def _first_sentences(self, turns: Sequence[DialogueTurn], tokens: int) -> str:
        """Each question with the first sentence of its answer, shortened until all fit."""
        lines = [_line(turn) for turn in turns]
        texts = (" / ".join(line[:most] for line in lines) for most in (160, 100, 60, 30))
        fitting = (text for text in texts if self._count(text) <= tokens)
        return next(fitting, None) or fit(
            " / ".join(line[:30] for line in lines), tokens - 1, self._tokenizer
        )

    def _patterns(self) -> list[str]:
        """Seed 002: e.g. the mean blood pressure; and where a value goes, superseded ones included."""
        found = []
        measured = [fact.entity for fact in self.profile.facts if fact.entity.value]
        people = dict.fromkeys(fact.entity.person for fact in self.profile.facts)
        for person, name in product(people, _MEASURED):
            values = [float(each.value) for each in measured if (each.person, each.name) == (person, name)]
            if len(values) >= _LEAST_FOR_A_PATTERN:
                way = "↑" if values[-1] > values[0] else "↓" if values[-1] < values[0] else "→"
                told = f"{name} {values[0]:g} {way} {values[-1]:g} (mean {fmean(values):.4g}, {len(values)})"
                found.append(f"{person}: {told}" if person else told)
        return found


def _line(turn: DialogueTurn) -> str:
    first = next(iter(sentences(turn.agent_response.replace("\n", " "))), "")
    return f"Q{turn.turn_id}: {turn.user_query} → {first}"


def _span_line(span: CompressedMemory) -> str:
    named = f" [{'; '.join(span.key_medical_info[:8])}]" if span.key_medical_info else ""
    return f"Q{span.turn_range[0]}-{span.turn_range[1]}: {span.summary}{named}"


def _semantic_lines(memory: SemanticMemory) -> list[str]:
    """What must not be forgotten first."""
    kinds = {
        "allergies": memory.allergies,
        "decisions": memory.decisions,
        "conditions": memory.chronic_conditions,
        "medications": memory.chronic_medications,
        "facts": memory.facts,
    }
    told = [f"{kind}: {entry.name} (×{entry.frequency})" for kind, held in kinds.items() for entry in held]
    return told + [f"pattern: {pattern}" for pattern in memory.health_patterns]


_DECAY: Final = 0.9
_LEAST_TOLD: Final = 0.1
_LASTING: Final = frozenset({"conditions", "allergies", "medications", "demographics", "decisions"})
"""Kinds that do not fade: who is allergic stays so."""
_ENDS: Final = frozenset({"denied", "stopped"})
_ONE_VALUE: Final = frozenset({"demographics", "medications", "vitals", "labs"})
_LABELS: Final = {
    "demographics": ("인적 사항", "Person"),
    "conditions": ("질환", "Conditions"),
    "medications": ("복용 약", "Medicines"),
    "allergies": ("알레르기", "Allergies"),
    "symptoms": ("증상", "Symptoms"),
    "vitals": ("활력 징후", "Vitals"),
    "labs": ("검사", "Labs"),
    "decisions": ("결정", "Decisions"),
    "actions": ("할 일", "Tasks"),
    "dates": ("날짜", "Dates"),
    "amounts": ("금액·수량", "Amounts"),
    "people": ("사람", "People"),
}


@dataclass(slots=True)
class Fact:
    """One thing known of a person."""

    entity: Entity
    first_turn: int
    last_turn: int
    count: int = 1
    weight: float = 1.0
    superseded: bool = False


class ProfileStore:
    """What is known of each person, added to with every turn. It is pure: no clock, no I/O."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.turn = 0

    def add(self, turn: int, entities: Iterable[Entity]) -> None:
        """Take in what a turn named. What is denied or stopped is no fact, and ends those that it denies.

        What is only asked is no fact either, and ends nothing; a symptom that is past has ended.
        """
        self.turn = max(self.turn, turn)
        for entity in entities:
            status = entity.detail("status")
            if status == "asked":
                continue
            whose = (entity.kind, entity.name, entity.person)
            same = [
                fact
                for fact in self.facts
                if not fact.superseded and (fact.entity.kind, fact.entity.name, fact.entity.person) == whose
            ]
            ended = status in _ENDS or (status == "past" and entity.kind == "symptoms")
            equal = next((fact for fact in same if fact.entity.said() == entity.said()), None)
            if equal is not None and not ended:
                equal.last_turn, equal.count = turn, equal.count + 1
                continue
            if ended or (entity.kind in _ONE_VALUE and (entity.value or entity.details)):
                for fact in same:
                    fact.superseded = True
            if not ended:
                self.facts.append(Fact(entity, turn, turn))
        self.apply_temporal_weights()

    def apply_temporal_weights(self) -> None:
        """0.9^(turns ago) for what fades."""
        for fact in self.facts:
            ago = self.turn - fact.last_turn
            fact.weight = 1.0 if fact.entity.kind in _LASTING else _DECAY**ago

    def known(self, kind: str | None = None) -> list[Fact]:
        """What stands, the weightiest first."""
        standing = [f for f in self.facts if not f.superseded and (kind is None or f.entity.kind == kind)]
        return sorted(standing, key=lambda fact: (-fact.weight, -fact.count, fact.first_turn))

    def profile_summary(self, language: str = "ko", *, most: int = 20) -> str:
        """In plain prose, one line per kind; "" where nothing is known."""
        by_kind: dict[str, list[str]] = {}
        for fact in self.known()[:most]:
            if fact.weight >= _LEAST_TOLD:
                by_kind.setdefault(fact.entity.kind, []).append(fact.entity.said())
        return "\n".join(
            f"{korean if language == 'ko' else english}: {', '.join(by_kind[kind])}"
            for kind, (korean, english) in _LABELS.items()
            if kind in by_kind
        )


_BASE: Final = 0.5
_MOST_FOR_SLOTS: Final = 0.3
_PER_SLOT: Final = 10
_TURNS_LASTING: Final = 0.2


def importance(slots: Sequence[Entity]) -> float:
    """0.5 + min(0.3, slots/10) + 0.2 for a chronic condition + 0.2 for an allergy; at most 1.0.

    In a meeting a decision counts as an allergy does: it is kept at its first mention.
    """
    chronic = any(is_chronic(entity) for entity in slots)
    at_once = any(entity.kind in _AT_ONCE for entity in slots)
    of_slots = min(_MOST_FOR_SLOTS, len(slots) / _PER_SLOT)
    return min(1.0, _BASE + of_slots + _TURNS_LASTING * chronic + _TURNS_LASTING * at_once)


class DialogueTurn(Frozen):
    """A question and its answer, with what they name."""

    turn_id: int
    """From 1."""
    user_query: str
    agent_response: str
    extracted_slots: tuple[Entity, ...] = ()
    timestamp: AwareDatetime
    importance: float = _BASE
