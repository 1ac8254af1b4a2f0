"""The spool on the disk: any meeting's id, a full disk, half a line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.worker.record.recorded import spoken
from worker.file_names import file_name
from worker.record.spool import Spool, SpoolOwner, hold, read_orphan

IDS = [
    "m-1",
    "../../etc/passwd",
    "a/b",
    "q\"uo'te",
    "line\nbreak",
    "주간 회의",
    "회" * 200,
    ".",
    "..",
    "a" * 300,
    "\ud800",
]


@pytest.mark.parametrize("meeting_id", IDS)
def test_any_id_has_a_spool_inside_the_folder(tmp_path: Path, meeting_id: str) -> None:
    spool = Spool(tmp_path / "spool", meeting_id)
    assert spool.read() == []
    spool.append([spoken(1), spoken(2, "Hello there")])
    assert spool.path.resolve().parent == (tmp_path / "spool").resolve()
    assert spool.read() == [spoken(1), spoken(2, "Hello there")]
    spool.clear()
    assert spool.read() == []


@given(st.lists(st.text(st.characters(codec=None), min_size=1, max_size=200), min_size=2, unique=True))
def test_two_ids_have_two_files(ids: list[str]) -> None:
    assert len({file_name(meeting_id) for meeting_id in ids}) == len(ids)
    assert all(len(file_name(meeting_id).encode()) <= 100 for meeting_id in ids)


def test_a_full_disk_is_an_error_and_leaves_what_was_there(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "m-1")
    spool.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        spool.append([spoken(1)])


def test_half_a_line_does_not_hide_what_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path, "m-1")
    spool.append([spoken(1)])

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("worker.record.spool.os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            spool.append([spoken(2)])
    spool.append([spoken(3)])
    assert [recorded.seq for recorded in spool.read()] == [1, 3]


def test_a_line_cut_short_by_a_crash_is_left_out(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "m-1")
    spool.append([spoken(1)])
    for broken in (b'{"seq": 2, "versi', b"[1]\n", b'{"seq":2,"version":"x","event":3}\n', b"\xff\xfe\n"):
        kept = spool.path.read_bytes()
        spool.path.write_bytes(kept + broken)
        assert spool.read() == [spoken(1)]
        spool.path.write_bytes(kept)


def test_what_a_successor_adds_behind_a_line_cut_short_is_read(tmp_path: Path) -> None:
    """A crash of the machine in the middle of a write, and the database away again before the spool was empty."""
    spool = Spool(tmp_path, "m-1")
    spool.append([spoken(1), spoken(2, "Hello there")])
    spool.let_go()
    with spool.path.open("ab") as file:
        file.write(b'{"seq": 3, "vers')
    successor = Spool(tmp_path, "m-1")
    assert successor.claim()
    assert [recorded.seq for recorded in successor.read()] == [1, 2]
    successor.append([spoken(3, "나중에 한 말"), spoken(4)])
    successor.let_go()
    with hold(spool.path) as file:
        owner, events_ = read_orphan(file)
    assert owner == SpoolOwner("m-1", "default")
    assert events_ == [spoken(1), spoken(2, "Hello there"), spoken(3, "나중에 한 말"), spoken(4)]


def test_a_new_spool_is_on_the_disk_by_its_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    fsync = os.fsync

    def noted(fd: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(fd).st_mode))
        fsync(fd)

    monkeypatch.setattr("worker.record.spool.os.fsync", noted)
    spool = Spool(tmp_path, "m-1")
    spool.append([spoken(1)])
    spool.append([spoken(2)])
    assert synced == [False, True, False]


def test_what_a_thread_does_too_late_does_not_touch_the_successors_spool(tmp_path: Path) -> None:
    """One process, many meetings: a job that was cancelled, and the next one of the same meeting."""
    old, new = Spool(tmp_path, "m-1"), Spool(tmp_path, "m-1")
    old.append([spoken(1)])
    old.let_go()
    assert new.claim()
    new.append([spoken(2)])
    old.clear()
    with pytest.raises(OSError, match="let go"):
        old.append([spoken(3)])
    assert new.read() == [spoken(1), spoken(2)]
    assert list(tmp_path.iterdir()) == [new.path]
