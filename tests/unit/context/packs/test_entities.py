"""What a text names: meetings' people, dates, amounts; consultations' conditions, medicines, figures."""

from __future__ import annotations

import pytest

from context.packs.entity import by_kind
from context.packs.medical.concepts import concepts
from context.packs.medical.interactions import interacting, interactions
from context.packs.medical.pack import MedicalPack
from context.packs.meeting_pack import MeetingPack
from tests.unit.cases import cases


@cases
def test_the_meeting_pack(text: str, kind: str, names: tuple[str, ...]) -> None:
    found = MeetingPack().entities(text, names=("김민지", "Ben Carter"))
    assert tuple(entity.name for entity in found if entity.kind == kind) == names


@pytest.mark.parametrize("text", ["예산은 천만 원으로 확정합니다.", "We decided on ten thousand dollars."])
def test_decisions_are_named_as_they_were_said(text: str) -> None:
    assert by_kind(MeetingPack().entities(text))["decisions"] == (text,)


@cases
def test_the_medical_pack(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert dict(by_kind(MedicalPack().entities(text))) == expected


def test_concepts_have_identifiers_and_kinds_of_their_own() -> None:
    known = concepts()
    assert len(known) > 60
    assert len({concept.cui for concept in known.values()}) == len(known)
    assert {concept.type for concept in known.values()} == {"condition", "symptom", "medication"}
    diabetes, cold = (MedicalPack().entities(text)[0] for text in ("당뇨가 있어요", "감기예요"))
    assert (diabetes.chronic, cold.chronic) == (True, False)


def test_medicines_that_do_not_go_together_are_known_with_their_source() -> None:
    for each in interactions():
        assert each.medicines <= concepts().keys()
        assert each.source
    assert [each.effect for each in interacting(frozenset({"warfarin", "aspirin", "metformin"}))] == [
        "more bleeding"
    ]
    assert interacting(frozenset({"warfarin"})) == []
