"""A file that was brought becomes a meeting as `moim replay --record` makes it, whoever is killed over it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest
from aiohttp import web

from context.events.actors import operator
from context.events.erasure_target import Target
from tests.conftest import Database
from tests.fakes.listening import listen
from tests.integration.conftest import Moim, text_worker
from tests.security.doors.process import TOKEN, running
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_recordings import PostgresRecordings
from worker.adapters.postgres_registry import PostgresRegistry
from worker.ports import MeetingRow
from worker.process.recording_queue import MOST_TRIES, RecordingReaders, _started
from worker.recordings.recording_reading import lines_read, read_lines
from worker.recordings.stored_recording import keep_parts

pytestmark = [pytest.mark.postgres]

FLAC = min(Path("tests/data/audio").rglob("*.flac"))
LINES = "".join(
    f"민지: 예산은 삼백만 원으로 결정했습니다 {n}\nBen: We need one more server {n}.\n" for n in range(40)
)


@dataclass
class Clerk:
    """A transcription server that writes down how the sound that it gets is numbered; it may be slow."""

    slow_s: float = 0.0
    heard: list[int] = field(default_factory=list)
    """The bytes of each stretch."""

    async def transcribe(self, request: web.Request) -> web.Response:
        form = await request.post()
        upload = form["file"]
        assert isinstance(upload, web.FileField)
        self.heard.append(len(upload.file.read()))
        await asyncio.sleep(self.slow_s)
        text = f"{len(self.heard)}번째 발언은 {self.heard[-1]} 바이트입니다."
        return web.json_response({"text": text, "language": "korean", "duration": 1.0, "segments": []})


@pytest.fixture
async def clerk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Clerk]:
    clerk, app = Clerk(), web.Application(client_max_size=64 << 20)
    app.router.add_post("/v1/audio/transcriptions", clerk.transcribe)
    runner, url = await listen(app)
    for name, value in {
        "STT_ENGINE": "openai",
        "STT_BASE_URL": f"{url}/v1",
        "STT_MODEL": "clerk",
        "STT_API_KEY": "none",
        "EMBED_ENGINE": "none",
    }.items():
        monkeypatch.setenv(name, value)
    yield clerk
    await runner.cleanup()


@dataclass
class Place:
    """A command line and a database of the test's own."""

    moim: Moim
    recordings: PostgresRecordings
    registry: PostgresRegistry
    erasures: PostgresErasures
    owner: asyncpg.Connection[asyncpg.Record]

    async def parts(self) -> int:
        """How many parts of files there are."""
        number: int = await self.owner.fetchval("SELECT count(*) FROM moim.recording_parts")
        return number

    async def meeting(self, id_: str) -> MeetingRow:
        row = await self.registry.get(id_)
        assert row is not None
        return row

    async def document(self, id_: str) -> dict[str, Any]:
        code, out, err = await self.moim("export", id_, "--format", "json")
        assert code == 0, err
        shape: dict[str, Any] = json.loads(out[out.index("{\n") :])  # behind the log of the readers
        return shape

    async def said(self, id_: str) -> list[str]:
        return [each["text"] for each in (await self.document(id_))["utterances"]]


@pytest.fixture
def place(moim: Moim, pool: PostgresPool, owner: asyncpg.Connection[asyncpg.Record]) -> Place:
    return Place(moim, PostgresRecordings(pool), PostgresRegistry(pool), PostgresErasures(pool), owner)


async def brought(recordings: PostgresRecordings, name: str, data: bytes) -> str:
    """The id of the meeting that waits for this file."""
    if name.endswith((".wav", ".flac")):
        id_ = await recordings.want(name, "sound", name, size_bytes=len(data), total=0)
        await keep_parts(recordings, id_, io.BytesIO(data))
        return id_
    read = await read_lines(name, data)
    total = len(lines_read(name, read).lines)
    id_ = await recordings.want(name, "transcript", name, size_bytes=len(data), total=total)
    await keep_parts(recordings, id_, io.BytesIO(read))
    return id_


async def read_all(recordings: PostgresRecordings, within_s: float = 120) -> None:
    """Have a worker read until nothing waits."""
    reading = asyncio.ensure_future(RecordingReaders(recordings, ("transcript", "sound")).run())
    async with asyncio.timeout(within_s):
        while (await recordings.waiting())[0]:
            await asyncio.sleep(0.2)
            assert not reading.done(), reading.result()
    reading.cancel()
    await asyncio.wait({reading})


async def test_a_transcript_becomes_what_replay_makes_of_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBED_ENGINE", "none")
    path = tmp_path / "weekly.txt"
    path.write_text(LINES, "utf-8")
    assert (await place.moim("replay", str(path), "--record"))[0] == 0
    id_ = await brought(place.recordings, "weekly.txt", LINES.encode())
    claimed = await place.registry.claim_unheld(limit=9, retry_after_s=1, text=True)
    assert claimed == [], "a text worker leaves it alone"
    await read_all(place.recordings)
    row = await place.meeting(id_)
    assert (row.status, row.title, row.reason) == ("ended", "weekly.txt", None)
    ours, replayed = await place.document(id_), await place.document("weekly")
    for part in ("utterances", "topics", "notes"):
        assert ours[part] == replayed[part], part
    assert await place.parts() == 0
    assert await place.recordings.list_all() == []


async def test_a_recording_is_heard_and_goes_when_it_is_text(
    place: Place, clerk: Clerk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOIM_CONSENT", "ask")  # nobody in a file can be asked
    id_ = await brought(place.recordings, "call.flac", FLAC.read_bytes())
    await read_all(place.recordings)
    row = await place.meeting(id_)
    assert row.status == "ended", row.failure
    assert len(await place.said(id_)) == len(clerk.heard) > 1
    assert await place.parts() == 0
    assert not [
        each for each in (tmp_path / "state").rglob("*") if each.is_file() and each.stat().st_size > 99_999
    ]


@pytest.mark.parametrize("kind", ["sound", "transcript"])
async def test_whoever_goes_on_for_a_killed_reader_repeats_and_loses_nothing(
    place: Place, clerk: Clerk, kind: str
) -> None:
    name, data = "call.flac", FLAC.read_bytes()
    if kind == "transcript":
        many = "".join(LINES.replace("\n", f" {n}\n") for n in range(10))
        name, data = "weekly.txt", many.encode()
    clerk.slow_s = 0.5
    id_ = await brought(place.recordings, name, data)
    reading = asyncio.ensure_future(RecordingReaders(place.recordings, ("transcript", "sound")).run())
    async with asyncio.timeout(90):
        while True:
            row = await place.recordings.get(id_)
            assert row is not None, "it was done before it was killed"
            if len(clerk.heard) > 3 or (kind == "transcript" and row.done > 20):
                break
            await asyncio.sleep(0.05)
    (child,) = children_of(os.getpid(), "--waiting")
    os.kill(child, signal.SIGKILL)
    before, clerk.slow_s = len(clerk.heard), 0
    async with asyncio.timeout(90):
        while await place.recordings.get(id_) is not None:
            await asyncio.sleep(0.2)
    reading.cancel()
    await asyncio.wait({reading})
    assert (await place.meeting(id_)).status == "ended"
    texts = await place.said(id_)
    assert len(set(texts)) == len(texts), "nothing is repeated"
    assert (await place.document(id_))["gaps"] == []
    if kind == "transcript":
        assert len(texts) == 800
        return
    after = len(clerk.heard) - before
    whole = await brought(place.recordings, "whole.flac", data)
    clerk.heard.clear()
    await read_all(place.recordings)
    assert len(texts) == len(await place.said(whole)) == len(clerk.heard)
    assert after < len(clerk.heard), "what was text is not heard again"


def children_of(pid: int, marked: str) -> list[int]:
    listed: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            listed += map(int, (task / "children").read_text().split())
    return [each for each in listed if marked in Path(f"/proc/{each}/cmdline").read_text()]


async def test_a_file_that_breaks_off_keeps_what_was_heard_and_one_that_is_none_fails(
    place: Place, clerk: Clerk
) -> None:
    whole = FLAC.read_bytes()
    broken = await brought(place.recordings, "half.flac", whole[: len(whole) // 2])
    none = await brought(place.recordings, "none.flac", b"nothing" * 1000)
    await read_all(place.recordings)
    assert len(await place.said(broken)) == len(clerk.heard) > 0
    row = await place.meeting(none)
    assert (row.status, row.reason_code) == ("failed", "failed")
    assert "there is no sound in it that can be decoded" in (row.failure or "")
    (told,) = await place.recordings.list_all()
    assert (told.name, told.state, told.fault) == ("none.flac", "failed", "no_sound")
    assert await place.parts() == 0


async def test_an_erasure_or_an_end_removes_what_waits(place: Place) -> None:
    recordings = place.recordings
    ended = await brought(recordings, "a.txt", LINES.encode())
    erased = await brought(recordings, "b.txt", LINES.encode())
    kept = await brought(recordings, "c.txt", LINES.encode())
    assert await place.registry.request_end(ended)
    target = Target(what="meeting")
    await place.erasures.ask(target, id_="e1", actor=operator("ops"), by="ops", meeting_id=erased)
    assert [row.meeting_id for row in await recordings.list_all()] == [kept]
    assert await place.parts() == 1
    assert [(await place.meeting(id_)).status for id_ in (ended, erased, kept)] == [
        "ended",
        "ended",
        "wanted",
    ]


async def test_an_end_while_it_is_read_keeps_what_was_read(place: Place, clerk: Clerk) -> None:
    clerk.slow_s = 0.5
    id_ = await brought(place.recordings, "call.flac", FLAC.read_bytes())
    reading = asyncio.ensure_future(RecordingReaders(place.recordings, ("sound",)).run())
    async with asyncio.timeout(60):
        while (row := await place.recordings.get(id_)) is None or row.done < 5_000:
            await asyncio.sleep(0.05)
        assert await place.registry.request_end(id_)
        while await place.recordings.get(id_) is not None:
            await asyncio.sleep(0.1)
    reading.cancel()
    await asyncio.wait({reading})
    assert (await place.meeting(id_)).status == "ended"
    assert 0 < len(await place.said(id_)) <= len(clerk.heard)
    assert await place.parts() == 0


async def test_a_file_on_which_readers_die_is_given_up(place: Place) -> None:
    recordings = place.recordings
    id_ = await brought(recordings, "a.txt", LINES.encode())
    for tries in range(1, MOST_TRIES + 2):
        row = await recordings.claim(("transcript",), 0.0)
        assert row is not None
        assert row.tries == tries
    await RecordingReaders(recordings, ("transcript",))._read_recording(row)
    meeting = await place.meeting(id_)
    assert meeting.status == "failed"
    assert "its reading has ended midway 3 times" in (meeting.failure or "")
    assert await recordings.claim(("transcript",), 0.0) is None


async def test_who_reads_a_file_tells_so_before_anything_is_loaded(place: Place) -> None:
    """A large file and a model may take longer than a claim lasts: no other reader begins meanwhile."""
    id_ = await brought(place.recordings, "a.txt", LINES.encode())
    assert await place.recordings.claim(("transcript",), 0.0)
    async with asyncio.timeout(90):
        async with place.owner.transaction():  # its parts can't be read yet: as a large file takes long
            await place.owner.execute("LOCK TABLE moim.recording_parts IN ACCESS EXCLUSIVE MODE")
            process = await _started(id_)
            while (row := await place.recordings.get(id_)) is None or row.state != "reading":
                await asyncio.sleep(0.05)
            assert (await place.meeting(id_)).epoch == 0, "it does not hold its meeting yet"
    assert await process.wait() == 0
    assert (await place.meeting(id_)).status == "ended"


async def test_from_the_dispatcher_by_a_text_worker_to_the_minutes(
    place: Place, database: Database, redis_url: str, tmp_path: Path
) -> None:
    """A worker without a speech engine reads transcripts; what waits to be heard is left to others.

    A file whose dispatcher died while it kept it is given up, also where nobody brings another.
    """
    unkept = await place.recordings.want("lost.txt", "transcript", "lost", size_bytes=9, total=1)
    assert await place.recordings.list_all() == [], "nothing is told of it until all of it is there"
    await place.owner.execute("UPDATE moim.recordings SET added_at = added_at - interval '10 minutes'")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        running(tmp_path, database.url, EMBED_ENGINE="none") as served,
        aiohttp.ClientSession(f"http://127.0.0.1:{served.port}", headers=headers) as client,
    ):
        sent = await client.post("/v1/recordings", params={"name": "주간.txt"}, data=LINES.encode())
        told = await sent.json()
        assert sent.status == 202, told
        sound = await brought(place.recordings, "call.flac", FLAC.read_bytes())
        worker = await text_worker(database, redis_url, tmp_path / "worker", EMBED_ENGINE="none")
        async with asyncio.timeout(120):
            while await place.recordings.get(told["meeting_id"]) is not None:
                await asyncio.sleep(0.2)
            while (await place.meeting(unkept)).status != "failed":
                await asyncio.sleep(0.2)
        worker.terminate()
        await worker.wait()
        listed = await (await client.get("/v1/recordings")).json()
        assert [(row["meeting_id"], row["fault"]) for row in listed["recordings"]] == [
            (sound, None),
            (unkept, "not_kept"),
        ]
        path = f"/v1/meetings/{told['meeting_id']}/export"
        minutes = await (await client.get(path, params={"format": "md"})).text()
    assert "예산은 삼백만 원으로 결정했습니다" in minutes


async def test_another_worker_goes_on_for_one_that_is_killed(
    place: Place, database: Database, clerk: Clerk, tmp_path: Path
) -> None:
    """`moim worker` as it is run; no LiveKit is there, which its files need not."""
    id_ = await brought(place.recordings, "call.flac", FLAC.read_bytes())

    async def worker(name: str) -> asyncio.subprocess.Process:
        settings = {
            "DATABASE_URL": database.url,
            "LIVEKIT_URL": "ws://127.0.0.1:1",
            "LIVEKIT_API_KEY": "devkey",
            "LIVEKIT_API_SECRET": "s" * 40,
            "MOIM_HTTP_PORT": "0",
            "MOIM_HTTP_HOST": "127.0.0.1",
            "MOIM_STATE_DIR": str(tmp_path / name),
        }
        command = (sys.executable, "-m", "worker", "worker")
        return await asyncio.create_subprocess_exec(*command, env={**os.environ, **settings})

    clerk.slow_s = 0.5
    first = await worker("first")
    async with asyncio.timeout(90):
        while len(clerk.heard) < 4:
            await asyncio.sleep(0.05)
    (reader,) = children_of(first.pid, "--waiting")
    first.kill()
    await first.wait()
    clerk.slow_s = 0
    second = await worker("second")
    async with asyncio.timeout(120):
        while await place.recordings.get(id_) is not None:
            await asyncio.sleep(0.2)
    assert not Path(f"/proc/{reader}").exists(), "its reader died with it"
    second.terminate()
    assert await second.wait() == 0
    texts = await place.said(id_)
    assert (await place.meeting(id_)).status == "ended"
    assert len(set(texts)) == len(texts) > 4
    assert await place.parts() == 0
