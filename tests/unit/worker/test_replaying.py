"""Files through the pipeline, and the questions of a briefing: deterministic, causal, honest about their lines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from stt.files.bad_input import BadInput
from tests.command_line import call
from tests.unit.cases import cases
from tests.unit.stt.audio import write_tracks
from worker.commands.briefing import _read_queries
from worker.errors import InputError
from worker.replaying import began_on, read_recording

DATA = Path(__file__).parents[2] / "data/meetings"


@pytest.fixture(scope="module", params=["ko-release-planning", "en-sprint-review"])
def transcript(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    meeting = json.loads((DATA / f"{request.param}.json").read_text("utf-8"))
    path = tmp_path_factory.mktemp("replay") / f"{request.param}.jsonl"
    names = {key: value["name"] for key, value in meeting["participants"].items()}
    rows = [
        {
            "speaker": names[line["speaker"]],
            "text": line["text"],
            "start_ms": round(line["start_s"] * 1000),
            "end_ms": round(line["end_s"] * 1000),
        }
        for line in meeting["lines"]
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def whole(transcript: Path) -> dict[str, Any]:
    """The transcript replayed to its end."""
    return replayed(transcript)


def replayed(path: Path, *args: str) -> dict[str, Any]:
    done = call("replay", str(path), "--json", *args, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_every_line_is_one_utterance_and_another_process_finds_the_same(
    transcript: Path, whole: dict[str, Any]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "worker", "replay", str(transcript), "--json"],
        capture_output=True,
        text=True,
        cwd=transcript.parent,
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout) == whole
    lines = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    assert [u["text"] for u in whole["utterances"]] == [line["text"] for line in lines]
    assert [u["source"] for u in whole["utterances"]] == [[i, i] for i in range(len(lines))]
    assert whole["meeting"]["status"] == "ended"


def test_a_prefix_gives_the_same_topics(transcript: Path, whole: dict[str, Any]) -> None:
    for until in (5, 20):
        part = replayed(transcript, "--until", str(until))
        assert part["meeting"]["status"] == "live"
        assert len(part["utterances"]) == until
        decided = [t for t in whole["topics"] if t["decided_after"] <= until]
        assert [t["first_utterance"] for t in part["topics"]] == [t["first_utterance"] for t in decided]


def test_a_briefing_keeps_its_budget_and_knows_its_lines(transcript: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "a", "query": "출시일이 언제로 결정됐지?", "at": 12}\n'
        '{"id": "b", "query": "What about the second server?"}\n',
        "utf-8",
    )
    copied = shutil.copy(transcript, tmp_path / transcript.name)
    arguments = ("--queries", str(queries), "--budget", "200", "--json")
    done = call("briefing", str(copied), *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert max(first["lines"]) < 12
    for row in (first, second):
        assert 0 < row["tokens"] <= 200
        assert len(row["text"].split()) * 1.3 <= 220
        assert row["lines"] == [i - 1 for i in row["utterances"]]


def test_a_file_that_is_no_recording_is_the_one_that_is_named(tmp_path: Path) -> None:
    transcript, sound, notes = tmp_path / "a.vtt", tmp_path / "b.wav", tmp_path / "회의.hwp"
    for path in (transcript, sound, notes):
        path.touch()
    with pytest.raises(InputError, match=r"회의\.hwp: give"):
        read_recording([transcript, notes])
    with pytest.raises(InputError, match="not mixed"):
        read_recording([transcript, sound])
    with pytest.raises(BadInput, match=r"meeting\.json: missing.*name the files"):
        read_recording([tmp_path])


def test_each_sound_track_of_a_file_is_a_participant(tmp_path: Path) -> None:
    told: list[str] = []
    path = write_tracks(tmp_path / "weekly.mka", ("마이크", 1, 0), ("", 2, 0), ("마이크", 3, 0))
    recording = read_recording([path], told.append)
    assert [(track.name, track.stream) for track in recording.tracks] == [
        ("마이크", 0),
        ("weekly 2", 1),
        ("마이크", 2),
    ]
    assert len({track.participant for track in recording.tracks}) == 3
    (line,) = told
    assert "마이크, weekly 2, 마이크" in line
    assert "-map 0:a:0" in line


def test_a_file_with_one_sound_track_is_one_participant_and_nothing_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    path = write_tracks(tmp_path / "weekly.mkv", ("Stereo mix", 1, 0))
    (track,) = read_recording([path], told.append).tracks
    assert (track.participant, track.name, track.stream, told) == ("weekly", "weekly", 0, [])


DATED = "민지: 내일까지 보고서를 보내 주세요.\nBen: We decided to ship it by Friday.\n"


def test_a_meeting_whose_day_is_told_has_dates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOIM_TIME_ZONE", "Asia/Seoul")
    (tmp_path / "a.txt").write_text(DATED, "utf-8")
    told = replayed(tmp_path / "a.txt", "--date", "2026-03-02T00:30")
    assert told["meeting"]["started_at"] == "2026-03-01T15:30:00.000Z"
    assert told["meeting"]["time_zone"] == "Asia/Seoul"
    statements = [row for topic in told["topics"] for row in (*topic["decisions"], *topic["pending"])]
    assert "2026-03-03" in {row.get("due_date") for row in statements}


def test_a_meeting_whose_day_nobody_tells_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(DATED, "utf-8")
    for pace in ((), ("--realtime",)):
        told = replayed(tmp_path / "a.txt", *pace)
        assert (told["meeting"]["started_at"], told["meeting"]["ended_at"]) == (None, None)
        assert "1970" not in json.dumps(told)
        assert "due_date" not in json.dumps(told)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-02", datetime(2026, 3, 1, 15, tzinfo=UTC)),
        ("2026-03-02T10:02", datetime(2026, 3, 2, 1, 2, tzinfo=UTC)),
        ("2026-03-02T10:02:30Z", datetime(2026, 3, 2, 10, 2, 30, tzinfo=UTC)),
        ("2026-03-02T10:02-05:00", datetime(2026, 3, 2, 15, 2, tzinfo=UTC)),
    ],
)
def test_a_day_is_read_in_the_zone_of_the_settings(text: str, moment: datetime) -> None:
    assert began_on(text, ZoneInfo("Asia/Seoul")) == moment


@pytest.mark.parametrize(
    "text",
    ["", "내일", "2026-02-30", "20260302", "02.03.2026", "2026-03-02T25:00", "1970-01-01", "0001-01-01",
     "9999-12-31T23:59-05:00", "2026-03-02 ", "２０２６-03-02"],
)  # fmt: skip
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--date .*2026-03-02"):
        began_on(text, ZoneInfo("Asia/Seoul"))


def questions(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "q.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_questions_come_in_the_encodings_that_transcripts_come_in(tmp_path: Path, encoding: str) -> None:
    text = '{"id":"q1","query":"출시일이 언제죠?"}\n\n{"id":2,"query":"When do we ship?","at":3}\n'
    first, second = _read_queries(questions(tmp_path, text.encode(encoding)), 9)
    assert (first.id, first.text, first.at) == ("q1", "출시일이 언제죠?", 9)
    assert (second.id, second.text, second.at) == (2, "When do we ship?", 3)  # as given


@cases
def test_what_is_no_question_is_named_with_its_line(line: str, why: str, tmp_path: Path) -> None:
    path = questions(tmp_path, '{"id":"q0","query":"왜?"}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        _read_queries(path, 9)
    assert str(caught.value).startswith(f"{path}:2: {why}")
    assert "\n" not in str(caught.value)


def test_a_file_without_questions_or_that_is_none_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _read_queries(questions(tmp_path, "\n"), 9) == []
    assert "holds no question" in capsys.readouterr().err
    for path, why in ((tmp_path, "is a folder"), (tmp_path / "nope", "can't be read")):
        with pytest.raises(BadInput, match=why):
            _read_queries(path, 9)


@cases
def test_no_decision_strikes_out_one_of_another_matter(
    lines: tuple[str, ...], decided: int, tmp_path: Path
) -> None:
    path = tmp_path / "meeting.txt"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    made = [each for topic in replayed(path)["topics"] for each in topic["decisions"]]
    assert len(made) == decided
    assert not any(each.get("superseded_by") or "takes_up" in each for each in made), made


@cases
def test_a_decision_that_takes_up_another_is_shown_beside_it(lines: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "meeting.txt"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    made = [each for topic in replayed(path)["topics"] for each in topic["decisions"]]
    old, *_, new = made
    assert new["takes_up"] == old["evidence"][-1:]
    assert all(each["status"] == "decided" for each in made), "both stand"
