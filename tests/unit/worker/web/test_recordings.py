"""A recording or a transcript is looked at, kept until a worker has read it, and told of; what is wrong is one line."""

from __future__ import annotations

import gzip
import io
import json
import wave

import pytest

from tests.unit.worker.web.conftest import ENVIRONMENT
from tests.unit.worker.web.server import TOKEN, Site
from worker.configuration.settings import Settings
from worker.web.recordings import MAX_WAITING_FILES
from worker.web.viewer_quotas import ViewerQuota

VTT = "WEBVTT\n\n00:00.000 --> 00:02.000\n<v 민지>예산은 삼백만 원으로 결정했습니다.\n\n00:03.000 --> 00:04.000\n<v Ben>Done.\n"


def wav(seconds: float = 1.0, rate_hz: int = 8000) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate_hz)
        sound.writeframes(bytes(2 * round(rate_hz * seconds)))
    return file.getvalue()


@pytest.fixture
def settings() -> Settings:
    return Settings.from_env({**ENVIRONMENT, "MOIM_RECORDING_MB": "1", "STT_ENGINE": "whisper"})


@pytest.fixture
def quota() -> ViewerQuota:
    """A quota in which one person's recordings may be as large as the largest one, and no larger."""
    return ViewerQuota(recordings_mb=0)


async def bring(site: Site, name: str, data: bytes, **headers: str) -> tuple[int, dict[str, object]]:
    return await site.call("POST", "/v1/recordings", data, params={"name": name}, headers=headers)


async def test_a_transcript_waits_as_the_lines_that_were_read_of_it(site: Site) -> None:
    status, told = await bring(site, "C:\\회의\\..\\주간 회의.vtt", VTT.encode())
    assert (status, told["name"], told["kind"], told["total"]) == (202, "주간 회의.vtt", "transcript", 2)
    kept = json.loads(b"".join(site.recordings.parts["m-1"]))
    assert [line[2:4] for line in kept["lines"]] == [
        ["민지", "예산은 삼백만 원으로 결정했습니다."],
        ["Ben", "Done."],
    ]
    status, listed = await site.call("GET", "/v1/recordings")
    (row,) = listed["recordings"]
    assert (status, row["meeting_id"], row["state"], row["done"]) == (200, "m-1", "waiting", 0)
    assert "tries" not in row


async def test_a_recording_waits_as_it_is(site: Site) -> None:
    status, told = await bring(site, "../../etc/call.wav", wav())
    assert (status, told["name"], told["kind"], told["total"]) == (202, "call.wav", "sound", 1000)
    assert b"".join(site.recordings.parts["m-1"]) == wav()
    assert site.recordings.complete_ == {"m-1"}


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.exe", b"MZ", (415, "file.kind", "a.exe: .exe is no kind of file")),
        ("a", b"hello", (415, "file.kind", "a: a is no kind")),
        ("..", b"hello", (400, "name", "must not be ..")),
        ("a.vtt", b"", (400, "file.empty", "a.vtt: the file is empty")),
        ("a.vtt", b"WEBVTT\n", (400, "file.unreadable", "a.vtt: nothing is said in it")),
        ("a.srt", b"\x00\x01\x02\x03" * 99, (400, "file.unreadable", "a.srt: ")),
        ("a.docx", b"PK\x03\x04", (400, "file.unreadable", "a.docx: no Word file")),
        ("a.mp3", b"no sound at all" * 99, (400, "file.no_sound", "a.mp3: there is no sound in it")),
        ("a.wav", wav()[:30], (400, "file.no_sound", "a.wav: there is no sound")),
        ("a.mp3", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", (400, "file.no_sound", "there is no sound")),
        ("a.wav", wav(65), (413, "file.size", "a.wav: it has 1.0 MB, at most 1 MB")),
        ("a.wav", wav(6.5 * 3600, rate_hz=20), (413, "file.length", "a.wav: it is 6.5 h long, at most 6 h")),
        ("a\x00.wav", wav(), (400, "name", "")),
        ("", wav(), (400, "name", "")),
        ("a" * 201, wav(), (400, "name", "")),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_one_line_with_name_value_and_mend(
    site: Site, name: str, data: bytes, expected: tuple[int, str, str]
) -> None:
    status, field, said = expected
    answered, told = await bring(site, name, data)
    error = told["error"]
    assert isinstance(error, dict)
    assert (answered, error["field"]) == (status, field), error
    assert said in error["mend"]
    assert "\n" not in error["mend"]
    assert site.recordings.rows == {}


async def test_a_file_is_measured_as_it_is_unpacked(site: Site) -> None:
    bomb = gzip.compress(wav(600))
    assert len(bomb) < 100_000
    status, told = await bring(site, "a.wav", bomb, **{"Content-Encoding": "gzip"})
    assert (status, told["error"]["field"]) == (413, "file.size")  # type: ignore[index]


async def test_no_more_than_so_many_wait(site: Site) -> None:
    for _ in range(MAX_WAITING_FILES - 1):
        await site.recordings.want("b.vtt", "transcript", "b", size_bytes=1, total=1)
    assert (await bring(site, "a.vtt", VTT.encode()))[0] == 202
    status, told = await bring(site, "a.vtt", VTT.encode())
    assert status == 429
    assert f"{MAX_WAITING_FILES} files wait" in told["error"]["mend"]  # type: ignore[index]


async def test_without_an_engine_only_text_is_taken(site: Site) -> None:
    site.parts.settings = Settings.from_env({**ENVIRONMENT, "STT_ENGINE": "none"})
    status, told = await bring(site, "a.wav", wav())
    assert (status, told["error"]["field"], told["error"]["value"]) == (400, "file.engine", "none")  # type: ignore[index]
    assert (await bring(site, "a.vtt", VTT.encode()))[0] == 202


async def test_a_person_has_a_share_of_what_is_sent_and_a_program_has_none(site: Site) -> None:
    person = {"X-Forwarded-User": "ben", "Origin": f"http://127.0.0.1:{site.port}"}
    lines = b"Ben: hello\nMia: hi\n" + b" " * 600_000
    statuses = []
    for headers in (person, person, {}):
        token = None if headers else TOKEN
        status, told = await site.call(
            "POST", "/v1/recordings", lines, params={"name": "a.txt"}, headers=headers, token=token
        )
        statuses.append(status)
        if status == 429:
            assert "1000 KB of recordings, which is your share" in told["error"]["mend"]
    assert statuses == [202, 429, 202]
