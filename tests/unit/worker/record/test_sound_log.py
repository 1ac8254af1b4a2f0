"""What a job heard and had not written outlives it on its machine: bounded, private, gone when it is not needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from stt.sound import Frame
from worker.record.left_speech import Whose
from worker.record.sound_log import (
    KEPT_FOR_S,
    SoundLog,
    abandoned,
    folder_of,
    prepare_root,
    root_of,
    sweep,
)

SOUND = b"\x01\x02" * 800
"""50 ms."""
MUTED = bytes(1600)


def speak(
    log: SoundLog, from_s: float, to_s: float, *, track: str = "TR_1", who: str = "민지"
) -> list[Frame]:
    frames = [Frame(SOUND, round(from_s + n * 0.05, 3)) for n in range(round((to_s - from_s) / 0.05))]
    for frame in frames:
        log.keep(who, track, *frame)
    return frames


def pieces(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sound"))


def test_what_a_killed_job_heard_is_there_for_the_next(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "m", 1)
    frames = speak(log, 100, 108)
    log.keep("ben", "TR_2", MUTED, 108.0)
    ben, minji = sorted(
        SoundLog(tmp_path / "m", 2).left_by_predecessors(109.0), key=lambda track: track.participant
    )
    assert (minji.participant, minji.track_id, list(minji.frames)) == ("민지", "TR_1", frames)
    assert list(ben.frames) == [Frame(MUTED, 108.0)]
    assert minji.from_s == pytest.approx(99.95)


def test_a_holder_takes_up_nothing_of_its_own_nor_of_a_later_one(tmp_path: Path) -> None:
    speak(SoundLog(tmp_path, 3), 100, 101)
    assert SoundLog(tmp_path, 3).left_by_predecessors(102.0) == ()
    assert SoundLog(tmp_path, 2).left_by_predecessors(102.0) == ()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 40_000), seed=st.integers(0, 1000))
def test_a_piece_cut_anywhere_gives_its_whole_frames(tmp_path: Path, cut: int, seed: int) -> None:
    folder = tmp_path / f"{seed}-{cut}"
    dice = Random(seed)
    frames = [Frame(dice.choice([SOUND, MUTED]), 10 + n * 0.05) for n in range(20)]
    log = SoundLog(folder, 1)
    for frame in frames:
        log.keep("ben", "TR_1", *frame)
    (piece,) = pieces(folder)
    os.truncate(piece, min(cut, piece.stat().st_size))
    kept = SoundLog(folder, 2).left_by_predecessors(20.0)
    got = list(kept[0].frames) if kept else []
    assert got == frames[: len(got)]
    if cut >= sum(15 + len(f.pcm.strip(b"\0")) for f in frames) + 40:
        assert got == frames


def test_what_has_become_text_is_not_kept(tmp_path: Path) -> None:
    log = SoundLog(tmp_path, 1)
    speak(log, 100, 160)
    assert log.size_bytes <= 17 * 33_000, "10 s that may not be on record yet, and pieces of 5 s"
    (track,) = SoundLog(tmp_path, 2).left_by_predecessors(160.0)
    assert 143 <= track.frames[0].arrived_s <= 150


def test_what_waits_for_an_engine_is_kept_as_long_as_there_is_room(tmp_path: Path) -> None:
    log = SoundLog(tmp_path, 1)
    log.needed_from_s = lambda: 100.0
    speak(log, 100, 1300)
    (track,) = SoundLog(tmp_path, 2).left_by_predecessors(1300.0)
    assert track.frames[0].arrived_s == 100
    assert len(track.frames) == 1200 * 20


def test_a_crowd_is_bounded_in_bytes(tmp_path: Path) -> None:
    log = SoundLog(tmp_path, 1, most_mb=2)
    log.needed_from_s = lambda: 100.0
    for second in range(100, 130):
        for number in range(4):
            speak(log, second, second + 1, track=f"TR_{number}")
    on_disk = sum(path.stat().st_size for path in pieces(tmp_path))
    assert on_disk == log.size_bytes <= 2_000_000 + 4 * 33_000 * 5


def test_silence_and_what_is_off_the_record_leave_only_their_length(tmp_path: Path) -> None:
    log = SoundLog(tmp_path, 1)
    for number in range(1000):
        log.keep("ben", "TR_1", MUTED, 100 + number * 0.005)
    assert log.size_bytes < 20_000
    assert (
        sum(len(frame.pcm) for frame in SoundLog(tmp_path, 2).left_by_predecessors(106.0)[0].frames)
        == 1000 * 1600
    )


def test_it_is_for_this_user_alone(tmp_path: Path) -> None:
    root = tmp_path / "sound"
    assert prepare_root(root)
    log = SoundLog(folder_of(root, "db", "tenant", "m-1"), 1)
    speak(log, 1, 2)
    for path in [root, *root.rglob("*")]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    root.chmod(0o755)
    assert not prepare_root(root), "somebody else could read it"
    (tmp_path / "link").symlink_to(root)
    assert not prepare_root(tmp_path / "link")


def test_who_stops_in_good_order_leaves_nothing(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "m", 1)
    speak(log, 100, 130)
    log.remove()
    speak(log, 130, 131)
    assert not (tmp_path / "m").exists()


def test_a_chain_of_deaths_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """The second takes up what the first heard, writes it again, and dies before, while or after it lets go."""
    first = speak(SoundLog(tmp_path, 1), 100, 104)
    second = SoundLog(tmp_path, 2)
    for frame in first[30:]:
        second.keep("민지", "TR_1", *frame)
    more = speak(second, 105, 107)
    assert list(SoundLog(tmp_path, 3).left_by_predecessors(108.0)[0].frames) == first + more
    SoundLog(tmp_path, 2).remove_predecessors_sound()
    assert list(SoundLog(tmp_path, 3).left_by_predecessors(108.0)[0].frames) == first[30:] + more


def test_what_nobody_takes_up_is_removed_and_never_used(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    speak(SoundLog(folder, 1), 100, 101)
    (piece,) = pieces(folder)
    at_s = piece.stat().st_mtime
    assert SoundLog(folder, 2).left_by_predecessors(800.0) == (), "too old"
    assert SoundLog(folder, 2).left_by_predecessors(50.0) == (), (
        "of before the machine's restart: its clock began anew"
    )
    assert sweep(tmp_path, at_s + KEPT_FOR_S + 1) == 0, "its writer lives"
    piece.rename(piece.with_name(piece.name.replace(str(os.getpid()), "999999999")))
    assert sweep(tmp_path, at_s + KEPT_FOR_S - 1) == 0
    assert sweep(tmp_path, at_s + KEPT_FOR_S + 1) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_costs_the_meeting_nothing_and_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SoundLog(tmp_path, 1)
    write, full = os.write, True

    def small(fd: int, data: bytes) -> int:
        return write(fd, data[:100]) if full else write(fd, data)

    monkeypatch.setattr("worker.record.sound_log.os.write", small)
    with capture_logs() as told:
        speak(log, 100, 115)
        full = False
        frames = speak(log, 120, 121)
    assert [line["event"] for line in told].count("sound_not_kept") == 1
    assert list(SoundLog(tmp_path, 2).left_by_predecessors(122.0)[0].frames) == frames


def test_where_it_is_kept(tmp_path: Path) -> None:
    assert root_of("none", tmp_path) is None
    assert root_of("/run/sound", tmp_path) == Path("/run/sound")
    assert root_of("auto", tmp_path) in (Path(f"/dev/shm/moim-{os.geteuid()}"), tmp_path / "sound")
    assert folder_of(tmp_path, "db1", "t", "m") != folder_of(tmp_path, "db2", "t", "m")


def test_who_is_to_be_heard_no_more_leaves_no_sound(tmp_path: Path) -> None:
    log, own, other = SoundLog(tmp_path, 2), b"\x03\x04" * 800, b"\x05\x06" * 800
    before = SoundLog(tmp_path, 1)
    for number in range(300):
        at_s = 100 + number * 0.05
        for one in (before, log) if number < 100 else (log,):
            one.keep("민지", "TR_1", own, at_s)
            one.keep("ben", "TR_2", other, at_s)
    log.forget(lambda who, arrived_s: who == "민지" and arrived_s < 110)
    kept = b"".join(path.read_bytes() for path in pieces(tmp_path))
    assert kept.count(own) == 100
    assert log.size_bytes == sum(path.stat().st_size for path in pieces(tmp_path) if path.name[9] == "2")
    log.keep("민지", "TR_1", own, 115)
    minji, ben = SoundLog(tmp_path, 3).left_by_predecessors(115.0)
    assert len(minji.frames) == 301, "how long it was is still known"
    assert [frame.pcm.count(0) == len(frame.pcm) for frame in minji.frames] == [n < 200 for n in range(301)]
    assert all(frame.pcm == other for frame in ben.frames)


def test_a_log_is_abandoned_when_its_writer_is_dead_and_says_whose_it_is(tmp_path: Path) -> None:
    folder, whose = tmp_path / "m", Whose("here:5432/moim", "default", "m-1")
    log = SoundLog(folder, 1, whose=whose)
    frames = speak(log, 100, 107)
    assert list(SoundLog(folder, 2).left_by_predecessors(107.0)[0].frames) == frames
    later_s = max(path.stat().st_mtime for path in pieces(folder)) + 1
    assert abandoned(tmp_path, later_s) == {}, "we live"
    for path in pieces(folder):
        path.rename(path.with_name(path.name.replace(str(os.getpid()), "999999999")))
    assert abandoned(tmp_path, later_s - 60) == {}, "a successor may still come"
    assert abandoned(tmp_path, later_s) == {folder: whose}
    speak(SoundLog(folder, 2, whose=whose), 107, 108)
    assert abandoned(tmp_path, later_s + 60) == {}, "and it has come"
