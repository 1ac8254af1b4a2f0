"""The trial of `moim check` for speech: a few plain seconds through the engine, as a meeting sends them.

The samples are lines of the two scripted meetings in `tests/data/audio`, which are the project's own.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rapidfuzz.distance import Levenshtein

from context.ports import Refused, Unavailable
from stt.files.audio import read_pcm
from stt.segment import BYTES_PER_MS, EngineBusy, SpeechEngine, SpeechError, Stretch
from worker.bootstrap.speech_engines import local_engine, speech_engine, speech_model_is_here
from worker.clock import monotonic_s
from worker.configuration.settings import Settings

SPEECH_S: Final = 180.0
"""The most that the trial may take: a large model has to be loaded first."""
_FOLDER: Final = Path(__file__).with_name("speech")
_WRONG_SHARE: Final = 0.5
"""With more of its characters wrong a plain line was not understood."""

Trial = Callable[[Settings], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class _Sample:
    language: str
    said: str
    term: str
    """A word of it, given to engines that take terms."""


_SAMPLES: Final = (
    _Sample("ko", "다시 발생하지 않게 하려면 어떻게 해야 합니까?", "발생"),
    _Sample("en", "That is fine. We will add a second server this week.", "server"),
)


@dataclass(frozen=True, slots=True)
class _Heard:
    """A sample as the engine heard it, and how long that took."""

    sample: _Sample
    text: str
    sound_s: float
    took_s: float

    @property
    def is_understood(self) -> bool:
        spoken, heard = _plain(self.sample.said), _plain(self.text)
        return Levenshtein.distance(spoken, heard) <= _WRONG_SHARE * len(spoken)

    def __str__(self) -> str:
        if not self.text:
            return f"nothing in {self.sound_s:.1f} s of speech ({self.sample.language}: “{self.sample.said}”)"
        how = f"{self.sample.language}, {self.sound_s:.1f} s in {self.took_s:.1f} s"
        return f"“{self.text}” ({how})"


def trials(settings: Settings) -> dict[str, Trial]:
    """The trial of the speech engine by the name of its finding; none without an engine."""
    return {} if settings.stt.engine == "none" else {"stt speech": _speech}


async def _speech(settings: Settings) -> str:
    """Recognise a sample in the meeting's language; with `auto`, one in each language."""
    wanted, is_local = settings.agent.language, settings.stt.is_local
    samples = [sample for sample in _SAMPLES if wanted in {"auto", sample.language}]
    if is_local and not speech_model_is_here(settings):
        return f"not tried: STT_MODEL={settings.stt.model!r} is downloaded when it is first needed"
    try:
        name, heard = await _through_engine(settings, samples)
    except EngineBusy as error:
        if error.retry_after_s is not None:  # it is there, and takes us, only not now
            return f"not tried: the engine is full just now ({error})"
        raise Unavailable(str(error)) from error
    except SpeechError as error:
        raise Refused(str(error)) from error
    outcome = f"{name} heard {'; '.join(map(str, heard))}"
    strange = [hearing.sample.language for hearing in heard if not hearing.is_understood]
    if len(strange) == len(heard):
        raise Refused(f"{outcome}: does the model know MOIM_LANGUAGE={wanted!r}?")
    if strange:
        outcome += f"; it does not understand {strange[0]}: set MOIM_LANGUAGE, or another STT_MODEL"
    if not is_local:
        outcome += f"; a paid engine charges for these {sum(hearing.sound_s for hearing in heard):.0f} s"
    return outcome


async def _through_engine(settings: Settings, samples: Sequence[_Sample]) -> tuple[str, list[_Heard]]:
    """The engine's name, and what it hears in each sample, told a term of each. Raises `SpeechError`."""
    with TemporaryDirectory(prefix="moim-check-") as folder:
        apart = _apart(settings, Path(folder))
        async with local_engine(apart), speech_engine(apart) as engine:
            assert engine is not None
            heard = [await _recognised(engine, sample, settings) for sample in samples]
            return engine.name, heard


def _apart(settings: Settings, folder: Path) -> Settings:
    """The settings with another state folder: its engine is its own, not one that runs by other settings."""
    process = settings.process.model_copy(update={"state_dir": folder})
    return settings.model_copy(update={"process": process})


async def _recognised(engine: SpeechEngine, sample: _Sample, settings: Settings) -> _Heard:
    chunks = list(read_pcm(_FOLDER / f"{sample.language}.ogg"))
    began_s = monotonic_s()
    terms = (sample.term, *settings.stt.terms)
    key, sound = f"moim-check-{sample.language}", _sound(chunks)
    stretch = Stretch(key, settings.agent.language, sound, terms=terms)
    text = " ".join([segment.text async for segment in engine.transcribe(stretch) if segment.final])
    return _Heard(sample, text, sum(map(len, chunks)) / BYTES_PER_MS / 1000, monotonic_s() - began_s)


async def _sound(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def _plain(text: str) -> str:
    return re.sub(r"[^\w]", "", text).lower()
