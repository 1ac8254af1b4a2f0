"""Columns for eyes: on a terminal a Hangul letter takes two places.

How far long work has come, on a terminal: one line that is written anew each second, then wiped.

The speech engine that a recording needs.
"""

from __future__ import annotations

import asyncio
import sys
import unicodedata
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, TextIO

from rich.cells import cell_len

from stt.segment import SpeechEngine
from worker.configuration.settings import Settings
from worker.engines.speech_engines import local_engine, speech_engine
from worker.errors import InputError, first_cause
from worker.replaying import Recording


def in_columns(lines: Sequence[Sequence[str]]) -> str:
    """One line each, of equally many cells; the last one is as long as it likes."""
    widths = [max(map(_width, column)) for column in list(zip(*lines, strict=True))[:-1]]
    return "\n".join(
        "".join(f"{cell}{' ' * (width - _width(cell))}  " for cell, width in zip(line, widths, strict=False))
        + line[-1]
        for line in lines
    )


def _width(text: str) -> int:
    return cell_len(unicodedata.normalize("NFC", text))  # macOS hands on names in pieces of letters


_FIRST_S: Final = 2.0
"""Short work says nothing."""
_EVERY_S: Final = 1.0
_WIPE: Final = "\r\x1b[K"


@asynccontextmanager
async def progress(how_far: Callable[[], str], stream: TextIO | None = None) -> AsyncIterator[None]:
    """While the block runs, `how_far()` stands on `stream` (stderr), if that is a terminal."""
    out = stream or sys.stderr
    if not out.isatty():
        yield
        return

    async def tell() -> None:
        await asyncio.sleep(_FIRST_S)
        while True:
            out.write(f"{_WIPE}{how_far()}")
            out.flush()
            await asyncio.sleep(_EVERY_S)

    try:
        async with asyncio.TaskGroup() as tasks:
            telling = tasks.create_task(tell(), name="progress")
            yield
            telling.cancel()
    except BaseExceptionGroup as group:
        raise first_cause(group) from group
    finally:
        out.write(_WIPE)
        out.flush()


@asynccontextmanager
async def engine_for(recording: Recording, settings: Settings) -> AsyncIterator[SpeechEngine | None]:
    """The configured engine while a recording of sound is played; None for text. Raises `InputError`."""
    if not recording.tracks:
        yield None
        return
    if settings.stt.engine == "none":
        raise InputError("STT_ENGINE=none transcribes nothing: set it to whisper, openai or livekit:…")
    async with AsyncExitStack() as stack:
        if settings.stt.engine == "whisper":
            await stack.enter_async_context(local_engine(settings))
        yield await stack.enter_async_context(speech_engine(settings))
