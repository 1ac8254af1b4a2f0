"""Tracebacks without words: where a fault is and of which kind, but not the values that it quotes.

Some errors quote what they could not take: pydantic its input, `int()` and dictionaries what they were given,
Postgres a row. In a meeting that is what people said, which belongs on its record alone.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any, Final

from structlog.typing import ExcInfo

from context.config import ConfigError

_QUOTING_ERRORS: Final = (ValueError, KeyError, AssertionError)
"""Kinds of errors that quote values."""
_IN_ITS_PLACE: Final = "…"


def without_words(exc_info: ExcInfo) -> str:
    """Give a traceback in which `…` stands for the texts of errors that may quote what was said."""
    text = "".join(traceback.format_exception(*exc_info)).rstrip()
    for error in _all_of(exc_info[1], set()):
        first, *more = _quoted(error).splitlines() or [""]
        if first:
            text = text.replace(f": {first}", f": {_IN_ITS_PLACE}")
        for line in sorted({line.strip() for line in more}, key=len, reverse=True):
            text = text.replace(line, _IN_ITS_PLACE) if line else text
    return text


def told(error: BaseException) -> str:
    """Give an error as a line of a log may tell it: its kind alone where its text may quote what was said."""
    name, text = type(error).__name__, str(error)
    return name if not text or _quoted(error) == text else f"{name}: {text}"


def _quoted(error: BaseException) -> str:
    """The part of an error's text that may quote what was said; empty for none."""
    if isinstance(error, ConfigError):
        return ""
    if isinstance(error, _QUOTING_ERRORS):
        return str(error)
    detail: Any = getattr(error, "detail", None)  # Postgres: the row that it could not take
    return detail if isinstance(detail, str) else ""


def _all_of(error: BaseException | None, seen: set[int]) -> Iterator[BaseException]:
    """The error, those that it is a group of, and those that led to it."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    yield error
    for other in (error.__cause__, error.__context__, *getattr(error, "exceptions", ())):
        yield from _all_of(other, seen)
