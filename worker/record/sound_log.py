"""The sound log: what a job has heard and not written yet, kept where it outlives the job's process.

Theory of operation. A stretch of speech is text when it has ended and the engine has answered; a job that
is killed before that takes it along. So each frame that a track hears is also written to a file of this
machine, in memory (`/dev/shm`: nothing ever reaches a disk, and a write takes some microseconds), and
whoever holds the meeting next *on this machine* hears it from where the record ends
(`worker.holder.takeover`).

A log is a folder per meeting with files (*pieces*) of 5 s, named by their holder's epoch. A piece is removed
once all of it has been text for 10 s, at the latest after 2 minutes; all are removed when the holder stops in
good order, and when a successor has taken them up (and has written what it took into its own). What nobody
takes up is removed by this machine's workers (`sweep`) after 10 minutes. Only this user can read it.

What is off the record is never written, only how long it was; so is digital silence. A log that can't be
written is logged once and tried again with the next piece; the meeting goes on without.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import structlog

from stt.sound import MOST_KEPT_S, Frame
from worker.configuration.settings import Settings

log = structlog.get_logger(__name__)

PIECE_S: Final = 5.0
"""The length of a piece."""
WRITTEN_FOR_S: Final = 10.0
"""A piece is removed when it has been text for so long: then it is on the record, or in the spool."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of one meeting: 17 people who all speak for two minutes."""
TAKEN_UP_WITHIN_S: Final = 600.0
"""Older sound is not heard again, and removed."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own in it, checked by `prepare_root`
_SUFFIX: Final = ".sound"
_HEAD: Final = struct.Struct("<BHId")
"""Head of an entry: kind, number of the track in this piece, bytes, arrival on the monotonic clock."""
_TRACK, _SOUND, _SILENCE = range(3)
"""The kinds of entries: names a track, a frame with its PCM, a frame of silence with its length alone."""


@dataclass(frozen=True, slots=True)
class KeptTrack:
    """The kept sound of one track, in order."""

    participant: str
    track_id: str
    frames: tuple[Frame, ...]

    @property
    def from_s(self) -> float:
        """When its first sample was spoken, on the machine's monotonic clock."""
        return self.frames[0].arrived_s - len(self.frames[0].pcm) / 32_000

    @property
    def until_s(self) -> float:
        """When its last frame arrived, on the same clock."""
        return self.frames[-1].arrived_s


@dataclass(slots=True)
class _Piece:
    path: Path
    fd: int
    since_s: float
    until_s: float
    size: int
    tracks: dict[str, int]


class SoundLog:
    """One holder's log of its meeting's sound. Implements `stt.track.SoundKeeper`; for one thread."""

    def __init__(self, folder: Path, epoch: int) -> None:
        """`folder` is the meeting's (`folder_of`); it is made when there is sound."""
        self._folder, self._epoch = folder, epoch
        self.needed_from_s: Callable[[], float | None] = lambda: None
        """Asked at each new piece: when the oldest sound began that is no text yet; None: all is text."""
        self._pieces: deque[_Piece] = deque()
        self._writing: _Piece | None = None
        self._number = 0
        self._failed_until_s = 0.0
        self._told = self._over = False

    @property
    def size_bytes(self) -> int:
        """How many bytes are kept now."""
        return sum(piece.size for piece in self._pieces)

    def keep(self, participant: str, track_id: str, pcm: bytes, arrived_s: float) -> None:
        """See `SoundKeeper.keep`."""
        if self._over or arrived_s < self._failed_until_s:
            return
        try:
            piece = self._piece(arrived_s)
            number = piece.tracks.get(track_id)
            if number is None:
                number = piece.tracks[track_id] = len(piece.tracks)
                name = json.dumps([participant, track_id]).encode()
                self._write(piece, _HEAD.pack(_TRACK, number, len(name), 0.0) + name)
            silent = pcm.count(0) == len(pcm)
            head = _HEAD.pack(_SILENCE if silent else _SOUND, number, len(pcm), arrived_s)
            self._write(piece, head if silent else head + pcm)
            piece.until_s = max(piece.until_s, arrived_s)
        except (OSError, struct.error) as error:
            self._end_piece()
            self._failed_until_s = arrived_s + PIECE_S
            if not self._told:
                self._told = True
                log.warning("sound_not_kept", folder=str(self._folder), error=str(error))

    def left_by_predecessors(self, now_s: float) -> tuple[KeptTrack, ...]:
        """Read what holders of lower epochs heard on this machine and left, by track. Blocking.

        `now_s` is the present on the monotonic clock. Where several holders kept a track, the newest one's
        log counts from where it begins: it has written again what it took up.
        """
        found: dict[str, list[Frame]] = {}
        whose: dict[str, str] = {}
        for pieces in reversed(_by_epoch(self._folder, self._epoch)):
            frames: dict[str, list[Frame]] = {}
            for path in pieces:
                for participant, track_id, frame in _read(path):
                    # A clock of before a restart is another.
                    if now_s - TAKEN_UP_WITHIN_S < frame.arrived_s <= now_s:
                        frames.setdefault(track_id, []).append(frame)
                        whose[track_id] = participant
            for track_id, older in frames.items():
                newer = found.get(track_id, [])
                until_s = newer[0].arrived_s if newer else inf
                found[track_id] = [frame for frame in older if frame.arrived_s < until_s] + newer
        return tuple(
            KeptTrack(whose[id_], id_, tuple(frames)) for id_, frames in sorted(found.items()) if frames
        )

    def remove_predecessors_sound(self) -> None:
        """Remove the logs of lower epochs, once we keep what we took up of them ourselves. Blocking."""
        for pieces in _by_epoch(self._folder, self._epoch):
            for path in pieces:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        _remove_empty(self._folder)

    def remove(self) -> None:
        """Remove this holder's log for good: what it heard is text, or somebody else's. Blocking."""
        self._over = True
        self._end_piece()
        while self._pieces:
            self._drop_oldest()
        _remove_empty(self._folder)

    def _piece(self, now_s: float) -> _Piece:
        """The piece to write to; every 5 s a new one, with old ones removed that nobody needs any more."""
        if self._writing is not None and now_s < self._writing.since_s + PIECE_S:
            return self._writing
        self._end_piece()
        needed_s = self.needed_from_s()
        old_s = (now_s if needed_s is None else min(needed_s, now_s)) - WRITTEN_FOR_S
        old_s = max(old_s, now_s - MOST_KEPT_S)
        while self._pieces and (self._pieces[0].until_s < old_s or self.size_bytes > MOST_BYTES):
            self._drop_oldest()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{self._epoch:010d}-{self._number:08d}-{os.getpid()}{_SUFFIX}"
        self._number += 1
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._writing = _Piece(path, fd, now_s, now_s, 0, {})
        self._pieces.append(self._writing)
        return self._writing

    def _write(self, piece: _Piece, data: bytes) -> None:
        if os.write(piece.fd, data) < len(data):
            raise OSError("no room is left")
        piece.size += len(data)

    def _end_piece(self) -> None:
        if self._writing is not None:
            os.close(self._writing.fd)
            self._writing = None

    def _drop_oldest(self) -> None:
        with suppress(OSError):
            self._pieces.popleft().path.unlink(missing_ok=True)


def sound_log_of(settings: Settings, meeting_id: str, epoch: int) -> SoundLog | None:
    """Make a holder's log of its meeting; None where no sound is to be kept (`MOIM_SOUND_DIR`) or can be."""
    root = root_of(settings.process.sound_dir, settings.process.state_dir)
    if root is None or not prepare_root(root):
        return None
    record = urlsplit(settings.database.url.get_secret_value())
    where = f"{record.hostname}:{record.port}{record.path}"  # other records may have the same ids
    return SoundLog(folder_of(root, where, settings.agent.tenant, meeting_id), epoch)


def root_of(wish: str, state_dir: Path) -> Path | None:
    """The folder of all logs of this machine, by `MOIM_SOUND_DIR` (`wish`); None: no sound is to be kept."""
    if wish == "none":
        return None
    if wish != "auto":
        return Path(wish)
    return _MEMORY / f"moim-{os.geteuid()}" if _MEMORY.is_dir() else state_dir / "sound"


def folder_of(root: Path, *names: str) -> Path:
    """The folder of a meeting's log; `names` tell it from every other meeting of this machine."""
    return root / hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def prepare_root(root: Path) -> bool:
    """Make the folder of all logs, if it is missing. False: it can't be made, or others may read it."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = root.lstat()
    except OSError as error:
        log.warning("sound_not_kept", folder=str(root), error=str(error))
        return False
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
        return True
    log.warning("sound_not_kept", folder=str(root), error="it is to be a folder of this user's alone (0700)")
    return False


def sweep(root: Path, now_utc_s: float) -> int:
    """Remove pieces that nobody has written to for 10 minutes; returns how many. Blocking."""
    removed = 0
    for path in root.glob(f"*/*{_SUFFIX}"):
        with suppress(OSError):
            if path.stat().st_mtime < now_utc_s - TAKEN_UP_WITHIN_S:
                path.unlink(missing_ok=True)
                removed += 1
                _remove_empty(path.parent)
    return removed


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # another holder's sound is in it, or it is gone
        folder.rmdir()


def _by_epoch(folder: Path, before_epoch: int) -> list[list[Path]]:
    """List the pieces of lower epochs in the order in which they were written, one list for each epoch."""
    holders: dict[int, list[Path]] = {}
    pieces: list[Path] = []
    with suppress(OSError):  # nobody kept anything
        pieces = sorted(folder.iterdir())  # not glob: in each job it would make patterns first, 0.2 MB
    for path in pieces:
        epoch = path.name.partition("-")[0]
        if path.suffix == _SUFFIX and epoch.isdigit() and int(epoch) < before_epoch:
            holders.setdefault(int(epoch), []).append(path)
    return [holders[epoch] for epoch in sorted(holders)]


def _read(path: Path) -> Iterator[tuple[str, str, Frame]]:
    """Yield (participant, track id, frame) of a piece, up to where its writer was killed."""
    try:
        data = path.read_bytes()
    except OSError:
        return
    names: dict[int, tuple[str, str]] = {}
    at = 0
    while at + _HEAD.size <= len(data):
        kind, number, size, arrived_s = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        content = b"" if kind == _SILENCE else data[at : at + size]
        at += len(content)
        if kind != _SILENCE and len(content) < size:
            return
        if kind == _TRACK:
            participant, track_id = json.loads(content)
            names[number] = participant, track_id
        elif number in names:
            yield *names[number], Frame(content or bytes(size), arrived_s)
