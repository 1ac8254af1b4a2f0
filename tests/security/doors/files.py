"""Files that are there to hold a reader up, to reach other files, or to come in where they may not.

A real dispatcher. What got in: an answer of 500 or above, or none; a refusal that is not one line in the house's
shape; what a file made the decoder read elsewhere; a file kept for somebody who may not bring one; other requests
that wait meanwhile; a child process, or a file on the disk, that is left behind.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import random
import struct
import time
import wave
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from tests.fakes.hostile import PARAGRAPH, docx_of
from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, Served, dispatcher
from worker.web.viewers import COOKIE

_PAGES: Final = "a-pages-token-that-is-long-enough"
_WITHIN_S: Final = 10.0
"""How long anybody else's request may take meanwhile; a machine that is shared is slow."""
_SECRET: Final = "두루미재단 Heronwood"
_SPOILT: Final = 60


@dataclass(frozen=True, slots=True)
class Case:
    """A file, and with which status it may be answered."""

    name: str
    data: bytes
    statuses: frozenset[int] = frozenset({400, 413, 415})
    packed: bool = False


async def attack(seed: int) -> Outcome:
    """All by hand, and so many good files that are spoilt by a draw of `seed`."""
    settings = {"MOIM_PAGES_TOKEN": _PAGES, "STT_ENGINE": "whisper", "MOIM_RECORDING_MB": "20"}
    async with (
        dispatcher(**settings) as served,
        aiohttp.ClientSession(
            f"http://127.0.0.1:{served.port}",
            timeout=aiohttp.ClientTimeout(total=90),
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as client,
    ):
        secret = served.log.with_name("secret.txt")
        secret.write_text(f"Ben: {_SECRET}\n" * 3, "utf-8")
        cases = [*_by_hand(secret), *_spoilt(random.Random(seed))]
        got_in, statuses = await _all(client, cases)
        got_in += await _not_for_everybody(client, served)
        got_in += await _left(client, served)
        log = served.log.read_text("utf-8", "replace")
    got_in += [f"a traceback in the log: {line[-300:]}" for line in log.splitlines() if '"exception"' in line]
    return Outcome(
        tried=len(cases) + 6, got_in=tuple(got_in), figures={f"answers_{k}": n for k, n in statuses.items()}
    )


async def _all(client: aiohttp.ClientSession, cases: list[Case]) -> tuple[list[str], Counter[str]]:
    """Send them two at a time, as many as are read at once, while somebody else looks at the meetings."""
    got_in: list[str] = []
    statuses: Counter[str] = Counter()
    at_once, done = asyncio.Semaphore(2), asyncio.Event()

    async def one(case: Case) -> None:
        async with at_once:
            status, text = await _bring(client, case)
        statuses[str(status)] += 1
        if fault := _judged(case, status, text):
            got_in.append(fault)

    async def others() -> None:
        while not done.is_set():
            began_s = time.monotonic()
            async with client.get("/v1/meetings?limit=1", headers=_program()) as answer:
                took_s = time.monotonic() - began_s
                if answer.status != 200 or took_s > _WITHIN_S:
                    got_in.append(f"somebody else gets {answer.status} after {took_s:.1f} s")
            await asyncio.sleep(0.3)

    looking = asyncio.ensure_future(others())
    await asyncio.gather(*map(one, cases))
    done.set()
    await looking
    return got_in, statuses


async def _bring(client: aiohttp.ClientSession, case: Case) -> tuple[int, str]:
    headers = {**_program(), "Content-Type": "application/octet-stream"}
    if case.packed:
        headers["Content-Encoding"] = "gzip"
    try:
        async with client.post(
            "/v1/recordings", params={"name": case.name}, data=io.BytesIO(case.data), headers=headers
        ) as answer:
            return answer.status, await answer.text()
    except aiohttp.ClientError as error:  # it hung up on a body that is too large, as it may, packed or not
        return (413, "") if case.packed or len(case.data) > 20_000_000 else (0, str(error))


def _judged(case: Case, status: int, text: str) -> str | None:
    """What is wrong with an answer; None where nothing is."""
    about = f"{case.name[:40]!r} ({len(case.data):,} bytes)"
    if status not in case.statuses:
        return f"{about}: {status} {text[:200]}"
    if _SECRET in text:
        return f"{about}: another file's words come back"
    if status < 400 or not text:
        return None
    try:
        error = json.loads(text)["error"]
        if set(error) == {"field", "value", "mend"} and error["mend"] and "\n" not in error["mend"]:
            return None
    except (ValueError, KeyError, TypeError):
        pass
    return f"{about}: {status} in another shape: {text[:120]}"


def _program() -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKEN}"}


async def _not_for_everybody(client: aiohttp.ClientSession, served: Served) -> list[str]:
    """Nobody, a wrong token, guests of a link and another site's page bring nothing, and see nothing of it."""
    root, got_in = f"http://127.0.0.1:{served.port}", []
    async with client.post("/v1/meetings", json={"meeting_id": "m-files"}, headers=_program()):
        pass
    who: dict[str, dict[str, str]] = {
        "nobody": {},
        "a wrong token": {"Authorization": "Bearer wrong-wrong-wrong"},
    }
    for edit in (False, True):
        async with client.post(
            "/v1/meetings/m-files/links", json={"edit": edit}, headers=_program()
        ) as answer:
            secret = (await answer.json())["path"].partition("#link=")[2]
        who[f"a link, edit={edit}"] = await _signed_in(client, root, {"link": secret})
    cookie = await _signed_in(client, root, {"token": _PAGES})
    who["another site's page"] = {**cookie, "Origin": "https://elsewhere.example"}
    for name, headers in who.items():
        async with client.post(
            "/v1/recordings", params={"name": "a.txt"}, data=b"Ben: hello\nMia: hi\n", headers=headers
        ) as answer:
            if answer.status not in {401, 403, 429}:
                got_in.append(f"{name} brings a file: {answer.status}")
        async with client.get("/v1/recordings", headers=headers) as answer:
            if answer.status == 200 and name != "another site's page":
                got_in.append(f"{name} sees the files that wait")
    return got_in


async def _signed_in(client: aiohttp.ClientSession, root: str, body: dict[str, str]) -> dict[str, str]:
    async with client.post("/v1/session", json=body, headers={"Origin": root}) as answer:
        return {"Cookie": f"{COOKIE}={answer.cookies[COOKIE].value}", "Origin": root}


async def _left(client: aiohttp.ClientSession, served: Served) -> list[str]:
    """What is left behind: child processes, files on the disk, words of another file."""
    got_in = []
    for _ in range(50):
        children = [
            int(pid)
            for task in Path(f"/proc/{served.pid}/task").iterdir()
            for pid in (task / "children").read_text().split()
        ]
        apart = [pid for pid in children if b"worker.sandbox" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if not apart:
            break
        await asyncio.sleep(0.1)
    else:
        got_in.append("a child process is left")
    state = Path(served.environ["MOIM_STATE_DIR"])
    got_in += [
        f"left on the disk: {each}"
        for each in state.rglob("*")
        if each.is_file() and each.stat().st_size > 100_000
    ]
    async with client.get("/v1/recordings", headers=_program()) as answer:
        listed = await answer.text()
        if _SECRET in listed:
            got_in.append("the list has another file's words")
    return got_in


# ---- the files -------------------------------------------------------------------------------------


def _wav(seconds: float = 1.0, channels: int = 1, rate: int = 16_000) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(bytes(round(2 * channels * rate * seconds)))
    return file.getvalue()


def _zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (300 << 20))
    return file.getvalue()


def _by_hand(secret: Path) -> Iterator[Case]:
    fine = frozenset({202, 400, 413, 415})
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://{secret}\n#EXT-X-ENDLIST\n".encode()
    for ending in ("mp3", "m4a", "webm", "wav", "aac"):
        yield Case(f"hls.{ending}", playlist)
        yield Case(f"concat.{ending}", f"ffconcat version 1.0\nfile '{secret}'\n".encode())
        yield Case(f"http.{ending}", b"#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:9/secret\n")
        yield Case(
            f"dash.{ending}", f'<?xml version="1.0"?><MPD><BaseURL>file://{secret}</BaseURL></MPD>'.encode()
        )
        yield Case(f"sdp.{ending}", b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nm=audio 9 RTP/AVP 0\r\n")
        yield Case(f"noise.{ending}", random.Random(1).randbytes(3_000_000), fine)
    yield Case("huge-header.wav", _wav()[:40] + struct.pack("<I", 0xFFFFFFF0) + bytes(1000), fine)
    yield Case("rate.wav", _wav(rate=1), fine)
    yield Case("long.wav", _wav(20 * 3600, rate=100), fine)
    yield Case("many.wav", _wav(channels=60), fine)
    yield Case("large.wav", bytes(25_000_000))
    yield Case("packed.wav", gzip.compress(_wav(3600)), packed=True)
    yield Case("not-packed.wav", _wav(), packed=True)
    yield Case("packed.txt", gzip.compress(b"Ben: hi\n" * 9_000_000), packed=True)
    yield Case("bomb.docx", _zip_bomb())
    yield Case("many.docx", docx_of(PARAGRAPH, 200_000), fine)
    yield Case("deep.docx", docx_of("<w:sdt>", 100_000))
    yield Case("lol.docx", docx_of("&lol;"), fine)
    yield Case("deep.json", b"[" * 1_000_000)
    yield Case("deep.jsonl", b'{"speaker":' * 100_000, fine)
    yield Case("numbers.json", b'{"segments": [{"start": 1e999, "end": NaN, "text": "x"}]}', fine)
    yield Case("colons.txt", b"a: " * 1_000_000, fine)
    yield Case("lines.txt", b"Ben: a\n" * 300_000)
    yield Case("blanks.vtt", b"WEBVTT\n" + b"\n" * 10_000_000, fine)
    yield Case("arrows.vtt", b"WEBVTT\n\n" + b"00:00.000 --> " * 500_000, fine)
    yield Case("tags.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\n" + b"<v " * 500_000, fine)
    yield Case("csv.csv", b'"' * 3_000_000, fine)
    for name in (
        "../../etc/passwd.txt",
        "..\\..\\a.txt",
        "/etc/a.txt",
        "a.txt\n.wav",
        "a\x00.txt",
        "a" * 300 + ".txt",
        "",
        ".txt",
        "CON.txt",
        "a.txt/",
        "<img src=x onerror=alert(1)>.txt",
        "--until.txt",
        "a\u202etxt.exe",
    ):
        yield Case(name, b"Ben: hello\nMia: hi\n", fine)
    for ending in ("exe", "html", "svg", "m3u8", "zip", "pdf", "py", ""):
        yield Case(f"a.{ending}", b"Ben: hello\n", frozenset({400, 415}))


def _spoilt(dice: random.Random) -> Iterator[Case]:
    """Good recordings and transcripts with bytes of them drawn anew, cut or repeated."""
    sounds = sorted(Path("tests/data/audio").rglob("*.flac"))
    good = {
        "a.flac": sounds[0].read_bytes()[:200_000],
        "a.wav": _wav(3),
        "a.vtt": b"WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ben>Hello.\n",
    }
    for _ in range(_SPOILT):
        name = dice.choice(sorted(good))
        data = bytearray(good[name])
        for _ in range(dice.randrange(1, 40)):
            data[dice.randrange(min(len(data), dice.choice((50, 500, 10**6))))] = dice.randrange(256)
        yield Case(name, bytes(data[: dice.randrange(1, len(data) + 1)]), frozenset({202, 400, 413}))
