"""`MedicalPack`: the medical pack behind the port `Pack`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from context.language.closed_lists import closed_lists
from context.packs.entity import ENDS, Entity, Pack, SpokenText
from context.packs.medical.clauses import Clause, clauses
from context.packs.medical.concepts import ConceptFinder, by_spelling, concepts
from context.packs.medical.demographics import demographics
from context.packs.medical.details import felt, taken
from context.packs.medical.interactions import Taking, interacting, interactions
from context.packs.medical.kinds import MEDICAL_KINDS
from context.packs.medical.measurements import measured
from context.packs.medical.mention_status import Standing
from context.packs.medical.persons import persons

_KINDS: Final = {"condition": "conditions", "symptom": "symptoms", "medication": "medications"}
_GENDERS: Final = {"male": "남성", "female": "여성"}
_LISTS: Final = closed_lists("medical")
_SCOPE: Final = closed_lists("medical_scope")
_MAX_CHARACTERS: Final = 4_000
"""Characters of a text that are read."""
_ALLERGY_CHARACTERS: Final = 9
"""Characters from a medicine to the word allergy, at most: 페니실린에 대한 알레르기."""


class MedicalPack(Pack):
    """A `Pack`: finds what consultations and case meetings name. `finder` finds the concepts."""

    kinds = MEDICAL_KINDS

    def __init__(self, finder: ConceptFinder = by_spelling) -> None:
        self._finder = finder

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """See `Pack.entities`: seed 002's slots, concepts before figures, each with its person.

        A concept that is named again with the same status and person is one entity, with all its details.
        """
        text = text[:_MAX_CHARACTERS]
        spans = [span for span in self._finder(text) if span[2] in concepts()]
        parts = clauses(text, {end for _, end, _ in spans})
        figures = measured(text)
        figures += [(part.start + at, figure) for part in parts for at, figure in demographics(part.text)]
        if not spans and not figures:
            return []
        whom = persons([part.text for part in parts], speaker, names)
        standing = Standing(text, parts, [(start, end) for start, end, _ in spans])
        named = _named(spans, parts, standing, whom)
        allergies = {(entity.name, entity.person) for entity in named if entity.kind == "allergies"}
        entities = [
            entity
            for entity in named
            if entity.kind == "allergies" or (entity.name, entity.person) not in allergies
        ]
        for start, figure in figures:
            clause = standing.part(start)
            is_asked = parts[clause].asked and not standing.owned(start)
            status = (("status", "asked"),) if is_asked else ()
            entities.append(figure.model_copy(update={"details": status, "person": whom[clause]}))
        return list(dict.fromkeys(entities))

    def worded(self, entity: Entity, language: str) -> str:
        """See `Pack.worded`."""
        korean = language == "ko"
        if entity.name == "age":
            return f"{entity.value}세" if korean else f"age {entity.value}"
        if entity.name == "gender":
            return _GENDERS[entity.value] if korean else entity.value
        concept = concepts().get(entity.name)
        return concept.korean[0] if korean and concept is not None and concept.korean else entity.name

    def warnings(self, known: Sequence[Entity], language: str) -> list[str]:
        """See `Pack.warnings`: interactions of medicines."""
        medicines = frozenset(entity.name for entity in known if entity.kind == "medications")
        return [each.warning(language) for each in interacting(medicines)]

    def notices(
        self,
        question: SpokenText,
        answer: str,
        before: Iterable[SpokenText | Sequence[Entity]],
        names: Sequence[str],
        language: str,
    ) -> list[str]:
        """See `Pack.notices`. What was stopped is warned of only where somebody asks whether to take it."""
        asked = self.entities(question.text, names=names, speaker=question.speaker)
        medications = [entity for entity in (*asked, *self.entities(answer)) if entity.kind == "medications"]
        medicines = frozenset(entity.name for entity in medications)
        possible = [interaction for interaction in interactions() if interaction.medicines & medicines]
        if not possible:
            return []
        partners = medicines.union(*(interaction.medicines for interaction in possible))
        spelt = tuple(spelling for name in partners for spelling in concepts()[name].spellings)
        taking = Taking()
        for exchange in before:
            if not isinstance(exchange, SpokenText):
                taking.hear(exchange)
            elif any(spelling in exchange.text.lower() for spelling in spelt):
                taking.hear(self.entities(exchange.text, names=names, speaker=exchange.speaker))
        taking.hear(asked)
        to_be_taken = any(phrase in question.text.lower() for phrase in _LISTS["to_be_taken"])
        ended = frozenset(entity.name for entity in medications if entity.detail("status") in ENDS)
        if not to_be_taken:
            ended |= taking.ended
        now = medicines - ended
        return [
            interaction.warning(language)
            for interaction in interacting(now | taking.taken)
            if interaction.medicines & now
        ]


def _named(
    spans: Sequence[tuple[int, int, str]], parts: Sequence[Clause], standing: Standing, whom: Sequence[str]
) -> list[Entity]:
    """The concepts at `spans`, those of one name, status and person as one; `whom`: of each part."""
    found: dict[tuple[str, ...], Entity] = {}
    before: Entity | None = None
    for place, (start, end, name) in enumerate(spans):
        clause = standing.part(start)
        part = parts[clause]
        # What is said of a thing stands in its clause, and between the things beside it.
        since = max(part.start, spans[place - 1][1]) if place else part.start
        until = min(part.end, spans[place + 1][0]) if place + 1 < len(spans) else part.end
        around = standing.text[min(since, start) : start], standing.text[end : max(until, end)]
        before = _concept((start, end, name), around, part, standing, before)
        key = (before.kind, before.name, before.detail("status"), whom[clause])
        known = found.get(key)
        details = (dict(known.details) if known else {}) | dict(before.details)
        found[key] = before.model_copy(update={"details": tuple(details.items()), "person": key[-1]})
    return list(found.values())


def _concept(
    named: tuple[int, int, str],
    around: tuple[str, str],
    part: Clause,
    standing: Standing,
    last: Entity | None,
) -> Entity:
    """The entity `named` (start, end, concept), by the words `around` it; `last`: the one before it."""
    (start, end, name), (before, behind) = named, around
    concept = concepts()[name]
    kind = _KINDS[concept.type]
    details = {"cui": concept.cui}
    if kind == "medications":
        # Allergic to penicillin and aspirin; not to penicillin, only to aspirin.
        joined = before.replace(",", " , ").lower().split()
        goes_on = bool(joined) and all(word in _SCOPE["goes_on"] for word in joined)
        in_list = last is not None and last.kind == "allergies" and goes_on
        if in_list or _is_allergy(part.text[: start - part.start], part.text[end - part.start :]):
            kind = "allergies"
    status = standing.of(start, end, kind)
    if kind == "medications":
        details |= taken(behind, before)
    elif kind == "symptoms" and status != "denied":
        itself = standing.text[start:end]
        details |= felt((standing.behind(start, end), itself + behind, before + itself, part.text))
    if status or kind == "conditions":
        details["status"] = status or "active"
    return Entity(kind=kind, name=name, details=tuple(details.items()), chronic=concept.chronic)


def _is_allergy(before: str, behind: str) -> bool:
    """Whether a medicine is named as an allergy: 페니실린 알레르기; allergic to penicillin."""
    near = behind.lower()
    followed = any(0 <= near.find(word) <= _ALLERGY_CHARACTERS for word in _LISTS["allergic"])
    return followed or not frozenset(_LISTS["allergic_to"]).isdisjoint(before.lower().split()[-3:])
