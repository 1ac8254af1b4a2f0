"""The key of an encrypted room: for whoever holds its meeting, and gone with the meeting."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from context.ports import Refused
from tests.contracts.world import World

NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


async def key_of(world: World, meeting_id: str) -> str | None:
    key = await world.room_keys.of(meeting_id)
    return key.get_secret_value() if key is not None else None


async def test_it_is_there_for_each_holder_and_another_takes_its_place(world: World) -> None:
    assert await key_of(world, "m-1") is None
    await world.registry.want("room", meeting_id="m-1", key=SecretStr("열려라 참깨"))
    assert await key_of(world, "m-1") == "열려라 참깨"
    await world.registry.want("room")
    assert await key_of(world, "m-1") == "열려라 참깨", "who wants the meeting again takes no key away"
    await world.registry.want("room", key=SecretStr("another"))
    assert await key_of(world, "m-1") == "another"


@pytest.mark.parametrize("failure", [None, "nothing was kept"])
async def test_it_is_gone_when_the_meeting_is_over(world: World, failure: str | None) -> None:
    await world.registry.want("room", meeting_id="m-1", key=SecretStr("sesame"))
    epoch = await world.taken("m-1")
    await world.registry.mark_live("m-1", epoch, NINE)
    assert await key_of(world, "m-1") == "sesame"
    await world.registry.mark_ended("m-1", epoch, NINE, failure)
    assert await key_of(world, "m-1") is None
    with pytest.raises(Refused):
        await world.registry.want("room", meeting_id="m-1", key=SecretStr("sesame"))
    assert await key_of(world, "m-1") is None


async def test_it_is_gone_when_nobody_ever_came(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1", key=SecretStr("sesame"))
    assert await world.registry.request_end("m-1")
    assert await key_of(world, "m-1") is None


async def test_it_is_shown_in_no_row(world: World) -> None:
    row = await world.registry.want("room", meeting_id="m-1", key=SecretStr("sesame"))
    assert "sesame" not in f"{row} {row.shown()} {await world.registry.list_all()}"


@pytest.mark.parametrize("key", ["", "  ", "x" * 1_001, "two\nlines"])
async def test_what_cannot_be_one_is_refused_without_a_letter_of_it(world: World, key: str) -> None:
    with pytest.raises(Refused) as refused:
        await world.registry.want("room", meeting_id="m-1", key=SecretStr(key))
    assert not key.strip() or key not in str(refused.value)


async def test_a_meeting_without_a_room_has_none(world: World) -> None:
    with pytest.raises(Refused):
        await world.registry.want(None, meeting_id="m-1", key=SecretStr("sesame"))
