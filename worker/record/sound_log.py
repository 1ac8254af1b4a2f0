"""The sound log: what a job has heard and not written yet, kept where it outlives the job's process.

Theory of operation. A stretch of speech is text when it has ended and the engine has answered; a job that
is killed before that takes it along. So each frame that a track hears is also written to a file of this
machine, in memory (`/dev/shm`: nothing ever reaches a disk, and a write takes some microseconds), and
whoever holds the meeting next *on this machine* hears it from where the record ends
(`worker.holder.takeover`).

A log is a folder per meeting with files (*pieces*) of 5 s, named by their holder's epoch. A piece is removed
once all of it has been text for 10 s, or where the log is larger than what may wait (`STT_KEPT_MB`), oldest
first; all are removed when the holder stops in good order (what waits then is left as `left_speech`), and
when a successor has taken them up (and has written what it took into its own). Where nobody takes them up, as
the meeting has ended or goes on elsewhere, this machine's workers make left speech of them
(`worker.holder.late_speech`), and remove what they cannot use (`sweep`). Only this user can read it.

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

from stt.backlog import KEPT_MB
from stt.sound import Frame
from stt.track_events import LeftStretch
from worker.configuration.settings import Settings
from worker.record.left_speech import Whose, write_left

log = structlog.get_logger(__name__)

PIECE_S: Final = 5.0
"""The length of a piece."""
WRITTEN_FOR_S: Final = 10.0
"""A piece is removed when it has been text for so long: then it is on the record, or in the spool."""
_MB: Final = 1_000_000
TAKEN_UP_WITHIN_S: Final = 600.0
"""A log that nobody has written to for so long is not heard again by a holder."""
KEPT_FOR_S: Final = 6 * 3600.0
"""Sound that is older, and whose writer is dead, is removed."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own in it, checked by `prepare_root`
_SUFFIX: Final = ".sound"
_HEAD: Final = struct.Struct("<BHId")
"""Head of an entry: kind, number of the track in this piece, bytes, arrival on the monotonic clock."""
_TRACK, _SOUND, _SILENCE, _WHOSE = range(4)
"""The kinds of entries: names a track, a frame with its PCM, a frame of silence with its length alone, and
whose meeting it is."""
Forgets = Callable[[str, float], bool]
"""(participant, when a frame arrived) -> whether that frame is to be forgotten."""


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

    def __init__(
        self, folder: Path, epoch: int, *, most_mb: float = KEPT_MB, whose: Whose | None = None
    ) -> None:
        """`folder` is the meeting's (`folder_of`); it is made when there is sound.

        `whose` meeting it is, so that somebody else may find out; None: nothing can be left here.
        """
        self._folder, self._epoch, self._whose = folder, epoch, whose
        self._most_bytes = int(most_mb * _MB)
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

    def leave(self, left: LeftStretch) -> bool:
        """See `SoundKeeper.leave`. Blocking, for a moment: it is memory."""
        if self._whose is None:
            return False
        try:
            write_left(self._folder, self._whose, left)
        except OSError as error:
            log.warning("speech_not_left", key=left.stretch.key, error=str(error))
            return False
        return True

    def forget(self, forgets: Forgets) -> None:
        """Silence frames that are kept: their speakers want them heard no more. Blocking."""
        self._end_piece()
        for piece in self._pieces:
            piece.size = silence(piece.path, forgets)
        for pieces in _by_epoch(self._folder, self._epoch):
            for path in pieces:
                silence(path, forgets)

    def left_by_predecessors(self, now_s: float) -> tuple[KeptTrack, ...]:
        """Read what holders of lower epochs heard on this machine and left, by track. Blocking.

        `now_s` is the present on the monotonic clock. Where several holders kept a track, the newest one's
        log counts from where it begins: it has written again what it took up.
        """
        frames_of: dict[str, list[Frame]] = {}
        whose: dict[str, str] = {}
        for pieces in reversed(_by_epoch(self._folder, self._epoch)):
            frames: dict[str, list[Frame]] = {}
            for path in pieces:
                for participant, track_id, frame in _read(path):
                    if frame.arrived_s <= now_s:  # a clock of before a restart is another
                        frames.setdefault(track_id, []).append(frame)
                        whose[track_id] = participant
            if max((of[-1].arrived_s for of in frames.values()), default=-inf) <= now_s - TAKEN_UP_WITHIN_S:
                continue
            for track_id, older in frames.items():
                newer = frames_of.get(track_id, [])
                until_s = newer[0].arrived_s if newer else inf
                frames_of[track_id] = [frame for frame in older if frame.arrived_s < until_s] + newer
        return tuple(
            KeptTrack(whose[id_], id_, tuple(frames)) for id_, frames in sorted(frames_of.items()) if frames
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
        while self._pieces and (self._pieces[0].until_s < old_s or self.size_bytes > self._most_bytes):
            self._drop_oldest()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{self._epoch:010d}-{self._number:08d}-{os.getpid()}{_SUFFIX}"
        self._number += 1
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._writing = _Piece(path, fd, now_s, now_s, 0, {})
        self._pieces.append(self._writing)
        if self._whose is not None:
            name = json.dumps(self._whose).encode()
            self._write(self._writing, _HEAD.pack(_WHOSE, 0, len(name), 0.0) + name)
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
    whose = whose_of(settings, meeting_id)
    return SoundLog(folder_of(root, *whose), epoch, most_mb=settings.stt.kept_mb, whose=whose)


def whose_of(settings: Settings, meeting_id: str) -> Whose:
    """Tell a meeting of this process's record and tenant from all others of this machine."""
    record = urlsplit(settings.database.url.get_secret_value())
    return Whose(f"{record.hostname}:{record.port}{record.path}", settings.process.tenant, meeting_id)


def root_of(setting: str, state_dir: Path) -> Path | None:
    """The folder of all logs of this machine, by `MOIM_SOUND_DIR` (`setting`); None: no sound is kept."""
    if setting == "none":
        return None
    if setting != "auto":
        return Path(setting)
    return _MEMORY / f"moim-{os.geteuid()}" if _MEMORY.is_dir() else state_dir / "sound"


def folder_of(root: Path, *names: str) -> Path:
    """The folder of a meeting's log; `names` tell it from every other meeting of this machine."""
    return root / hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def prepare_root(root: Path) -> bool:
    """Make the folder of all logs, if it is missing. False: it can't be made, or others may read it."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = root.lstat()
    except OSError as error:
        log.warning("sound_not_kept", folder=str(root), error=str(error))
        return False
    if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077:
        return True
    log.warning("sound_not_kept", folder=str(root), error="it is to be a folder of this user's alone (0700)")
    return False


def sweep(root: Path, now_utc_s: float) -> int:
    """Remove pieces of dead writers that are hours old; returns how many. Blocking."""
    removed = 0
    for path in root.glob(f"*/*{_SUFFIX}"):
        with suppress(OSError):
            if path.stat().st_mtime < now_utc_s - KEPT_FOR_S and not is_written(path):
                path.unlink(missing_ok=True)
                removed += 1
                _remove_empty(path.parent)
    return removed


def is_written(path: Path) -> bool:
    """Whether the process that writes a piece lives."""
    pid = path.stem.rpartition("-")[2]
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def abandoned(root: Path, before_utc_s: float) -> dict[Path, Whose]:
    """Find the meetings' folders whose pieces no living process writes, none after that moment. Blocking."""
    folders: dict[Path, Whose] = {}
    for folder in {path.parent for path in root.glob(f"*/*{_SUFFIX}")}:
        pieces = sorted(folder.glob(f"*{_SUFFIX}"))
        with suppress(OSError):
            if any(path.stat().st_mtime >= before_utc_s or is_written(path) for path in pieces):
                continue
            if pieces and (whose := _whose(pieces[-1])) is not None:
                folders[folder] = whose
    return folders


def silence(path: Path, forgets: Forgets) -> int:
    """Write a piece anew without the sound of frames that are to be forgotten; give its size. Blocking."""
    try:
        data = path.read_bytes()
    except OSError:
        return 0
    silenced, names = bytearray(), dict[int, str]()
    for kind, number, size, arrived_s, content in _entries(data):
        if kind == _TRACK:
            names[number] = json.loads(content)[0]
        if kind == _SOUND and forgets(names.get(number, ""), arrived_s):
            silenced += _HEAD.pack(_SILENCE, number, size, arrived_s)
        else:
            silenced += _HEAD.pack(kind, number, size, arrived_s) + content
    if len(silenced) < len(data):
        with path.open("r+b") as file:  # in place: no other copy of it is ever there
            file.write(silenced)
            file.truncate()
    return len(silenced)


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
    for kind, number, size, arrived_s, content in _entries(data):
        if kind == _TRACK:
            participant, track_id = json.loads(content)
            names[number] = participant, track_id
        elif kind != _WHOSE and number in names:
            yield *names[number], Frame(content or bytes(size), arrived_s)


def _entries(data: bytes) -> Iterator[tuple[int, int, int, float, bytes]]:
    """Yield (kind, track's number, bytes, arrival, content) of a piece, up to where its writer was killed."""
    at = 0
    while at + _HEAD.size <= len(data):
        kind, number, size, arrived_s = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        content = b"" if kind == _SILENCE else data[at : at + size]
        at += len(content)
        if kind != _SILENCE and len(content) < size:
            return
        yield kind, number, size, arrived_s, content


def _whose(path: Path) -> Whose | None:
    """Whose meeting a piece is of; None where it does not say."""
    for kind, *_, content in _entries(path.read_bytes()):
        return Whose(*json.loads(content)) if kind == _WHOSE else None
    return None
