"""Left speech: stretches that had no text when their holder stopped, kept until somebody has it recognised.

Theory of operation. A meeting closes in seconds, whatever its engine is doing. What is no text by then is
left in the folder of the meeting's sound log (`worker.record.sound_log`), in this machine's memory: a file
for each stretch, with all that is needed to make an utterance of it. This machine's workers look for such
files (`worker.holder.late_speech`), and delete each once its words are in the database.

A file is named by its stretch, so writing it again changes nothing; it is written under another name first,
so whoever finds one finds all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

from stt.spoken_language import Shares
from stt.track_events import LeftStretch, Waits

SUFFIX: Final = ".speech"
_PART: Final = ".part"
_MAX_HEAD_BYTES: Final = 16_384
_PRIVATE_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class Whose(NamedTuple):
    """The meeting that a sound is of, with its record: others of this machine may have the same ids."""

    record: str
    """Where its record is: host, port and database."""
    tenant: str
    meeting_id: str


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A stretch that was left, without its sound, which `read` gives."""

    path: Path
    whose: Whose
    stretch: Waits
    sound_ms: int
    language: str
    expected: Shares
    left_s: float
    """When it was left, in seconds since 1970."""

    def read(self) -> LeftStretch | None:
        """Return the stretch with its sound; None where the file is gone. Blocking."""
        try:
            _, _, pcm = self.path.read_bytes().partition(b"\n")
        except OSError:
            return None
        return LeftStretch(self.stretch, self.sound_ms, self.language, pcm, self.expected)

    def remove(self) -> None:
        """Delete the file, if it is still there."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        with suppress(OSError):  # others are in it
            self.path.parent.rmdir()


def write_left(folder: Path, whose: Whose, left: LeftStretch) -> Path:
    """Write a stretch into the folder of its meeting. Raises `OSError`."""
    head = {
        "whose": whose,
        "stretch": asdict(left.stretch),
        "sound_ms": left.sound_ms,
        "language": left.language,
        "expected": dict(left.expected),
    }
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(left.stretch.key.encode()).hexdigest()[:24]}{SUFFIX}"
    part = path.with_suffix(_PART)
    try:
        with os.fdopen(os.open(part, _PRIVATE_FILE_FLAGS, 0o600), "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + left.pcm)
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return path


def remove_torn(root: Path, before_s: float) -> None:
    """Delete what a killed process had half written before that moment (seconds since 1970). Blocking."""
    for path in root.glob(f"*/*{_PART}"):
        with suppress(OSError):
            if path.stat().st_mtime < before_s:
                path.unlink(missing_ok=True)
                path.parent.rmdir()


def left_in(root: Path) -> Iterator[LeftFile]:
    """Yield what was left in any meeting's folder, without its sound; other files are not. Blocking."""
    for path in root.glob(f"*/*{SUFFIX}"):
        with suppress(OSError, ValueError, LookupError, TypeError):
            with path.open("rb") as file:
                head = json.loads(file.readline(_MAX_HEAD_BYTES))
                left_s = os.fstat(file.fileno()).st_mtime
            whose, stretch = Whose(*head["whose"]), Waits(**head["stretch"])
            spoken = head["language"], head["expected"]
            yield LeftFile(path, whose, stretch, head["sound_ms"], *spoken, left_s)
