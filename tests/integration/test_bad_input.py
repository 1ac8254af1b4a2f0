"""What a user may hand us: a clear line and an exit code of the contract, or a meeting; never a traceback."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from context.config import ContextConfig
from context.export.document import document
from tests.conftest import Database
from worker import __main__ as cli
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore
from worker.record.restoring import rebuild

Moim = Callable[..., tuple[int, str, str]]
DATA = Path(__file__).parents[1] / "data" / "audio"
NOWHERE = "127.0.0.1:1"
_MEASURED = """
import re, sys
from worker.__main__ import main
code = main(sys.argv[1:])
# Not ru_maxrss: that remembers the process that this one was started from.
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def moim(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Moim:
    for name in ("DATABASE_URL", "DATABASE_ADMIN_URL", "REDIS_URL", "LLM_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STT_ENGINE", "none")
    monkeypatch.setenv("EMBED_ENGINE", "none")
    monkeypatch.setenv("MOIM_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = cli.main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def line(text: str, speaker: str = "김민지", **more: Any) -> str:
    return json.dumps({"speaker": speaker, "text": text, **more})


def one_clear_line(told: str) -> None:
    assert told.startswith("moim: ")
    assert told.count("\n") == 1
    assert "Traceback" not in told


BAD_FILES = {
    "empty.vtt": (b"", "first line must be `WEBVTT`"),
    "binary.jsonl": (bytes(range(256)) * 50, "unknown text encoding"),
    "digits.jsonl": (b'{"speaker":"a","text":"b","start_ms":' + b"9" * 5000 + b"}", "number too long"),
    "beyond64.jsonl": (line("a", start_ms=10**25).encode(), "beyond a week"),
    "year.vtt": (b"WEBVTT\n\n9999:00:00.000 --> 9999:00:01.000\nhi\n", "beyond a week"),
    "long.jsonl": (line("a" * 5_000_000).encode(), "split it"),
    "name.jsonl": (line("hi", speaker="N" * 100_000).encode(), "characters (at most"),
}
"""What `tests/unit/stt` does not try."""


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_transcript_is_named_with_its_line(moim: Moim, tmp_path: Path, name: str) -> None:
    content, why = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    code, out, err = moim("replay", tmp_path / name)
    assert (code, out) == (2, "")
    one_clear_line(err)
    assert name in err
    assert why in err


@pytest.mark.usefixtures("deaf_engine")
def test_broken_sound_is_named(moim: Moim, tmp_path: Path) -> None:
    (tmp_path / "junk.mp3").write_bytes(bytes(range(256)) * 50)
    code, out, err = moim("replay", tmp_path / "junk.mp3")
    assert (code, out) == (2, "")
    one_clear_line(err)
    assert "no sound that can be decoded" in err


@pytest.fixture
def deaf_engine(moim: Moim, monkeypatch: pytest.MonkeyPatch) -> None:
    """A speech engine that is not there."""
    monkeypatch.setenv("STT_ENGINE", "openai")
    monkeypatch.setenv("STT_BASE_URL", f"http://{NOWHERE}/v1")
    monkeypatch.setenv("STT_API_KEY", "x")


@pytest.mark.usefixtures("deaf_engine")
def test_sound_without_an_engine_is_a_marked_gap(moim: Moim, tmp_path: Path) -> None:
    track = next((DATA / "ko-release-planning").glob("*.flac"))
    cut = tmp_path / "cut.flac"
    cut.write_bytes(track.read_bytes()[:30_000])  # broken off in the middle, too
    code, out, err = moim("replay", cut, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["utterances"] == []
    assert told["gaps"]
    assert {gap["reason"] for gap in told["gaps"]} <= {"stt_error", "stt_timeout", "overload"}


@pytest.mark.usefixtures("moim", "deaf_engine")
def test_hours_of_silence_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "four-hours.flac"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("flac", rate=16_000, layout="mono")
        silence = np.zeros((1, 16_000 * 60), np.int16)
        for minute in range(240):
            frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
            frame.sample_rate, frame.pts = 16_000, minute * 16_000 * 60
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    # A process of its own, so that its peak is its own.
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, "replay", str(path), "--json"],
        capture_output=True,
        text=True,
        timeout=280,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["meeting"]["duration_ms"] == 4 * 3_600_000
    assert (told["utterances"], told["gaps"]) == ([], [])
    assert int(done.stderr.split()[-1]) < 400_000, "KiB: the sound, of 450,000, is not kept"


ODD_BUT_FINE = [
    line("출시일은 11월 20일로 결정하겠습니다.", start_ms=500_000, end_ms=400_000),
    line("And now to something earlier.", "Ann", start_ms=100_000, end_ms=101_000),
    line("Zero.", "Ann", start_ms=0, end_ms=0),
    line("NUL \0 and half \ud800 a character, and \ud83c\udf89 whole", "Ann\nBen"),
    line("שלום לכולם, החלטנו לדחות", "דנה"),
    line("السلام عليكم \u202eabc", "علي"),
    line("🎉🎉 축하합니다 👩‍👩‍👧 e" + "\u0301" * 50, "👩‍👩‍👧"),
    line("", "Ann"),
    line("두 사람이 같은 이름입니다.", "kim-1", name="김민지"),
    line("Two people of one name.", "kim-2", name="김민지"),
    line("x " * 30_000, "Ann"),
    line("가" * 30_000, "Ann"),
    line("1e999 {} <b>[#1]</b> **누가** (14:00:00): `x` | --- |", "Ann"),
]


def test_odd_lines_make_a_meeting(moim: Moim, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(ODD_BUT_FINE), encoding="utf-8")
    code, out, err = moim("replay", path, "--json", "--ask", "출시일이 언제로 결정됐지?")
    assert code == 0, err
    told = json.loads(out)
    assert len(told["utterances"]) == len(ODD_BUT_FINE) - 1
    assert all(u["end_ms"] >= u["start_ms"] >= 0 for u in told["utterances"])
    assert sorted(u["id"] for u in told["utterances"]) == list(range(1, len(ODD_BUT_FINE)))
    assert "\0" not in out
    out.encode()
    people = {p["id"]: p["name"] for p in told["participants"]}
    assert {people["kim-1"], people["kim-2"]} == {"김민지 (2)", "김민지 (3)"}, (
        "another one is called so already"
    )
    assert "11월 20일" in told["replies"][0]["text"]
    assert moim("replay", path, "--until", "5")[0] == 0


def test_several_transcripts_are_one_meeting_in_their_order(moim: Moim, tmp_path: Path) -> None:
    for name, texts in (
        ("a", ("첫 줄입니다.", "The second line.")),
        ("b", ("셋째 줄입니다.", "The fourth.")),
    ):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(line, texts)), encoding="utf-8")
    code, out, err = moim("replay", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--json")
    assert code == 0, err
    told = json.loads(out)["utterances"]
    assert [u["text"] for u in told] == ["첫 줄입니다.", "The second line.", "셋째 줄입니다.", "The fourth."]
    assert [u["source"] for u in told] == [[n, n] for n in range(4)]
    assert all(u["times_derived"] for u in told)
    assert all(after["start_ms"] > before["end_ms"] for before, after in itertools.pairwise(told))


def test_a_briefing_of_sound_has_no_lines(moim: Moim, tmp_path: Path) -> None:
    """Its words are known only once an engine has heard them."""
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"id": 1, "query": "What was decided?", "at": 3}', encoding="utf-8")
    code, out, err = moim("briefing", DATA / "en-sprint-review", "--queries", queries, "--budget", 50)
    assert (code, out) == (2, "")
    assert "a recording of sound has none" in err
    queries.write_text('{"id": 1, "query": "What was decided?"}', encoding="utf-8")
    code, out, err = moim("briefing", DATA / "en-sprint-review", "--queries", queries, "--budget", 50)
    assert (code, out) == (2, "")
    assert "STT_ENGINE=none transcribes nothing" in err
    one_clear_line(err)


def test_a_briefing_answers_each_question_under_its_own_id(moim: Moim, tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text(
        "\n".join(map(line, ("출시는 금요일.", "The venue is Seoul."))), "utf-8"
    )
    asked = [
        {"id": 7, "query": "출시는 언제죠?", "at": None},
        {"id": "7", "query": "Where is it?", "at": 1.0},
        {"id": "later", "query": "Where is it?", "at": 99},
        {"id": "before", "query": "Where is it?", "at": 0},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)), "utf-8")
    code, out, err = moim(
        *("briefing", tmp_path / "m.jsonl", "--queries", tmp_path / "q.jsonl", "--budget", 100, "--json")
    )
    assert code == 0, err
    rows = [json.loads(row) for row in out.splitlines()]
    assert [(row["id"], row["lines"]) for row in rows] == [
        (7, [0, 1]),
        ("7", [0]),
        ("later", [0, 1]),
        ("before", []),
    ]


@pytest.mark.postgres
async def test_a_restored_meeting_equals_the_live_one_whatever_was_said(
    database: Database, moim: Moim, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.url)
    path = tmp_path / "회의 'a'.jsonl"
    path.write_text("\n".join(ODD_BUT_FINE), encoding="utf-8")
    code, out, err = await asyncio.to_thread(moim, "replay", path, "--record", "--json")
    assert code == 0, err
    live = json.loads(out)
    pool = PostgresPool(database.url)
    for with_snapshot in (True, False):
        stored = await PostgresStore(pool).load(path.stem, use_snapshot=with_snapshot)
        assert stored is not None
        meeting, _ = rebuild(stored, path.stem, ContextConfig())
        restored = json.loads(json.dumps(document(meeting, private=True)))
        assert restored["utterances"] == live["utterances"]
        assert restored["topics"] == live["topics"]
        assert restored["participants"] == live["participants"]
    await pool.aclose()


AWAY = {"DATABASE_URL": f"postgresql://a:b@{NOWHERE}/x"}


@pytest.mark.parametrize(
    ("command", "environment", "code", "named"),
    [
        (("meetings",), {}, 2, "DATABASE_URL"),
        (("meetings",), AWAY, 3, "Postgres cannot be reached"),
        (("meetings",), {"DATABASE_URL": "postgresql://a:b:c@h:port/x"}, 2, "DATABASE_URL"),
        (("export", "m", "--format", "md"), AWAY, 3, "Postgres"),
        (("end", "m"), AWAY, 3, "Postgres"),
        (("ask", "m", "언제?"), AWAY, 3, "Postgres"),
        (("dispatch", "회의실"), AWAY, 3, "Postgres"),
        (("dispatch", "room\nname"), AWAY, 2, "control characters"),
        (("dispatch", "회" * 86), AWAY, 2, "256 bytes"),
        (("dispatch", ".."), AWAY, 2, "must not be .."),
        (("dispatch", "--text", "--meeting", "."), AWAY, 2, "must not be ."),
        (("consent", "m", "..", "no"), AWAY, 2, "must not be .."),
        (("erase", "--person", ".."), AWAY, 2, "must not be .."),
        (("person", ".."), AWAY, 2, "must not be .."),
        (("dispatcher",), AWAY, 2, "LIVEKIT_"),
        (("replay", "/no/such/file.vtt"), {}, 2, "no such file"),
        (("meetings",), {"MOIM_HTTP_PORT": "99999999999999999999"}, 2, "MOIM_HTTP_PORT"),
    ],
)
def test_a_missing_part_is_one_line(  # noqa: PLR0917 - fixtures and parameters
    moim: Moim,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    environment: dict[str, str],
    code: int,
    named: str,
) -> None:
    for name in ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found, out, err = moim(*command)
    assert (found, out) == (code, ""), err
    one_clear_line(err)
    assert named in err


@pytest.mark.postgres
@pytest.mark.parametrize(
    "meeting_id", ["a/b", "q\"uo'te", "주간 회의", "회" * 200, "../../etc", "a%00b", "  x"]
)
async def test_any_printable_id_is_a_meeting(
    database: Database, moim: Moim, monkeypatch: pytest.MonkeyPatch, meeting_id: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.url)
    code, out, err = await asyncio.to_thread(moim, "dispatch", "--text", "--meeting", meeting_id)
    assert code == 0, err
    assert json.loads(out) == {"meeting_id": meeting_id.strip(), "room": None}
    assert (await asyncio.to_thread(moim, "end", meeting_id.strip()))[0] == 0


@pytest.mark.postgres
@pytest.mark.parametrize("meeting_id", ["", "a\nb", "a\0b", "회" * 201, "\ud800"])
async def test_what_is_no_id_is_told(
    database: Database, moim: Moim, monkeypatch: pytest.MonkeyPatch, meeting_id: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.url)
    code, out, err = await asyncio.to_thread(moim, "dispatch", "--text", "--meeting", meeting_id)
    assert (code, out) == (2, "")
    one_clear_line(err)


@pytest.mark.postgres
async def test_a_wrong_password_is_a_wrong_setting(
    database: Database, moim: Moim, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, _, tail = database.url.rpartition("@")
    monkeypatch.setenv("DATABASE_URL", f"{head[:-5]}wrong@{tail}")
    code, out, err = await asyncio.to_thread(moim, "meetings")
    assert (code, out) == (2, "")
    one_clear_line(err)
    assert "check the password in DATABASE_URL" in err
    assert "wrong" not in err.replace("wrong@", ""), "the password itself is never shown"
