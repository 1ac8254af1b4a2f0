"""The medical pack: symptoms, conditions, medicines, allergies, vitals, labs, demographics; ko and en.

Seed 002 §3.1. Concepts are found by the names that come with the package (`context.entities.entity`), or by
another `ConceptFinder` (MedCAT: `worker.adapters.medcat_concepts`). Figures (pressure, what is measured by
name or unit, age, gender) are found by patterns. The pack notes what was said, and is no medical advice. What
is denied, stopped, past or only asked has that as its `status` (`standing`), and each entity has the person
of whom its clause tells (`clauses.persons`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from context.entities.clauses import Clause, clauses, persons
from context.entities.entity import Entity, concepts, spellings
from context.entities.standing import Standing
from context.language.closed_lists import closed_lists, word_sets
from context.retrieval.lexical import words

_PRESSURE: Final = re.compile(
    r"\b([0-9]{2,3})\s?(?:/|에|over)\s?([0-9]{2,3})(?:\s?(mmHg))?(?![0-9/])", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9/.])[0-9]+(?:\.[0-9]+)?")
_SYSTOLIC: Final = range(70, 260)
_DIASTOLIC: Final = range(35, 160)
_TRIM: Final = ".,:;!? "


class Measure(NamedTuple):
    """A quantity that is measured, recognised by its name before the figure, or by a unit of its own."""

    name: str
    unit: str
    least: float
    below: float
    """A figure below `least`, or not below this, is something else."""
    gap: int
    """Characters between its name and the figure, at most."""
    kind: str = "labs"


_MEASURES: Final = (
    Measure("HbA1c", "%", 1, 100, 12),
    Measure("glucose", "mg/dL", 10, 1000, 16),
    Measure("LDL", "mg/dL", 10, 1000, 18),
    Measure("HDL", "mg/dL", 5, 300, 18),
    Measure("total cholesterol", "mg/dL", 50, 1000, 12),
    Measure("triglycerides", "mg/dL", 10, 5000, 12),
    Measure("creatinine", "mg/dL", 0.1, 30, 12),
    Measure("eGFR", "mL/min", 1, 200, 12),
    Measure("AST", "U/L", 1, 5000, 10),
    Measure("ALT", "U/L", 1, 5000, 10),
    Measure("hemoglobin", "g/dL", 2, 25, 12),
    Measure("TSH", "mIU/L", 0.01, 200, 10),
    Measure("potassium", "mmol/L", 1, 10, 12),
    Measure("uric acid", "mg/dL", 1, 30, 12),
    Measure("heart rate", "bpm", 10, 1000, 12, "vitals"),
    Measure("temperature", "°C", 34, 43, 12, "vitals"),
    Measure("weight", "kg", 10, 1000, 10, "vitals"),
)
_WITH_A_UNIT_OF_ITS_OWN: Final = frozenset(["HbA1c", "glucose", "heart rate", "temperature", "weight"])

Placed = tuple[int, Entity]
"""Where a figure stands in the text, and the entity that it is."""


class _Number(NamedTuple):
    """A number in a text, which is in lower case here."""

    start: int
    before: str
    """What stands before it, up to another number."""
    value: str
    behind: str
    """What stands behind it, to the end."""


def measured(text: str) -> list[Placed]:
    """The vitals and labs in a text: pressures first, then the others in the order of their table."""
    found = list(_pressures(text))
    numbers = list(_numbers(text))
    for each in _MEASURES:
        goes_on = False
        for number in numbers:
            # 180 yesterday and 140 today; 어제는 180, 오늘은 140.
            between = [word.strip(_TRIM) for word in number.before.split()]
            another_day = bool(between) and all(not word or word in _LISTS["then"] for word in between)
            known = each.least <= float(number.value) < each.below
            goes_on = known and (_is_of(each, number) or (goes_on and another_day))
            if goes_on:
                figure = Entity(kind=each.kind, name=each.name, value=number.value, unit=each.unit)
                found.append((number.start, figure))
    return found


def person(text: str) -> list[Placed]:
    """The age and the gender that a text states; no gender where it names both."""
    found: list[Placed] = []
    if (age := next((number for number in _numbers(text) if _is_age(number)), None)) is not None:
        found.append((age.start, Entity(kind="demographics", name="age", value=age.value)))
    said = [(place, gender) for gender in ("male", "female") if (place := _place_of(gender, text)) >= 0]
    if len(said) == 1:
        found.append((said[0][0], Entity(kind="demographics", name="gender", value=said[0][1])))
    return found


def _place_of(key: str, text: str) -> int:
    """Where a phrase of a list stands, English ones as whole words; -1 where none does."""
    lowered = text.lower()
    for phrase in _LISTS[key]:
        bound = rf"(?<!\w){re.escape(phrase)}(?!\w)" if phrase.isascii() else re.escape(phrase)
        if (match := re.search(bound, lowered)) is not None:
            return match.start()
    return -1


def _pressures(text: str) -> Iterable[Placed]:
    """The blood pressures in a text: named, with their unit, or likely ones in a text about measuring."""
    was_measured = _place_of("measuring", text) >= 0
    for match in _PRESSURE.finditer(text):
        high, low = int(match.group(1)), int(match.group(2))
        near = text[max(0, match.start() - 20) : match.end() + 8]
        likely = was_measured and high in _SYSTOLIC and low in _DIASTOLIC
        if high > low and (match.group(3) or _place_of("pressure", near) >= 0 or likely):
            yield match.start(), Entity(kind="vitals", name="SBP", value=str(high), unit="mmHg")
            yield match.start(), Entity(kind="vitals", name="DBP", value=str(low), unit="mmHg")


def _numbers(text: str) -> Iterable[_Number]:
    """The numbers in a text, in order."""
    lowered, until = text.lower(), 0
    for match in _NUMBER.finditer(lowered):
        behind = lowered[match.end() :].lstrip()
        yield _Number(match.start(), lowered[until : match.start()], match.group(), behind)
        until = match.end()


def _is_of(measure: Measure, number: _Number) -> bool:
    """Whether a number is a value of this measure."""
    key = measure.name.replace(" ", "_").lower()
    named = any(_names_it(word, number.before, measure.gap) for word in _LISTS[f"{key}_names"])
    if measure.name not in _WITH_A_UNIT_OF_ITS_OWN:
        return named
    its_unit = number.behind.startswith(_LISTS[f"{key}_units"])
    if measure.name == "weight":  # 몸무게 3키로 is said of much else: both
        return named and its_unit
    # 38도 may be an angle: 38.2도 is none
    return named or (its_unit and (measure.name != "temperature" or "." in number.value))


def _names_it(name: str, before: str, gap: int) -> bool:
    at = before.rfind(name)
    if at < 0 or len(before) - at - len(name) > gap:
        return False
    outside = before[at - 1 : at] + before[at + len(name) : at + len(name) + 1]
    return not (name.isascii() and any(char.isascii() and char.isalpha() for char in outside))


def _is_age(number: _Number) -> bool:
    if not number.value.isdigit() or len(number.value) > 3:
        return False
    in_korean = number.behind.startswith(("세", "살")) and not number.behind.startswith(_LISTS["no_age"])
    said = words(number.behind[:20])[:2]
    in_english = said[:1] == ["yo"] or said in (["year", "old"], ["years", "old"])
    return in_korean or in_english or f" {number.before}".endswith((" aged ", " age "))


ConceptFinder = Callable[[str], Iterable[tuple[int, int, str]]]
"""A function that gives, in order, start, end and name of each concept that a text names."""

_KINDS: Final = {"condition": "conditions", "symptom": "symptoms", "medication": "medications"}
_LISTS: Final = closed_lists("medical")
_SETS: Final = word_sets("medical")
_SCOPE: Final = closed_lists("medical_scope")
_LONGEST: Final = 4_000
"""Characters of a text that are read."""
_DOSE: Final = re.compile(
    r"[0-9]+(?:[.,][0-9]+)?\s?(?:mg|mcg|µg|g|ml|iu|units?|밀리그램|그램|단위|정|알)(?![a-z])", re.IGNORECASE
)
_TIMES: Final = re.compile(
    r"하루\s?(?:에\s?)?(?:[0-9]|한|두|세|네)\s?(?:번|회|차례)|\bevery [0-9]+ hours\b", re.IGNORECASE
)
_DAYS_KO: Final = r"하루|이틀|사흘|나흘|일주일|한\s?달"
_UNITS_KO: Final = r"일|주|달|개월|년|시간"
_SPAN_KO: Final = re.compile(
    rf"(?:[0-9]+|{_DAYS_KO}|[일이삼사오육칠팔구십]+)\s?(?:{_UNITS_KO})?\s?(?:째|동안|전부터)"
    rf"|(?<=지 )(?:[0-9]+\s?(?:{_UNITS_KO})|{_DAYS_KO})(?=\s?(?:됐|되|넘|정도))"
)
_LONGEST_SPAN: Final = 5
"""Words at most: for the last three days."""
_OF_WITHIN: Final = 24
"""Characters before a medicine in which its dose may stand: 10 units of insulin."""
_ALLERGY_WITHIN: Final = 9
"""Characters from a medicine to the word allergy, at most: 페니실린에 대한 알레르기."""


def by_spelling(text: str) -> Iterable[tuple[int, int, str]]:
    """A `ConceptFinder`: by the names in the table of concepts."""
    pattern, names = spellings()
    for match in pattern.finditer(text):
        yield match.start(), match.end(), names[match.group().lower()]


class MedicalPack:
    """A `Pack`: finds what consultations and case meetings name. `finder` finds the concepts."""

    def __init__(self, finder: ConceptFinder = by_spelling) -> None:
        self._finder = finder

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """See `Pack.entities`: seed 002's slots, concepts before figures, each with its person.

        A concept that is named again with the same status and person is one entity, with all its details.
        """
        text = text[:_LONGEST]
        spans = [each for each in self._finder(text) if each[2] in concepts()]
        figures = [*measured(text), *person(text)]
        if not spans and not figures:
            return []
        parts = clauses(text, {end for _, end, _ in spans})
        whom = persons(parts, speaker, names)
        standing = Standing(text, parts, [(start, end) for start, end, _ in spans])
        found: dict[tuple[str, ...], Entity] = {}
        before: Entity | None = None
        for place, (start, end, name) in enumerate(spans):
            clause = standing.part(start)
            part = parts[clause]
            # What is said of a thing stands in its clause, and between the things beside it.
            since = max(part.start, spans[place - 1][1]) if place else part.start
            until = min(part.end, spans[place + 1][0]) if place + 1 < len(spans) else part.end
            around = text[min(since, start) : start], text[end : max(until, end)]
            before = _concept((start, end, name), around, part, standing, before)
            key = (before.kind, before.name, before.detail("status"), whom[clause])
            known = found.get(key)
            details = (dict(known.details) if known else {}) | dict(before.details)
            found[key] = before.model_copy(update={"details": tuple(details.items()), "person": key[-1]})
        told = [*found.values()]
        for start, figure in figures:
            clause = standing.part(start)
            is_asked = parts[clause].asked and not standing.owned(start)
            status = (("status", "asked"),) if is_asked else ()
            told.append(figure.model_copy(update={"details": status, "person": whom[clause]}))
        return list(dict.fromkeys(told))


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
        details |= _taken(behind, before)
    elif kind == "symptoms" and status != "denied":
        itself = standing.text[start:end]
        details |= _felt((standing.behind(start, end), itself + behind, before + itself, part.text))
    if status or kind == "conditions":
        details["status"] = status or "active"
    return Entity(kind=kind, name=name, details=tuple(details.items()))


def _is_allergy(before: str, behind: str) -> bool:
    """Whether a medicine is named as an allergy: 페니실린 알레르기; allergic to penicillin."""
    near = behind.lower()
    followed = any(0 <= near.find(word) <= _ALLERGY_WITHIN for word in _LISTS["allergic"])
    return followed or not frozenset(_LISTS["allergic_to"]).isdisjoint(before.lower().split()[-3:])


def _taken(behind: str, before: str) -> dict[str, str]:
    """Dose and frequency of a medicine, by the words behind it; the dose also before it: 10 units of it."""
    dose, times = _DOSE.search(behind), _TIMES.search(behind)
    if dose is None and before.rstrip().endswith(" of"):
        dose = _DOSE.search(before[-_OF_WITHIN:])
    often = times.group() if times is not None else _first_of("frequency", behind)
    return _said(dose=dose and dose.group(), frequency=often)


def _felt(windows: Sequence[str]) -> dict[str, str]:
    """Severity and duration of a symptom, from the first stretch that tells it (severity: but the first)."""
    lasted = (span for text in windows if (span := _span(text)) is not None)
    badly = (how for text in windows[1:] if (how := _first_of("severity", text)) is not None)
    return _said(severity=next(badly, None), duration=next(lasted, None))


def _first_of(key: str, text: str) -> str | None:
    """The phrase of the list `key` that stands first in a text, the longest that begins there, if any."""
    said = f" {' '.join(text.lower().split())} "
    found = [
        (said.find(spelt), -len(phrase), phrase)
        for phrase in _LISTS[key]
        if (spelt := f" {phrase}" if phrase.isascii() else phrase) in said
    ]
    return min(found)[2] if found else None


def _span(text: str) -> str | None:
    """The duration that a text names, in its words: 사흘째, 3주 전부터; for three days, since last Monday."""
    if (span := _SPAN_KO.search(text)) is not None:
        return span.group()
    said = text.split()
    for start, word in enumerate(said):
        if word.lower() in ("for", "since"):
            for end in range(start + 1, min(start + _LONGEST_SPAN, len(said))):
                if said[end].lower().strip(",.!?") in _SETS["spans_en"]:
                    return " ".join(said[start : end + 1]).strip(",.!?")
    return None


def _said(**details: str | None) -> dict[str, str]:
    return {name: " ".join(value.split()) for name, value in details.items() if value}


def is_chronic(entity: Entity) -> bool:
    """Whether an entity is a condition that stays (seed 002 §3.2.2)."""
    concept = concepts().get(entity.name)
    return entity.kind == "conditions" and concept is not None and concept.chronic
