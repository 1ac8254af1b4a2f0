"""The kinds of what the medical pack finds (seed 002 §3.1), and how each is remembered (§3.2)."""

from __future__ import annotations

from typing import Final

from context.packs.entity import ENDS, Kind, Kinds

MEDICAL_KINDS: Final[Kinds] = {
    "demographics": Kind(
        korean="인적 사항",
        english="Person",
        personal=True,
        fades=False,
        one_value=True,
        widens_searches=True,
    ),
    "conditions": Kind(
        korean="질환",
        english="Conditions",
        personal=True,
        lasts_as="conditions",
        fades=False,
        widens_searches=True,
    ),
    "medications": Kind(
        korean="복용 약",
        english="Medicines",
        personal=True,
        lasts_as="medications",
        fades=False,
        one_value=True,
        widens_searches=True,
    ),
    "allergies": Kind(
        korean="알레르기",
        english="Allergies",
        personal=True,
        lasts_as="allergies",
        lasts_at_once=True,
        fades=False,
    ),
    "symptoms": Kind(korean="증상", english="Symptoms", personal=True, ends=ENDS | {"past"}),
    "vitals": Kind(korean="활력 징후", english="Vitals", personal=True, one_value=True, measured=True),
    "labs": Kind(korean="검사", english="Labs", personal=True, one_value=True, measured=True),
}
