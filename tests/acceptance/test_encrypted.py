"""An end-to-end encrypted room, as a user meets it: told that it is not heard, then heard with the key."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from livekit import rtc
from pydantic import SecretStr

from tests.acceptance.lines import EN, heard_in, line
from tests.acceptance.scenes import say, shown
from tests.acceptance.stack import Play, Stack, until
from tests.fakes.players import Player
from worker.adapters.livekit_encryption import encryption

pytestmark = [pytest.mark.room, pytest.mark.speech]

KEY = "열려라 참깨 4711"
GREETING, DECISION, MEASURE = (line(EN, number) for number in (0, 6, 8))


async def enter(play: Play, identity: str, key: str | None) -> Player:
    player = play.stage.player(identity)
    options = rtc.RoomOptions(auto_subscribe=False, encryption=encryption(key and SecretStr(key)))
    await player.enter(options)
    await player.publish()
    return player


async def test_without_the_key_it_says_so_and_with_it_it_hears(stack: Stack, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY + "\n", encoding="utf-8")
    async with stack.play("encrypted") as play:
        alice, ben = await enter(play, "alice", KEY), await enter(play, "ben", None)
        await play.moim_hears(alice)
        play.stage.begin()
        await say(play, alice, GREETING)
        await say(play, ben, MEASURE)
        await shown(ben, MEASURE)

        async def told() -> bool:
            return any("--e2ee-key-file" in chat.text for chat in alice.chats)

        await until(told, "the notice")

        async def noted() -> bool:
            gaps = (await stack.document(play.meeting_id))["gaps"]
            return [gap["participant"] for gap in gaps if gap["reason"] == "encrypted"] == ["alice"]

        await until(noted, "the gap")
        ran = await stack.moim("dispatch", play.stage.room, "--e2ee-key-file", str(file))
        assert KEY not in ran.out + ran.err
        await play.moim_hears(alice, epoch=2)
        await asyncio.sleep(1)
        await say(play, alice, DECISION)
        await shown(alice, DECISION)
        document = await stack.document(play.meeting_id)
        by = {
            who: [u["text"] for u in document["utterances"] if u["speaker"] == who]
            for who in ("alice", "ben")
        }
        assert heard_in(DECISION, by["alice"])
        assert not heard_in(GREETING, by["alice"]), "noise is no line"
        assert len(by["alice"]) == 1
        assert sum("--e2ee-key-file" in chat.text for chat in alice.chats) == 1
        person = next(p for p in document["participants"] if p["id"] == "alice")
        assert person["speech"]["lost_ms"] == {}
        assert person["speech"]["unheard_ms"]["encrypted"] > GREETING.length_s * 1000
        listed = await stack.moim("meetings", "--json")
        assert KEY not in str(document) + listed.out + stack.log.read_text("utf-8", "replace")
