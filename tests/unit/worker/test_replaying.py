"""Files through the pipeline: deterministic, causal, honest about their lines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stt.files.audio import BadInput
from worker.errors import InputError
from worker.replaying import read_recording

DATA = Path(__file__).parents[2] / "data/meetings"


def moim(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: PLW1510  # the exit code is what is looked at
        [sys.executable, "-m", "worker", *args], capture_output=True, text=True, cwd=cwd, timeout=120
    )


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


def replayed(path: Path, *args: str) -> dict[str, Any]:
    done = moim("replay", str(path), "--json", *args, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_every_line_is_one_utterance_and_twice_is_the_same(transcript: Path) -> None:
    once, again = replayed(transcript), replayed(transcript)
    assert once == again
    lines = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    assert [u["text"] for u in once["utterances"]] == [line["text"] for line in lines]
    assert [u["source"] for u in once["utterances"]] == [[i, i] for i in range(len(lines))]
    assert once["meeting"]["status"] == "ended"


def test_a_prefix_gives_the_same_topics(transcript: Path) -> None:
    whole = replayed(transcript)
    for until in (5, 12, 20):
        part = replayed(transcript, "--until", str(until))
        assert part["meeting"]["status"] == "live"
        assert len(part["utterances"]) == until
        decided = [t for t in whole["topics"] if t["decided_after"] <= until]
        assert [t["first_utterance"] for t in part["topics"]] == [t["first_utterance"] for t in decided]


def test_mistakes_are_one_line_and_exit_2(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"speaker": "a", "text": "ok"}\n{"speaker": 1}\n', "utf-8")
    unknown = tmp_path / "notes.docx"
    unknown.write_bytes(b"x")
    for args in (
        ["replay", str(tmp_path / "none.vtt")],
        ["replay", str(bad)],
        ["replay", str(unknown)],
        ["replay", str(bad), "--until", "-1"],
        ["briefing", str(bad), "--queries", str(bad), "--budget", "0"],
    ):
        done = moim(*args, cwd=tmp_path)
        assert done.returncode == 2, (args, done.stderr)
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert "Traceback" not in done.stderr


def test_a_briefing_keeps_its_budget_and_knows_its_lines(transcript: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "a", "query": "출시일이 언제로 결정됐지?", "at": 12}\n'
        '{"id": "b", "query": "What about the second server?"}\n',
        "utf-8",
    )
    copied = shutil.copy(transcript, tmp_path / transcript.name)
    done = moim("briefing", str(copied), "--queries", str(queries), "--budget", "200", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert max(first["lines"]) < 12
    for row in (first, second):
        assert 0 < row["tokens"] <= 200
        assert len(row["text"].split()) * 1.3 <= 220
        assert row["lines"] == [i - 1 for i in row["utterances"]]


def test_a_file_that_is_no_recording_is_the_one_that_is_named(tmp_path: Path) -> None:
    transcript, sound, notes = tmp_path / "a.vtt", tmp_path / "b.wav", tmp_path / "회의.docx"
    for path in (transcript, sound, notes):
        path.touch()
    with pytest.raises(InputError, match=r"회의\.docx: give"):
        read_recording([transcript, notes])
    with pytest.raises(InputError, match="not mixed"):
        read_recording([transcript, sound])
    with pytest.raises(BadInput, match=r"meeting\.json: missing.*name the files"):
        read_recording([tmp_path])
