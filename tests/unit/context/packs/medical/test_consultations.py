"""What is said in consultations: gender, severity, whose a value is, and what became of a medicine."""

from __future__ import annotations

import pytest

from context.packs.entity import Entity, SpokenText
from context.packs.medical.demographics import demographics
from context.packs.medical.pack import MedicalPack
from tests.unit.cases import cases
from tests.unit.context.packs.medical.consultations import SETS, labelled, score

NAMES = ("김 원장", "최영호", "Dr. Lee", "Maria")
LEAST = 0.9
"""The least share of what is stated, as labelled, that is noted, and of what is noted that is right."""


def _named(text: str, kind: str, name: str, **said: str) -> Entity:
    found = MedicalPack().entities(text, **said)
    return next(each for each in found if (each.kind, each.name) == (kind, name))


@cases
def test_a_gender_is_told_of_somebody(text: str, age: str, gender: str) -> None:
    found = {each.name: each.value for _, each in demographics(text)}
    assert (found.get("age", ""), found.get("gender", "")) == (age, gender)


@cases
def test_how_bad_a_symptom_is_is_told_in_any_form_and_not_where_it_is_denied(
    text: str, name: str, how: str
) -> None:
    found = _named(text, "symptoms", name)
    assert (found.detail("severity"), found.detail("status")) == (how, "")


@cases
def test_a_value_is_the_patients(text: str, speaker: str, names: tuple[str, ...], whom: str) -> None:
    found = MedicalPack().entities(text, names=names, speaker=speaker)
    assert found
    assert {each.person for each in found} == {whom}


@cases
def test_what_became_of_a_medicine(text: str, name: str, status: str) -> None:
    assert _named(text, "medications", name).detail("status") == status


@cases
def test_a_stopped_medicine_is_not_warned_of(
    talk: tuple[str, ...], question: str, answer: str, warned: bool
) -> None:
    before = [SpokenText(text, "최영호") for text in talk]
    told = MedicalPack().notices(SpokenText(question, "김 원장"), answer, before, NAMES[:2], "en")
    assert bool(told) == warned, told


@pytest.mark.parametrize("name", SETS)
def test_consultations_are_read_as_labelled(name: str) -> None:
    scored = score(labelled(name))
    assert scored.recall >= LEAST, scored.wrong
    assert scored.precision >= LEAST, scored.wrong
