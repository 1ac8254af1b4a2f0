"""The labelled lines of `tests/data/medical/consultations`, and how well the medical pack reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from context.packs.entity import Entity
from context.packs.medical.pack import MedicalPack

_DATA: Final = Path(__file__).parents[4] / "data" / "medical" / "consultations"
SETS: Final = tuple(sorted(path.stem for path in _DATA.glob("*.jsonl")))


class Line(NamedTuple):
    """One line of a consultation, with what it states."""

    id: str
    speaker: str
    names: Sequence[str]
    text: str
    facts: Sequence[dict[str, str]]


class Score(NamedTuple):
    """How many facts the lines state, how many were noted, and how many of these are right."""

    stated: int
    noted: int
    right: int
    """Kind, name, value, status, person, and severity where one is labelled."""
    wrong: tuple[str, ...]

    @property
    def recall(self) -> float:
        """The share of what is stated that is right."""
        return self.right / self.stated

    @property
    def precision(self) -> float:
        """The share of what was noted that is right."""
        return self.right / self.noted


def labelled(name: str) -> list[Line]:
    """A file's lines."""
    return [Line(**json.loads(row)) for row in (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def score(lines: Iterable[Line]) -> Score:
    """The pack against the labels. What is only asked is no fact; an optional fact is neither right nor wrong."""
    pack = MedicalPack()
    stated = noted = right = 0
    wrong: list[str] = []
    for line in lines:
        found = pack.entities(line.text, names=line.names, speaker=line.speaker)
        left = [each for each in found if each.detail("status") != "asked"]
        for fact in sorted(line.facts, key=lambda each: "optional" in each):
            same = next((each for each in left if _is(each, fact, line.speaker)), None)
            if same is not None:
                left.remove(same)
            if "optional" not in fact:
                stated, noted, right = stated + 1, noted + (same is not None), right + (same is not None)
                wrong += [] if same is not None else [f"{line.id} not found: {fact}"]
        noted += len(left)
        wrong += [f"{line.id} beside: {each.kind} {each.said()} of {each.person!r}" for each in left]
    return Score(stated, noted, right, tuple(wrong))


def _is(found: Entity, fact: dict[str, str], speaker: str) -> bool:
    """Whether an entity is this fact. A person `!` is anybody but the speaker, a status `any` whichever it is."""
    person = found.person != speaker if fact["person"] == "!" else found.person == fact["person"]
    status = fact["status"] == "any" or (found.detail("status") or "active") in fact["status"].split("|")
    value = fact.get("value", found.value) == found.value
    severity = fact.get("severity") is None or found.detail("severity") == fact["severity"]
    return (
        (found.kind, found.name) == (fact["kind"], fact["name"]) and person and status and value and severity
    )
