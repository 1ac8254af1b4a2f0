"""The medical pack: symptoms, conditions, medicines, allergies, vitals, labs, demographics; ko and en.

Seed 002 §3.1. Concepts come from the base that ships (`concepts`), or from another finder of the same
shape where one is given (MedCAT: `worker.adapters.medcat_concepts`). Figures come from patterns. It notes
what was said, and is no medical advice; what is denied (열은 없어요, no fever) is noted as denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from context.entities.concepts import concepts, spellings
from context.entities.entity import Entity
from context.language.closed_lists import closed_lists
from context.retrieval.terms import words

ConceptFinder = Callable[[str], Iterable[tuple[int, int, str]]]
"""Start, end and concept name of each concept in a text."""

_KINDS: Final = {"condition": "conditions", "symptom": "symptoms", "medication": "medications"}
_LISTS: Final = closed_lists("medical")
_PRESSURE: Final = re.compile(
    r"\b([0-9]{2,3})\s?(?:/|에|over)\s?([0-9]{2,3})(?:\s?(mmHg))?(?![0-9/])", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9/.])[0-9]+(?:\.[0-9]+)?")
_DOSE: Final = re.compile(
    r"[0-9]+(?:[.,][0-9]+)?\s?(?:mg|mcg|µg|g|ml|iu|units?|밀리그램|그램|단위|정|알)(?![a-z])", re.IGNORECASE
)
_TIMES: Final = re.compile(
    r"하루\s?(?:에\s?)?(?:[0-9]|한|두|세|네)\s?(?:번|회|차례)|\bevery [0-9]+ hours\b", re.IGNORECASE
)
_SPAN_KO: Final = re.compile(
    r"(?:[0-9]+|하루|이틀|사흘|나흘|일주일|한\s?달|[일이삼사오육칠팔구십]+)\s?(?:일|주|달|개월|년|시간)?\s?(?:째|동안|전부터)"
)
_SPANS_EN: Final = frozenset(_LISTS["spans_en"])
_LONGEST_SPAN: Final = 5
"""Words: for the last three days."""
_NEAR: Final = 24
_ALLERGY_WITHIN: Final = 9
"""Characters: 페니실린에 대한 알레르기."""
_DENIED_WITHIN: Final = 3
"""Words: 열은 전혀 없어요; no sign of fever."""


class _Measure(NamedTuple):
    """What is measured: by its name before the figure, or by a unit that is its own."""

    kind: str
    name: str
    unit: str
    least: float
    below: float
    gap: int
    """Characters between its name and the figure at most."""


_MEASURES: Final = (
    _Measure("labs", "HbA1c", "%", 1, 100, 12),
    _Measure("labs", "glucose", "mg/dL", 10, 1000, 16),
    _Measure("vitals", "heart rate", "bpm", 10, 1000, 12),
    _Measure("vitals", "temperature", "°C", 34, 43, 10),
    _Measure("vitals", "weight", "kg", 10, 1000, 10),
)


def by_spelling(text: str) -> Iterable[tuple[int, int, str]]:
    """The concepts of the base that ships, by their spellings."""
    pattern, names = spellings()
    for match in pattern.finditer(text):
        yield match.start(), match.end(), names[match.group().lower()]


class MedicalPack:
    """What consultations and case meetings name."""

    def __init__(self, finder: ConceptFinder = by_spelling) -> None:
        self._finder = finder

    def entities(self, text: str, *, names: Sequence[str] = ()) -> list[Entity]:  # noqa: ARG002 -- a pack's shape
        """Seed 002's slots, in order: concepts, vitals, labs, demographics."""
        return [*self._concepts(text), *_figures(text), *_person(text)]

    def _concepts(self, text: str) -> list[Entity]:
        found: dict[tuple[str, str], Entity] = {}
        for start, end, name in self._finder(text):
            concept = concepts().get(name)
            if concept is None:
                continue
            before, behind = _around(text, start, end, ".!?")
            kind, details = _KINDS[concept.type], {"cui": concept.cui}
            if concept.type == "medication" and _is_allergy(before, behind):
                kind = "allergies"
            elif concept.type == "medication":
                details |= _taken(text[end : end + 60])
            elif concept.type == "symptom":
                details |= _felt(_clause(text, start, end))
            if _is_denied(text[:start], behind):
                details["status"] = "denied"
            elif concept.type == "condition":
                details["status"] = "past" if _has_one_of("past", _clause(text, start, end)) else "active"
            found.setdefault((kind, name), Entity(kind=kind, name=name, details=tuple(details.items())))
        return list(found.values())


def _around(text: str, start: int, end: int, marks: str) -> tuple[str, str]:
    """What stands before and behind a concept, up to the next of the marks."""
    begin = max(text.rfind(mark, 0, start) for mark in marks) + 1
    until = min((place for mark in marks if (place := text.find(mark, end)) >= 0), default=len(text))
    return text[begin:start], text[end:until]


def _clause(text: str, start: int, end: int) -> str:
    """A concept with what stands around it; 24 characters before and 48 behind it at most."""
    before, behind = _around(text, start, end, ",.!?")
    return before[-_NEAR:] + text[start:end] + behind[: 2 * _NEAR]


def _has_one_of(key: str, text: str) -> bool:
    """Whether a phrase of a list is in a text; English ones as whole words."""
    said = f" {' '.join(words(text))} "
    return any((f" {phrase} " if phrase.isascii() else phrase) in said for phrase in _LISTS[key])


def _first_of(key: str, text: str) -> str | None:
    """The phrase of a list that stands first in a text; of several that begin there, the longest."""
    said = f" {' '.join(text.lower().split())} "
    found = [
        (said.find(spelt), -len(phrase), phrase)
        for phrase in _LISTS[key]
        if (spelt := f" {phrase}" if phrase.isascii() else phrase) in said
    ]
    return min(found)[2] if found else None


def _is_allergy(before: str, behind: str) -> bool:
    """페니실린 알레르기, penicillin allergy; allergic to penicillin."""
    near = behind.lower()
    followed = any(0 <= near.find(word) <= _ALLERGY_WITHIN for word in _LISTS["allergic"])
    return followed or not frozenset(_LISTS["allergic_to"]).isdisjoint(before.lower().split()[-3:])


def _is_denied(before: str, behind: str) -> bool:
    """열은 없어요; no fever."""
    near = behind.split()[:_DENIED_WITHIN]
    if "안" in near or any(denied in word for word in near for denied in _LISTS["denied_behind"]):
        return True
    clause = before.lower().replace(",", ".").rpartition(".")[2]
    return _has_one_of("denied_before", " ".join(clause.split()[-_DENIED_WITHIN:]))


def _taken(text: str) -> dict[str, str]:
    """How much of a medicine, and how often."""
    dose, times = _DOSE.search(text), _TIMES.search(text)
    often = times.group() if times is not None else _first_of("frequency", text)
    return _said(dose=dose and dose.group(), frequency=often)


def _felt(text: str) -> dict[str, str]:
    """How badly, and for how long."""
    span = _SPAN_KO.search(text)
    return _said(severity=_first_of("severity", text), duration=span.group() if span else _span_en(text))


def _span_en(text: str) -> str | None:
    """For three days, since last Monday."""
    said = text.split()
    for start, word in enumerate(said):
        if word.lower() not in ("for", "since"):
            continue
        for end in range(start + 1, min(start + _LONGEST_SPAN, len(said))):
            if said[end].lower().strip(",.!?") in _SPANS_EN:
                return " ".join(said[start : end + 1])
    return None


def _said(**details: str | None) -> dict[str, str]:
    return {name: " ".join(value.split()) for name, value in details.items() if value}


def _figures(text: str) -> list[Entity]:
    found = []
    for match in _PRESSURE.finditer(text):
        high, low = int(match.group(1)), int(match.group(2))
        near = text[max(0, match.start() - 20) : match.end() + 8]
        if high > low and (match.group(3) or _has_one_of("pressure", near)):
            found.append(Entity(kind="vitals", name="SBP", value=str(high), unit="mmHg"))
            found.append(Entity(kind="vitals", name="DBP", value=str(low), unit="mmHg"))
    numbers = list(_numbers(text))
    for each in _MEASURES:
        found += [
            Entity(kind=each.kind, name=each.name, value=value, unit=each.unit)
            for before, value, behind in numbers
            if each.least <= float(value) < each.below and _is_of(each, before, value, behind)
        ]
    return list(dict.fromkeys(found))


def _numbers(text: str) -> Iterable[tuple[str, str, str]]:
    """The numbers of a text, each with what stands before it (up to another number) and behind it."""
    lowered, until = text.lower(), 0
    for match in _NUMBER.finditer(lowered):
        yield lowered[until : match.start()], match.group(), lowered[match.end() :].lstrip()
        until = match.end()


def _is_of(measure: _Measure, before: str, value: str, behind: str) -> bool:
    name = measure.name.replace(" ", "_").lower()
    its_unit = behind.startswith(_LISTS[f"{name}_units"])
    named = any(
        at >= 0 and len(before) - at - len(word) <= measure.gap
        for word in _LISTS[f"{name}_names"]
        for at in (before.rfind(word),)
    )
    if name == "weight":  # 몸무게 3키로 is said of much else: both
        return named and its_unit
    if name == "temperature":  # 38도 may be an angle: 38.2도 is none
        its_unit = its_unit and "." in value
    return named or its_unit


def _person(text: str) -> list[Entity]:
    found = []
    if (age := next((number for number in _numbers(text) if _is_age(*number)), None)) is not None:
        found.append(Entity(kind="demographics", name="age", value=age[1]))
    genders = [gender for gender in ("male", "female") if _has_one_of(gender, text)]
    if len(genders) == 1:
        found.append(Entity(kind="demographics", name="gender", value=genders[0]))
    return found


def _is_age(before: str, value: str, behind: str) -> bool:
    if not value.isdigit() or len(value) > 3:
        return False
    in_korean = behind.startswith(("세", "살")) and not behind.startswith(_LISTS["no_age"])
    said = words(behind[:20])[:2]
    in_english = said[:1] == ["yo"] or said in (["year", "old"], ["years", "old"])
    return in_korean or in_english or f" {before}".endswith((" aged ", " age "))


def is_chronic(entity: Entity) -> bool:
    """Whether a condition stays (seed 002: from the first mention on)."""
    concept = concepts().get(entity.name)
    return entity.kind == "conditions" and concept is not None and concept.chronic
