"""A person has one name at a time, everywhere; the earlier ones are on the record."""

from __future__ import annotations

import asyncio

from context.events import events
from context.export.document import document
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.rooms import Room, room
from worker.meeting.record_privacy import recordable
from worker.participants.room_people import RENAMED_EVERY_S
from worker.redaction import redacted

pytestmark = in_virtual_time


async def people(here: Room) -> dict[str, tuple[str, list[str]]]:
    await here.session.settle()
    rows = document(here.session.manager.meeting)["participants"]
    return {row["id"]: (row["name"], row.get("earlier_names", [])) for row in rows}


async def test_what_was_said_before_is_shown_under_the_new_name_too() -> None:
    async with room() as here:
        here.enter("g1", "Guest").hears("예산을 정합시다.", 1_000)
        await here.session.settle()
        here.attendant.joined("g1", "Hana Lee")
        here.tracks["TR_g1"].hears("다음 주에 합니다.", 3_000)
        assert await people(here) == {"g1": ("Hana Lee", ["Guest"])}
        meeting = here.session.manager.meeting
        assert {said.speaker_name for said in meeting.utterances} == {"Hana Lee"}
        assert {said.speaker_name for said in meeting.window.utterances} == {"Hana Lee"}
        assert ("status", ("renamed", "g1")) in here.world.outlet.others


async def test_who_takes_anothers_name_or_the_agents_is_told_apart() -> None:
    async with room() as here:
        here.attendant.joined("a", "Hana Lee")
        here.attendant.joined("b", "Guest")
        here.attendant.joined("c", "Ben")
        here.attendant.joined("b", "HANA LEE")
        here.attendant.joined("c", "Moim")
        told = await people(here)
        assert told["b"] == ("HANA LEE (2)", ["Guest"])
        assert told["c"] == ("Moim (2)", ["Ben"])
        assert told["a"] == ("Hana Lee", [])


async def test_consent_stays_with_the_identity() -> None:
    async with room() as here:
        here.attendant.joined("g1", "Guest")
        here.attendant.told_consent("g1", agreed=False)
        here.attendant.joined("g1", "Hana Lee")
        await here.session.settle()
        assert not here.attendant.may_hear("g1")


async def test_a_corrected_name_stands_above_what_the_client_says() -> None:
    async with room() as here:
        here.attendant.joined("g1", "Guest")
        fix = {"of": "person", "person": "g1", "name": "이하나"}
        corrected = events.Corrected.model_validate({"id": "c1", "by": "ben", "at_ms": 1, "fix": fix})
        here.session.post(corrected)
        here.attendant.joined("g1", "Hana Lee")
        assert await people(here) == {"g1": ("이하나", [])}


async def test_a_flood_of_names_is_a_few_events_and_the_newest_counts() -> None:
    async with room() as here:
        here.attendant.joined("g1", "Guest")
        for number in range(100):
            here.attendant.joined("g1", f"Name {number}")
        await asyncio.sleep(RENAMED_EVERY_S + 0.1)
        assert (await people(here))["g1"] == ("Name 99", ["Guest", "Name 0"])


async def test_the_number_of_a_caller_is_masked_where_numbers_are() -> None:
    async with room() as here:
        meeting = here.session.manager.meeting
        joined = events.ParticipantJoined(participant_id="sip_x", name="+82 10-1234-5678", at_ms=0)
        masked = recordable(joined, meeting, redacted)
        assert masked == joined.model_copy(update={"name": "[phone number]"})
        mail = events.ParticipantJoined(participant_id="hana@example.com", name="hana@example.com", at_ms=0)
        assert recordable(mail, meeting, redacted) == mail
