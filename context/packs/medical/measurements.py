"""What is measured: vitals and labs, by their names, units and likely ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists
from context.packs.entity import Entity

_LISTS: Final = closed_lists("medical")
_PRESSURE: Final = re.compile(
    r"\b([0-9]{2,3})\s?(?:/|에|over)\s?([0-9]{2,3})(?:\s?(mmHg))?(?![0-9/])", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9/.])[0-9]+(?:\.[0-9]+)?")
_SYSTOLIC: Final = range(70, 260)
_DIASTOLIC: Final = range(35, 160)
_EDGE_CHARACTERS: Final = ".,:;!? "


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
    Measure("HbA1c", "%", 1, 100, 20),
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
            between = [word.strip(_EDGE_CHARACTERS) for word in number.before.split()]
            another_day = bool(between) and all(not word or word in _LISTS["then"] for word in between)
            known = each.least <= float(number.value) < each.below and not _is_a_bound(number)
            goes_on = known and (_is_of(each, number) or (goes_on and another_day))
            if goes_on:
                figure = Entity(kind=each.kind, name=each.name, value=number.value, unit=each.unit)
                found.append((number.start, figure))
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
        if text[match.end() :].lstrip().startswith(_LISTS["bounds"]):
            continue  # 정상 혈압은 120/80 미만
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


def _is_a_bound(number: _Number) -> bool:
    """Whether a number tells what is normal, and not what was measured: 7 미만, below 7."""
    unit = number.behind.split(maxsplit=1)
    behind = unit[1] if len(unit) > 1 else ""
    return (
        number.behind.startswith(_LISTS["bounds"])
        or behind.startswith(_LISTS["bounds"])
        or number.before.rstrip().endswith(_LISTS["bounds_en"])
    )


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
