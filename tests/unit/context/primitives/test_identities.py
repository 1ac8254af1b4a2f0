"""Whom an id means: exactly who has it, else who has its canonical form."""

from __future__ import annotations

import unicodedata

import pytest

from context.events.corrections import Fix, PersonFix, UtteranceFix
from context.events.events import Corrected
from context.people.attendance import Attendance
from context.primitives.person_names import identity_meant

NFC = "김민지"
NFD = unicodedata.normalize("NFD", NFC)
CAFE = unicodedata.normalize("NFD", "José")


def test_exactly_who_has_it_else_the_canonical_form() -> None:
    assert identity_meant(NFD, {NFC}) == NFC
    assert identity_meant(NFD, ()) == NFC
    assert identity_meant(NFD, {NFD, NFC}) == NFD, "LiveKit has somebody of exactly this id"
    assert identity_meant(NFC, {NFD}) == NFC
    assert identity_meant(CAFE, {"José"}) == "José"
    assert identity_meant("\u200b", ()) == "\u200b", "nothing would be left of it"


@pytest.mark.parametrize(
    ("fix", "meant"),
    [
        (UtteranceFix(of="utterance", utterance=1, text="x", speaker=NFD), {"speaker": NFC}),
        (UtteranceFix(of="utterance", utterance=1, text="x"), {"speaker": None}),
        (PersonFix(of="person", person=NFD, name="민지"), {"person": NFC, "into": None}),
        (PersonFix(of="person", person="ben", name="Ben", into=NFD), {"person": "ben", "into": NFC}),
    ],
)
def test_a_correction_goes_to_the_record_with_the_ids_that_it_means(
    fix: Fix, meant: dict[str, str | None]
) -> None:
    room = Attendance()
    for who in (NFC, "ben"):
        room.joined(who, who, 0)
    event = room.as_shown(Corrected(id="c", at_ms=0, by="x", fix=fix))
    assert {field: getattr(event.fix, field) for field in meant} == meant
