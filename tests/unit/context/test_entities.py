"""What a text names: meetings' people, dates, amounts; consultations' conditions, medicines, figures."""

from __future__ import annotations

import pytest

from context.entities import MeetingPack, by_kind
from context.entities.entity import concepts, interacting, interactions
from context.entities.medical_pack import MedicalPack, is_chronic


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("예산은 천오백만 원으로 확정합니다.", "amounts", ("천오백만 원",)),
        ("The budget is $12k for 3 days.", "amounts", ("$12k", "3 days")),
        ("김민지 님, 금요일까지 서버 두 대 견적을 보내 주세요.", "people", ("김민지",)),
        ("Ben, can you send it by Friday?", "people", ("Ben Carter",)),
        ("금요일까지 보내 주세요.", "dates", ("금요일까지",)),
        ("Please send it by Friday.", "dates", ("by Friday",)),
        ("두 번째 안건을 한번 볼게요.", "amounts", ()),
        ("The second item is next.", "amounts", ()),
    ],
)
def test_the_meeting_pack(text: str, kind: str, names: tuple[str, ...]) -> None:
    found = MeetingPack().entities(text, names=("김민지", "Ben Carter"))
    assert tuple(entity.name for entity in found if entity.kind == kind) == names


@pytest.mark.parametrize("text", ["예산은 천만 원으로 확정합니다.", "We decided on ten thousand dollars."])
def test_decisions_are_named_as_they_were_said(text: str) -> None:
    assert by_kind(MeetingPack().entities(text))["decisions"] == (text,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "65세 남성으로 고혈압이 있고 혈압은 140/90 mmHg, 혈당 120 mg/dL, 당화혈색소 7.2%입니다.",
            {
                "conditions": ("hypertension active",),
                "vitals": ("SBP 140 mmHg", "DBP 90 mmHg"),
                "labs": ("HbA1c 7.2 %", "glucose 120 mg/dL"),
                "demographics": ("age 65", "gender male"),
            },
        ),
        (
            "A 65-year-old man with hypertension, blood pressure 140 over 90, HbA1c 7.2 percent.",
            {
                "conditions": ("hypertension active",),
                "vitals": ("SBP 140 mmHg", "DBP 90 mmHg"),
                "labs": ("HbA1c 7.2 %",),
                "demographics": ("age 65", "gender male"),
            },
        ),
        (
            "메트포르민 500mg 하루 두 번, 페니실린 알레르기가 있습니다.",
            {"medications": ("metformin 500mg 하루 두 번",), "allergies": ("penicillin",)},
        ),
        (
            "I take metformin 500 mg twice daily and I'm allergic to penicillin.",
            {"medications": ("metformin 500 mg twice daily",), "allergies": ("penicillin",)},
        ),
        ("열은 없어요. 기침은 사흘째 심해요.", {"symptoms": ("fever denied", "cough 심해 사흘째")}),
        ("No fever, but a severe headache.", {"symptoms": ("fever denied", "headache severe")}),
        ("65세입니다. 여성이에요.", {"demographics": ("age 65", "gender female")}),
        ("아스피린은 위에 안 좋아요.", {"medications": ("aspirin asked",)}),
        ("Aspirin is bad for the stomach.", {"medications": ("aspirin asked",)}),
        ("당뇨는 무서운 병이에요.", {"conditions": ("diabetes mellitus asked",)}),
        (
            "Diabetes is dangerous and gout runs in families.",
            {"conditions": ("diabetes mellitus asked", "gout asked")},
        ),
        ("당뇨는 10년 됐어요.", {"conditions": ("diabetes mellitus active",)}),
        ("My diabetes is getting worse.", {"conditions": ("diabetes mellitus active",)}),
        ("메트포르민을 시작했어요.", {"medications": ("metformin",)}),
        ("I started metformin.", {"medications": ("metformin",)}),
        ("21세기에 3세대가 3세트를 했습니다.", {}),
        ("9/10에 보고, 120명이 옵니다. 환기 좀 하죠.", {}),
        ("See you on 9/10 with 120 people.", {}),
    ],
)
def test_the_medical_pack(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert dict(by_kind(MedicalPack().entities(text))) == expected


def test_concepts_have_identifiers_and_kinds_of_their_own() -> None:
    known = concepts()
    assert len(known) > 60
    assert len({concept.cui for concept in known.values()}) == len(known)
    assert {concept.type for concept in known.values()} == {"condition", "symptom", "medication"}
    diabetes, cold = (MedicalPack().entities(text)[0] for text in ("당뇨가 있어요", "감기예요"))
    assert (is_chronic(diabetes), is_chronic(cold)) == (True, False)


def test_medicines_that_do_not_go_together_are_known_with_their_source() -> None:
    for each in interactions():
        assert each.medicines <= concepts().keys()
        assert each.source
    assert [each.effect for each in interacting(frozenset({"warfarin", "aspirin", "metformin"}))] == [
        "more bleeding"
    ]
    assert interacting(frozenset({"warfarin"})) == []
