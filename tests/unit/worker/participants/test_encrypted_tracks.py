"""Sound that is end-to-end encrypted and not understood: told once, a gap that grows, and no words."""

from __future__ import annotations

import asyncio

import pytest

from context.events import events
from context.export.document import document
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.rooms import Room, room
from worker.participants.encrypted_tracks import NOTED_EVERY_S, TOLD_AFTER_S, EncryptedTracks

pytestmark = in_virtual_time


def gaps(here: Room) -> list[tuple[str, int, int]]:
    found = here.session.manager.meeting.gaps
    assert {gap.reason for gap in found} <= {"encrypted"}
    return [(gap.participant, gap.start_ms, gap.end_ms) for gap in found]


async def settled(here: Room) -> Room:
    await here.session.settle()
    return here


async def test_it_is_told_once_and_one_gap_grows() -> None:
    async with room() as here:
        for who in ("minji", "ben"):
            here.attendant.joined(who, who)
            here.attendant.track_encrypted(who, f"TR_{who}", why="no_key")
        await asyncio.sleep(TOLD_AFTER_S + 3 * NOTED_EVERY_S + 1)
        assert here.attendant.encrypted.people == {"minji", "ben"}
        here.attendant.track_closed("TR_minji")
        here.attendant.left("ben")
        await settled(here)
        end_ms = round((TOLD_AFTER_S + 3 * NOTED_EVERY_S + 1) * 1000)
        assert sorted(gaps(here)) == [("ben", 0, end_ms), ("minji", 0, end_ms)]
        said = [text for text, to in here.world.outlet.said if to is None]
        assert len(said) == 1
        assert "--e2ee-key-file" in said[0]
        count = here.session.manager.meeting.speech.of("minji")
        assert (count.heard_ms, dict(count.unheard_ms)) == (0, {"encrypted": end_ms})
        told = document(here.session.manager.meeting)
        assert {gap["reason"] for gap in told["gaps"]} == {"encrypted"}
        assert here.attendant.encrypted.people == frozenset()


async def test_a_moment_until_the_first_frame_is_decrypted_is_no_gap() -> None:
    async with room() as here:
        here.attendant.joined("minji", "minji")
        here.attendant.track_encrypted("minji", "TR_minji", why="other_key")
        await asyncio.sleep(0.3)
        here.attendant.track_closed("TR_minji")
        await asyncio.sleep(TOLD_AFTER_S + NOTED_EVERY_S)
        assert gaps(await settled(here)) == []
        assert here.world.outlet.said == []


async def test_what_is_off_the_record_is_no_gap_of_encryption() -> None:
    async with room() as here:
        here.attendant.joined("minji", "minji")
        here.attendant.track_encrypted("minji", "TR_minji", why="no_key")
        await asyncio.sleep(4)
        here.session.post(events.RecordingPaused(by="minji", at_ms=4_000))
        await asyncio.sleep(4)
        here.session.post(events.RecordingResumed(by="minji", at_ms=8_000))
        await asyncio.sleep(4)
        here.attendant.track_closed("TR_minji")
        assert gaps(await settled(here)) == [("minji", 0, 4_000), ("minji", 8_000, 12_000)]


async def test_who_does_not_agree_to_be_heard_is_not_missed() -> None:
    async with room() as here:
        here.attendant.joined("minji", "minji")
        here.attendant.told_consent("minji", agreed=False)
        here.attendant.track_encrypted("minji", "TR_minji", why="no_key")
        await asyncio.sleep(TOLD_AFTER_S + NOTED_EVERY_S)
        assert gaps(await settled(here)) == []


async def test_a_successor_does_not_say_it_again() -> None:
    async with room() as here:
        before = events.GapNoted(participant_id="minji", start_ms=0, end_ms=9, reason="encrypted")
        here.session.fold_now(before)
        successors = EncryptedTracks(here.session, here.attendant.own, note=here.attendant.turns.from_track)
        here.attendant.joined("minji", "minji")
        successors.opened("minji", "TR_minji", "no_key")
        await asyncio.sleep(TOLD_AFTER_S + 1)
        assert here.world.outlet.said == []


@pytest.mark.parametrize(("language", "one"), [("ko", "종단간 암호화"), ("en", "end-to-end encrypted")])
async def test_it_is_said_in_the_meetings_language(language: str, one: str) -> None:
    async with room(language) as here:
        here.attendant.joined("minji", "minji")
        here.attendant.track_encrypted("minji", "TR_minji", why="other_key")
        await asyncio.sleep(TOLD_AFTER_S + 1)
        ((said, _),) = here.world.outlet.said
        assert one in said
        assert "\n" not in said


async def test_the_end_puts_on_record_what_was_not_heard_until_then() -> None:
    async with room() as here:
        here.attendant.joined("minji", "minji")
        here.attendant.track_encrypted("minji", "TR_minji", why="no_key")
        await asyncio.sleep(TOLD_AFTER_S + 5)
        assert here.attendant.tracks.unwritten == {"minji": 2_000}
        await here.attendant.tracks.last_words(1)
        assert gaps(await settled(here)) == [("minji", 0, 7_000)]
