"""Why nothing, or nothing more, comes of a file: as a word for pages, and as one line for everybody else."""

from __future__ import annotations

from typing import Final, Literal

FaultCode = Literal[
    "kind", "empty", "size", "length", "tracks", "unreadable", "no_sound", "broken", "slow", "memory",
    "engine", "given_up", "not_kept",
]  # fmt: skip

_FAULT_TEXTS: Final[dict[FaultCode, str]] = {
    "kind": "{value} is no kind of file that is read here: bring sound (wav, mp3, m4a, mp4, …) or a "
    "transcript (vtt, srt, txt, docx, …)",
    "empty": "the file is empty: save it again",
    "size": "it has {value}, at most {most}: split it, or save it in a format that takes less",
    "length": "it is {value} long, at most {most}: split it",
    "tracks": "it has {value} sound tracks, at most {most}: take out those that you want",
    "unreadable": "{value}",
    "no_sound": "there is no sound in it that can be decoded: save it as wav, flac, mp3, ogg or m4a",
    "broken": "from {value} on it cannot be read: save it again",
    "slow": "reading it takes more than {value}: split it, or save it in another format",
    "memory": "reading it takes too much memory: split it, or save it in another format",
    "engine": "STT_ENGINE={value} recognises no speech: set it to one that does, such as whisper",
    "given_up": "its reading has ended midway {value} times: see the worker's log",
    "not_kept": "it did not come whole: bring it again",
}


class FileFault(Exception):
    """A file that somebody brought cannot be read: one line with its name, the value and the mend."""

    def __init__(self, name: str, code: FaultCode, value: str = "", *, most: str = "") -> None:
        self.name, self.code, self.value = name, code, value
        self.said = _FAULT_TEXTS[code].format(value=value, most=most)
        """The line without the name, for the meeting's record: its title has that, until it is erased."""
        super().__init__(f"{name}: {self.said}")
