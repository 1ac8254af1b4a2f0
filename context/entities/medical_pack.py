# ruff: noqa: E501  # patterns read better unbroken
"""The medical pack: symptoms, conditions, medicines, allergies, vitals, labs, demographics; ko and en.

Seed 002 §3.1. Concepts come from the base that ships (`concepts`), or from another finder of the same
shape where one is given (MedCAT: `worker.adapters.medcat_concepts`). Figures come from patterns. It notes
what was said, and is no medical advice; what is denied (열은 없어요, no fever) is noted as denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from context.entities.concepts import concepts, spellings
from context.entities.entity import Entity

ConceptFinder = Callable[[str], Iterable[tuple[int, int, str]]]
"""Start, end and concept name of each concept in a text."""

_KINDS: Final = {"condition": "conditions", "symptom": "symptoms", "medication": "medications"}
_PRESSURE: Final = re.compile(
    r"\b([0-9]{2,3})\s?(?:/|에|over)\s?([0-9]{2,3})(?:\s?(mmHg))?(?![0-9/])", re.IGNORECASE
)
_PRESSURE_NEAR: Final = re.compile(r"혈압|blood pressure|\bbp\b|mmhg", re.IGNORECASE)
_MEASURES: Final = (
    (
        "labs",
        "HbA1c",
        "%",
        re.compile(
            r"(?:hba1c|a1c|당화혈색소)\D{0,12}?([0-9]{1,2}(?:\.[0-9])?)\s?(?:%|퍼센트|프로|percent)?",
            re.IGNORECASE,
        ),
    ),
    (
        "labs",
        "glucose",
        "mg/dL",
        re.compile(
            r"(?:혈당|glucose|blood sugar)\D{0,16}?([0-9]{2,3})(?:\s?mg/dl)?|(?<![0-9/])([0-9]{2,3})\s?mg/dl",
            re.IGNORECASE,
        ),
    ),
    (
        "vitals",
        "heart rate",
        "bpm",
        re.compile(
            r"(?:맥박|심박수|heart rate|pulse)\D{0,12}?([0-9]{2,3})|\b([0-9]{2,3})\s?bpm\b", re.IGNORECASE
        ),
    ),
    (
        "vitals",
        "temperature",
        "°C",
        re.compile(
            r"(?:체온|temperature|열이)\D{0,10}?(3[4-9](?:\.[0-9])?|4[0-2](?:\.[0-9])?)|\b(3[4-9]\.[0-9]|4[0-2]\.[0-9])\s?(?:도|°c|degrees)",
            re.IGNORECASE,
        ),
    ),
    (
        "vitals",
        "weight",
        "kg",
        re.compile(
            r"(?:체중|몸무게|weigh[ts]?)\D{0,10}?([0-9]{2,3}(?:\.[0-9])?)\s?(?:kg|킬로)", re.IGNORECASE
        ),
    ),
)
_AGE: Final = re.compile(
    r"(?<![0-9])([0-9]{1,3})\s?(?:세|살)(?!대|기|트)|\b([0-9]{1,3})[- ](?:years?[- ]old|yo)\b|\baged?\s([0-9]{1,3})\b",
    re.IGNORECASE,
)
_GENDER: Final = (
    ("male", re.compile(r"남성|남자\s?(?:환자|분)|\b(?:male|man)\b", re.IGNORECASE)),
    ("female", re.compile(r"여성|여자\s?(?:환자|분)|\b(?:female|woman)\b", re.IGNORECASE)),
)
_DOSE: Final = re.compile(
    r"([0-9]+(?:[.,][0-9]+)?\s?(?:mg|mcg|µg|g|ml|iu|units?|밀리그램|그램|단위|정|알)(?![a-z]))", re.IGNORECASE
)
_FREQUENCY: Final = re.compile(
    r"(하루\s?(?:에\s?)?(?:[0-9]|한|두|세|네)\s?(?:번|회|차례)|(?:아침|점심|저녁|자기\s?전)(?:마다|에)?|매일|식후|식전|\b(?:once|twice|three times)(?: a day| daily)?\b|\b(?:daily|every (?:day|morning|evening|night|\d+ hours))\b|\bbid\b|\btid\b)",
    re.IGNORECASE,
)
_SEVERITY: Final = re.compile(
    r"(심한|심하게|심해|약간|조금|경미한|가벼운|극심한|\b(?:severe|mild|moderate|slight|terrible)\b)",
    re.IGNORECASE,
)
_DURATION: Final = re.compile(
    r"((?:[0-9]+|하루|이틀|사흘|나흘|일주일|한\s?달|[일이삼사오육칠팔구십]+)\s?(?:일|주|달|개월|년|시간)?\s?(?:째|동안|전부터)|\b(?:for|since)\s(?:the (?:last|past) )?(?:[a-z0-9]+\s?){1,3}\b(?:days?|weeks?|months?|years?|hours?|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday)?)",
    re.IGNORECASE,
)
_ALLERGIC: Final = re.compile(r"알레르기|알러지|\ballerg(?:y|ic|ies)\b", re.IGNORECASE)
_DENIED_AFTER: Final = re.compile(r"^\s?\S{0,6}\s?(?:은|는|이|가|도)?\s?(?:\S+\s)?(?:없|아니|않|안\s)")
_DENIED_BEFORE: Final = re.compile(
    r"(?:\b(?:no|not|denies|without|never had|doesn't have|don't have|isn't)\b[\w\s]{0,16})$", re.IGNORECASE
)
_NEAR: Final = 24
_PAST: Final = re.compile(
    r"예전|과거|전에\s?(?:앓|있었)|완치|\b(?:history of|previously|used to|had)\b", re.IGNORECASE
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
            around = _clause(text, start, end)
            kind = _KINDS[concept.type]
            sentence = _clause(text, start, end, marks=".!?")
            allergy = any(pattern.search(sentence) for pattern in _allergic_to(text[start:end]))
            details = {"cui": concept.cui}
            if allergy and concept.type == "medication":
                kind = "allergies"
            elif concept.type == "medication":
                details |= _first(dose=_DOSE, frequency=_FREQUENCY, text=text[end : end + 60])
            elif concept.type == "symptom":
                details |= _first(severity=_SEVERITY, duration=_DURATION, text=around)
            if _DENIED_AFTER.search(text[end:]) or _DENIED_BEFORE.search(text[:start]):
                details["status"] = "denied"
            elif concept.type == "condition":
                details["status"] = "past" if _PAST.search(around) else "active"
            found.setdefault((kind, name), Entity(kind=kind, name=name, details=tuple(details.items())))
        return list(found.values())


@lru_cache(maxsize=256)
def _allergic_to(name: str) -> tuple[re.Pattern[str], ...]:
    """페니실린 알레르기, penicillin allergy; allergic to penicillin."""
    named, allergic = re.escape(name), _ALLERGIC.pattern
    return (
        re.compile(rf"{named}\S{{0,3}}\s?(?:\S{{1,4}}\s)?(?:{allergic})", re.IGNORECASE),
        re.compile(rf"(?:{allergic})\s(?:\w+\s){{0,2}}{named}", re.IGNORECASE),
    )


def _clause(text: str, start: int, end: int, *, marks: str = ",.!?") -> str:
    """What stands around a concept, up to the next of the marks; 24 characters each way at most."""
    before = max(text.rfind(mark, 0, start) for mark in marks) + 1
    after = min((place for mark in marks if (place := text.find(mark, end)) >= 0), default=len(text))
    return text[max(before, start - _NEAR) : min(after, end + 2 * _NEAR)]


def _first(*, text: str, **patterns: re.Pattern[str]) -> dict[str, str]:
    matches = ((name, pattern.search(text)) for name, pattern in patterns.items())
    return {name: " ".join(match.group(1).split()) for name, match in matches if match is not None}


def _figures(text: str) -> list[Entity]:
    found = []
    for match in _PRESSURE.finditer(text):
        high, low = int(match.group(1)), int(match.group(2))
        near = _PRESSURE_NEAR.search(text[max(0, match.start() - 20) : match.end() + 8])
        if near and high > low:
            found.append(Entity(kind="vitals", name="SBP", value=str(high), unit="mmHg"))
            found.append(Entity(kind="vitals", name="DBP", value=str(low), unit="mmHg"))
    for kind, name, unit, pattern in _MEASURES:
        for match in pattern.finditer(text):
            value = next(group for group in match.groups() if group is not None)
            found.append(Entity(kind=kind, name=name, value=value, unit=unit))
    return list(dict.fromkeys(found))


def _person(text: str) -> list[Entity]:
    found = []
    if (match := _AGE.search(text)) is not None:
        found.append(Entity(kind="demographics", name="age", value=next(g for g in match.groups() if g)))
    genders = [gender for gender, pattern in _GENDER if pattern.search(text)]
    if len(genders) == 1:
        found.append(Entity(kind="demographics", name="gender", value=genders[0]))
    return found


def is_chronic(entity: Entity) -> bool:
    """Whether a condition stays (seed 002: from the first mention on)."""
    concept = concepts().get(entity.name)
    return entity.kind == "conditions" and concept is not None and concept.chronic
