from __future__ import annotations

import json
from pathlib import Path

import pytest

from stt.files.bad_input import BadInput
from stt.files.folder import read_folder
from tests.unit.cases import cases

DATA = Path(__file__).parents[3] / "data" / "audio"


def folder(tmp_path: Path, meeting: object) -> Path:
    (tmp_path / "a.flac").write_bytes(b"x")
    (tmp_path / "meeting.json").write_text(meeting if isinstance(meeting, str) else json.dumps(meeting))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "language", "first"),
    [("ko-release-planning", "ko", ("minji", "김민지")), ("en-sprint-review", "en", ("alice", "Alice"))],
)
def test_a_meeting_has_one_track_each(name: str, language: str, first: tuple[str, str]) -> None:
    meeting = read_folder(DATA / name)
    assert (meeting.id, meeting.language) == (name, language)
    assert meeting.tracks[0].participant == first[0]
    assert meeting.tracks[0].name.startswith(first[1])
    assert all(track.path.is_file() for track in meeting.tracks)


def test_the_truth_in_it_is_not_read(tmp_path: Path) -> None:
    meeting = read_folder(
        folder(tmp_path, {"participants": {"a": {"track": "a.flac"}}, "lines": "not a list"})
    )
    assert meeting.language == "auto"
    assert meeting.id == tmp_path.name
    assert meeting.tracks[0].name == "a"


@cases
def test_what_is_wrong_is_named(meeting: object, what: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        read_folder(folder(tmp_path, meeting))
    assert what in str(caught.value)
    assert str(tmp_path / "meeting.json") in str(caught.value)
    (tmp_path / "meeting.json").unlink()
    with pytest.raises(BadInput, match="missing"):
        read_folder(tmp_path)
