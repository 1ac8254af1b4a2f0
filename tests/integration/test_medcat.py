"""The real MedCAT over the concept base that ships: English by MedCAT, Korean by its spellings first."""

from __future__ import annotations

from pathlib import Path

import pytest

from context.packs.entity import by_kind
from context.packs.medical.concepts import ConceptFinder
from context.packs.medical.pack import MedicalPack
from context.ports import Refused
from worker.adapters.medcat_concepts import medcat_finder


@pytest.fixture(scope="module")
def finder() -> ConceptFinder:
    return medcat_finder()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "She has type 2 diabetes and hypertension, takes metformin 500 mg twice daily, no fever.",
            {
                "conditions": ("type 2 diabetes active", "hypertension active"),
                "medications": ("metformin 500 mg twice daily",),
                "symptoms": ("fever denied",),
            },
        ),
        (
            "고혈압과 당뇨가 있고 아스피린을 드세요. 페니실린 알레르기가 있습니다.",
            {
                "conditions": ("hypertension active", "diabetes mellitus active"),
                "medications": ("aspirin",),
                "allergies": ("penicillin",),
            },
        ),
    ],
)
def test_concepts_are_found(finder: ConceptFinder, text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert dict(by_kind(MedicalPack(finder).entities(text))) == expected


def test_a_model_pack_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="MOIM_MEDICAL_CONCEPTS"):
        medcat_finder(tmp_path)
