"""Sound that waits for its text, of somebody who refuses to be heard or is erased: none of it is left anywhere.

Each voice here is a noise of its own, so that every piece of its sound can be found again: among the objects of the
meeting's job, in the log and the files of this machine, and in the database.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import asyncpg
import numpy as np
import pytest

from context.events import events
from context.events.actors import operator
from context.events.erasure_target import Target
from tests.conftest import Database
from tests.fakes.outlet import FakeOutlet
from tests.fakes.speech import LevelVad, frames, silence
from tests.integration.late_speech import WORDS, World, world_of
from worker.holder.presence import Presence
from worker.participants.tracks import track_maker

pytestmark = pytest.mark.postgres

VOICES = {"minji": 1, "ben": 2}
SAID_MS = 800


def voice(seed: int) -> bytes:
    wave = np.random.default_rng(seed).integers(-8_000, 8_000, SAID_MS * 16)
    return wave.astype("<i2").tobytes()


def found_in(texts: Iterable[bytes], seed: int) -> int:
    """How many bytes of a voice stand there, in pieces of 2 ms."""
    whole = b"\0\0".join(texts)
    said = voice(seed)
    return sum(64 for at in range(0, len(said), 64) if said[at : at + 64] in whole)


def reached(*roots: object) -> list[bytes]:
    """The bytes of every object that these lead to, without code and the modules of it."""
    seen, found, waiting = {id(roots)}, list[bytes](), list[Any](roots)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType):
            continue
        seen.add(id(one))
        if isinstance(one, bytes | bytearray | memoryview | np.ndarray):
            found.append(bytes(one))
        elif not (isinstance(one, dict) and "__builtins__" in one):
            waiting += gc.get_referents(one)
    return found


async def stored(database: Database) -> list[bytes]:
    """Every row of every table, as bytes: a column of bytes would be in hex."""
    owner = await asyncpg.connect(database.admin_url)
    try:
        tables = await owner.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'moim'")
        rows = [
            row for (name,) in tables for row in await owner.fetch(f"SELECT t::text FROM moim.{name} AS t")
        ]
    finally:
        await owner.close()
    return [row[0].encode() for row in rows]


def speak(world: World, presence: Presence, keeper: Any) -> None:
    """Both say their line at once, as if they had by now."""
    session, attendant = presence.session, presence.attendant
    attendant.tracks._make = track_maker(session, world.engine, "ko", make_vad=LevelVad, keeper=keeper)
    for who, seed in VOICES.items():
        sink, done = attendant.track_opened(who, f"TR_{who}"), 0
        for frame in frames(silence(400) + voice(seed) + silence(1_000)):
            done += len(frame)
            sink.push(frame, session.zero_s + done / 32_000)


@pytest.mark.parametrize("how", ["refuses", "erased"])
async def test_of_who_is_heard_no_more_no_sound_is_left_and_of_others_all(
    database: Database, tmp_path: Path, how: str
) -> None:
    async with world_of(database, tmp_path) as world:
        job = await world.job()

        async def left_of(presence: Presence) -> dict[str, dict[str, int]]:
            files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
            places = {
                "objects": reached(presence, job, world.engine),
                "files": files,
                "rows": await stored(database),
            }
            return {
                place: {who: found_in(texts, seed) for who, seed in VOICES.items()}
                for place, texts in places.items()
            }

        async def enter(presence: Presence) -> None:
            session, attendant = presence.session, presence.attendant
            for who in VOICES:
                attendant.joined(who, who.title())
                session.post(
                    events.UtteranceSpoken(
                        key=who,
                        speaker_id=who,
                        speaker_name=who,
                        text="네, 들립니다.",
                        start_ms=0,
                        end_ms=100,
                    )
                )
            await asyncio.sleep(2.5)  # then it has been said when it is taken back
            speak(world, presence, job.sound)
            await asyncio.sleep(0.3)
            whole, none = len(voice(1)), {"minji": 0, "ben": 0}
            both = {"minji": whole, "ben": whole}
            assert await left_of(presence) == {"objects": both, "files": both, "rows": none}
            if how == "refuses":
                attendant.consent.record("minji", False, "chat")
            else:
                target = Target(what="person", person="minji")
                assert await session.erase(target, id_="e1", actor=operator("root"))
            await asyncio.sleep(0.3)
            ben = none | {"ben": whole}
            assert await left_of(presence) == {"objects": ben, "files": ben, "rows": none}
            world.engine.away = False
            await attendant.tracks.last_words(20)
            assert (await left_of(presence))["objects"] == none
            presence.tasks.create_task(presence.end("requested"))

        await job.run(FakeOutlet(), enter, engine=world.engine)
        assert world.kept == []
        shape = await world.document()
        assert [(gap["participant"], gap["reason"]) for gap in shape["gaps"]] == [("minji", "off_record")]
        assert [line["speaker"] for line in shape["utterances"] if line["text"] == WORDS[0]] == ["ben"]
