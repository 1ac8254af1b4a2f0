"""What several commands need to print and to play: text in columns, a line of progress, a speech engine."""

from __future__ import annotations

import asyncio
import sys
import unicodedata
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TextIO

from rich.cells import cell_len

from worker.errors import first_cause


def in_columns(lines: Sequence[Sequence[str]]) -> str:
    """The rows as text, one line each, their columns aligned; all rows have the same number of cells.

    Widths are those of a terminal, where a Hangul letter takes two places. The last column is not padded.
    """
    widths = [max(map(_width, column)) for column in list(zip(*lines, strict=True))[:-1]]
    return "\n".join(
        "".join(f"{cell}{' ' * (width - _width(cell))}  " for cell, width in zip(line, widths, strict=False))
        + line[-1]
        for line in lines
    )


def _width(text: str) -> int:
    return cell_len(unicodedata.normalize("NFC", text))  # macOS gives file names in decomposed letters


_FIRST_S: Final = 2.0
"""Work that is done before this shows no progress."""
_EVERY_S: Final = 1.0
_WIPE: Final = "\r\x1b[K"


@asynccontextmanager
async def progress(how_far: Callable[[], str], stream: TextIO | None = None) -> AsyncIterator[None]:
    """Show `how_far()` on one line of `stream` (stderr) while the block runs, anew each second; then wipe it.

    Nothing is written if `stream` is no terminal.
    """
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
