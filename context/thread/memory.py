"""Seed 002's memory of the agent's turns: three tiers (§3.2.2, §4), and a profile per person (§3.2.1).

`HierarchicalMemory` keeps the turns in tiers, each with a share of a prompt's budget:

- working, 50 %: the last 5 turns, word for word.
- compressed, 30 %: each five turns that have left the working tier, in at most 200 tokens; turns that have
  left and are fewer than five yet, shortened.
- semantic, 20 %: what lasts. Conditions (second mention, or chronic), medicines (second mention), allergies
  and decisions (at once), patterns of vitals.

Compressed spans never overlap the working tier, and every turn is in a tier. Over budget the semantic tier
stays, then the last turns, then the compressed spans that bear on the question, of equal ones the more
important.

`ProfileStore` keeps what is known of each person, with weights that fade: 0.9 to the power of the turns
since. A later value for the same thing (an age, a dose) supersedes the earlier one, which is kept, marked,
and no longer told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Final

from pydantic import AwareDatetime

from context.budgets.tokens import fit
from context.language.questions import sentences
from context.models import Frozen
from context.packs.entity import ENDS, Entity
from context.ports import Tokenizer
from context.retrieval.index_terms import terms

COMPRESSED_TOKENS: Final = 200
"""Most tokens of one compressed span."""
_KEPT_AS: Final = {
    "allergies": "allergies",
    "decisions": "decisions",
    "conditions": "chronic_conditions",
    "medications": "chronic_medications",
    **dict.fromkeys(("amounts", "dates", "people", "actions"), "facts"),
}
"""Kinds of entities that last → their field of `SemanticMemory`."""
_KINDS_KEPT_AT_ONCE: Final = frozenset({"allergies", "decisions"})
"""Kinds that last from their first mention on."""
_SHARES: Final = (0.5, 0.3, 0.2)
"""The shares of a budget for the working, the compressed and the semantic tier."""
_LEAST_COUNT: Final = 2
"""Mentions from which on what is none of those lasts, too."""
_LEAST_FOR_A_PATTERN: Final = 2
_MEASURED_KINDS: Final = ("SBP", "DBP", "glucose", "HbA1c", "heart rate", "weight")


class CompressedMemory(Frozen):
    """A span of turns that have left the working tier, in short."""

    summary: str
    key_medical_info: tuple[str, ...] = ()
    """The entities that the turns name, people apart; in meetings decisions, amounts and dates too."""
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
    """In how many mentions."""


class SemanticMemory(Frozen):
    """The semantic tier: conditions, medicines, allergies, decisions, facts and trends that last."""

    chronic_conditions: tuple[MemoryEntry, ...] = ()
    chronic_medications: tuple[MemoryEntry, ...] = ()
    allergies: tuple[MemoryEntry, ...] = ()
    health_patterns: tuple[str, ...] = ()
    """A line for each measured value: first, last, direction, mean and count."""
    decisions: tuple[MemoryEntry, ...] = ()
    facts: tuple[MemoryEntry, ...] = ()
    """Amounts, dates and people that came up again."""


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
        """The semantic tier, from all turns so far."""
        lasting: dict[str, list[MemoryEntry]] = {}
        for fact in self.profile.known():
            kind, name = fact.entity.kind, fact.entity.of_whom()
            if kind in _KEPT_AS and (
                kind in _KINDS_KEPT_AT_ONCE or fact.entity.chronic or fact.count >= _LEAST_COUNT
            ):
                entry = MemoryEntry(name=name, first_mentioned=fact.first_turn, frequency=fact.count)
                lasting.setdefault(_KEPT_AS[kind], []).append(entry)
        return SemanticMemory.model_validate({**lasting, "health_patterns": self._patterns()})

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
        text = ""
        for text in texts:
            if self._count(text) <= tokens:
                return text
        return fit(text, tokens - 1, self._tokenizer)

    def _patterns(self) -> list[str]:
        """The course of each measured value, by person; superseded values count too (seed 002)."""
        found = []
        measured = [fact.entity for fact in self.profile.facts if fact.entity.value]
        people = dict.fromkeys(fact.entity.person for fact in self.profile.facts)
        for person, name in product(people, _MEASURED_KINDS):
            values = [float(each.value) for each in measured if (each.person, each.name) == (person, name)]
            if len(values) >= _LEAST_FOR_A_PATTERN:
                direction = _direction(values[0], values[-1])
                course = f"{values[0]:g} {direction} {values[-1]:g}"
                told = f"{name} {course} (mean {fmean(values):.4g}, {len(values)})"
                found.append(f"{person}: {told}" if person else told)
        return found


def _direction(first: float, last: float) -> str:
    if last == first:
        return "→"
    return "↑" if last > first else "↓"


def _line(turn: DialogueTurn) -> str:
    first = next(iter(sentences(turn.agent_response.replace("\n", " "))), "")
    return f"Q{turn.turn_id}: {turn.user_query} → {first}"


def _span_line(span: CompressedMemory) -> str:
    named = f" [{'; '.join(span.key_medical_info[:8])}]" if span.key_medical_info else ""
    return f"Q{span.turn_range[0]}-{span.turn_range[1]}: {span.summary}{named}"


def _semantic_lines(memory: SemanticMemory) -> list[str]:
    """The semantic tier by lines, those that must not be forgotten first."""
    kinds = {
        "allergies": memory.allergies,
        "decisions": memory.decisions,
        "conditions": memory.chronic_conditions,
        "medications": memory.chronic_medications,
        "facts": memory.facts,
    }
    told = [f"{kind}: {entry.name} (×{entry.frequency})" for kind, held in kinds.items() for entry in held]
    return told + [f"pattern: {pattern}" for pattern in memory.health_patterns]


_DECAY_PER_TURN: Final = 0.9
_LEAST_WEIGHT: Final = 0.1
_LASTING_KINDS: Final = frozenset({"conditions", "allergies", "medications", "demographics", "decisions"})
"""Kinds that do not fade: whoever is allergic stays so."""
_ONE_VALUE: Final = frozenset({"demographics", "medications", "vitals", "labs"})
"""Kinds of which only the newest value holds."""
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

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.turn = 0

    def add(self, turn: int, entities: Iterable[Entity]) -> None:
        """Take in the entities that a turn named.

        One that is denied or stopped, or a symptom that is past, is no fact and ends the facts of its name.
        One that is only asked about is no fact either, and ends nothing.
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
            ended = status in ENDS or (status == "past" and entity.kind == "symptoms")
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
        """Weigh each fact anew: 0.9^(turns ago) for kinds that fade, 1 for the others (seed 002)."""
        for fact in self.facts:
            ago = self.turn - fact.last_turn
            fact.weight = 1.0 if fact.entity.kind in _LASTING_KINDS else _DECAY_PER_TURN**ago

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
            f"{korean if language == 'ko' else english}: {', '.join(by_kind[kind])}"
            for kind, (korean, english) in _LABELS.items()
            if kind in by_kind
        )


_BASE_IMPORTANCE: Final = 0.5
_MOST_SLOTS_IMPORTANCE: Final = 0.3
_SLOTS_PER_IMPORTANCE: Final = 10
"""How many things named in a turn would make up a whole of importance."""
_LASTING_IMPORTANCE: Final = 0.2


def importance(slots: Sequence[Entity]) -> float:
    """How important a turn is, by the entities that it names (seed 002 §3.2.2): 0.5 to 1.0.

    0.5 + min(0.3, slots/10) + 0.2 for a chronic condition + 0.2 for an allergy or, in meetings, a decision.
    """
    chronic = any(entity.chronic for entity in slots)
    at_once = any(entity.kind in _KINDS_KEPT_AT_ONCE for entity in slots)
    of_slots = min(_MOST_SLOTS_IMPORTANCE, len(slots) / _SLOTS_PER_IMPORTANCE)
    return min(
        1.0, _BASE_IMPORTANCE + of_slots + _LASTING_IMPORTANCE * chronic + _LASTING_IMPORTANCE * at_once
    )


class DialogueTurn(Frozen):
    """Seed 002's `DialogueTurn` (§3.2.2): a question and its answer, with the entities that they name."""

    turn_id: int
    """From 1."""
    user_query: str
    agent_response: str
    extracted_slots: tuple[Entity, ...] = ()
    timestamp: AwareDatetime
    importance: float = _BASE_IMPORTANCE
    """0.5–1.0 (see `importance`)."""
