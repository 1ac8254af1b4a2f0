"""Figures of health: pressure, what is measured by name or unit, age and gender."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from context.entities.entity import Entity
from context.language.closed_lists import closed_lists
from context.retrieval.lexical import words

_LISTS: Final = closed_lists("medical")
_PRESSURE: Final = re.compile(
    r"\b([0-9]{2,3})\s?(?:/|에|over)\s?([0-9]{2,3})(?:\s?(mmHg))?(?![0-9/])", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9/.])[0-9]+(?:\.[0-9]+)?")
_SYSTOLIC: Final = range(70, 260)
_DIASTOLIC: Final = range(35, 160)
_TRIM: Final = ".,:;!? "


class Measure(NamedTuple):
    """What is measured: by its name before the figure, or by a unit that is its own."""

    kind: str
    name: str
    unit: str
    least: float
    below: float
    gap: int
    """Characters between its name and the figure at most."""


_MEASURES: Final = (
    Measure("labs", "HbA1c", "%", 1, 100, 12),
    Measure("labs", "glucose", "mg/dL", 10, 1000, 16),
    Measure("labs", "LDL", "mg/dL", 10, 1000, 18),
    Measure("labs", "HDL", "mg/dL", 5, 300, 18),
    Measure("labs", "total cholesterol", "mg/dL", 50, 1000, 12),
    Measure("labs", "triglycerides", "mg/dL", 10, 5000, 12),
    Measure("labs", "creatinine", "mg/dL", 0.1, 30, 12),
    Measure("labs", "eGFR", "mL/min", 1, 200, 12),
    Measure("labs", "AST", "U/L", 1, 5000, 10),
    Measure("labs", "ALT", "U/L", 1, 5000, 10),
    Measure("labs", "hemoglobin", "g/dL", 2, 25, 12),
    Measure("labs", "TSH", "mIU/L", 0.01, 200, 10),
    Measure("labs", "potassium", "mmol/L", 1, 10, 12),
    Measure("labs", "uric acid", "mg/dL", 1, 30, 12),
    Measure("vitals", "heart rate", "bpm", 10, 1000, 12),
    Measure("vitals", "temperature", "°C", 34, 43, 12),
    Measure("vitals", "weight", "kg", 10, 1000, 10),
)
_WITH_A_UNIT_OF_ITS_OWN: Final = frozenset(["HbA1c", "glucose", "heart rate", "temperature", "weight"])

Placed = tuple[int, Entity]
"""Where the figure stands, and what it is."""


class _Number(NamedTuple):
    start: int
    before: str
    """What stands before it, up to another number."""
    value: str
    behind: str


def measured(text: str) -> list[Placed]:
    """Vitals and labs: pressures first, then in the order of the table."""
    found = list(_pressures(text))
    numbers = list(_numbers(text))
    for each in _MEASURES:
        goes_on = False
        for number in numbers:
            known = each.least <= float(number.value) < each.below
            goes_on = known and (_is_of(each, number) or (goes_on and _is_another_day(number.before)))
            if goes_on:
                found.append(
                    (number.start, Entity(kind=each.kind, name=each.name, value=number.value, unit=each.unit))
                )
    return found


def person(text: str) -> list[Placed]:
    """Read age and gender off a text, where it states them."""
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
    """By its name, its unit, or as what was measured and could be nothing else."""
    was_measured = _place_of("measuring", text) >= 0
    for match in _PRESSURE.finditer(text):
        high, low = int(match.group(1)), int(match.group(2))
        near = text[max(0, match.start() - 20) : match.end() + 8]
        likely = was_measured and high in _SYSTOLIC and low in _DIASTOLIC
        if high > low and (match.group(3) or _place_of("pressure", near) >= 0 or likely):
            yield match.start(), Entity(kind="vitals", name="SBP", value=str(high), unit="mmHg")
            yield match.start(), Entity(kind="vitals", name="DBP", value=str(low), unit="mmHg")


def _numbers(text: str) -> Iterable[_Number]:
    lowered, until = text.lower(), 0
    for match in _NUMBER.finditer(lowered):
        behind = lowered[match.end() :].lstrip()
        yield _Number(match.start(), lowered[until : match.start()], match.group(), behind)
        until = match.end()


def _is_of(measure: Measure, number: _Number) -> bool:
    key = measure.name.replace(" ", "_").lower()
    named = any(_names_it(word, number.before, measure.gap) for word in _LISTS[f"{key}_names"])
    if measure.name not in _WITH_A_UNIT_OF_ITS_OWN:
        return named
    its_unit = number.behind.startswith(_LISTS[f"{key}_units"])
    if measure.name == "weight":  # 몸무게 3키로 is said of much else: both
        return named and its_unit
    if measure.name == "temperature":  # 38도 may be an angle: 38.2도 is none
        its_unit = its_unit and "." in number.value
    return named or its_unit


def _names_it(name: str, before: str, gap: int) -> bool:
    at = before.rfind(name)
    if at < 0 or len(before) - at - len(name) > gap:
        return False
    outside = before[at - 1 : at] + before[at + len(name) : at + len(name) + 1]
    return not (name.isascii() and any(char.isascii() and char.isalpha() for char in outside))


def _is_another_day(between: str) -> bool:
    """180 yesterday and 140 today; 어제는 180, 오늘은 140."""
    said = [word.strip(_TRIM) for word in between.split()]
    return bool(said) and all(not word or word in _LISTS["then"] for word in said)


def _is_age(number: _Number) -> bool:
    if not number.value.isdigit() or len(number.value) > 3:
        return False
    in_korean = number.behind.startswith(("세", "살")) and not number.behind.startswith(_LISTS["no_age"])
    said = words(number.behind[:20])[:2]
    in_english = said[:1] == ["yo"] or said in (["year", "old"], ["years", "old"])
    return in_korean or in_english or f" {number.before}".endswith((" aged ", " age "))
