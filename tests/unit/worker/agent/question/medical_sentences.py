"""The labelled sentences of `tests/data/medical`, and how well the medical pack reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from context.packs.entity import Entity
from context.packs.medical.pack import MedicalPack

_DATA: Final = Path(__file__).parents[4] / "data" / "medical"
_DETAILS: Final = ("dose", "frequency", "duration")
SETS: Final = tuple(sorted(path.stem for path in _DATA.glob("*.jsonl")))


class Sentence(NamedTuple):
    """One sentence with what it names."""

    id: str
    language: str
    text: str
    expected: Sequence[dict[str, str]]


class Score(NamedTuple):
    """How many of the labelled entities were found as labelled, and how many were found beside them."""

    labelled: int
    right: int
    """Kind, name, value, unit and status."""
    details: int
    details_right: int
    beside: int
    wrong: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the labelled ones that is right."""
        return self.right / self.labelled


def labelled(name: str, language: str = "") -> list[Sentence]:
    """A file's sentences; of one language where it is given."""
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    return [
        Sentence(row["id"], row["language"], row["text"], row["entities"])
        for row in rows
        if language in ("", row["language"])
    ]


def score(sentences: Sequence[Sentence]) -> Score:
    """The pack against the labels."""
    pack = MedicalPack()
    total = right = details = details_right = beside = 0
    wrong: list[str] = []
    for sentence in sentences:
        left = list(pack.entities(sentence.text))
        for label in sentence.expected:
            total += 1
            found = next((one for one in left if _named(one) == _named_as(label)), None)
            if found is None:
                wrong.append(f"{sentence.id} {label['name']}: not found as {label['status']}")
                continue
            left.remove(found)
            right += 1
            for detail in _DETAILS:
                details += detail in label
                said = _squeezed(found.detail(detail)) == _squeezed(label.get(detail, ""))
                details_right += detail in label and said
                if not said:
                    wrong.append(f"{sentence.id} {label['name']}: {detail} {found.detail(detail)!r}")
        beside += len(left)
        wrong += [f"{sentence.id} beside: {one.kind} {one.said()}" for one in left]
    return Score(total, right, details, details_right, beside, tuple(wrong))


def _named(one: Entity) -> tuple[str, ...]:
    return one.kind, one.name, one.value, one.unit, one.detail("status") or "active"


def _named_as(label: dict[str, str]) -> tuple[str, ...]:
    return label["kind"], label["name"], label.get("value", ""), label.get("unit", ""), label["status"]


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())
