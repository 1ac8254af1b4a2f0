"""Errors of OpenAI-compatible endpoints in our own words, whatever was asked of them."""

from __future__ import annotations

from contextlib import suppress

import openai

from context.ports import PortError, Refused, Unavailable


def translated(error: Exception, who: str) -> PortError:
    """The vendor's error as one of ours; `who`: the part that it is about, as in "the language model"."""
    if isinstance(error, openai.APITimeoutError):
        return Unavailable(f"{who} did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return Unavailable(f"no connection to {who}")
    if isinstance(error, openai.APIStatusError):
        return _translated_status(error, who)
    if isinstance(error, (openai.APIError, ValueError)):
        return Unavailable(f"{who} sent something unreadable: {_short(error)}")
    return Refused(f"{who}'s client gave up: {_short(error)}")


def _translated_status(error: openai.APIStatusError, who: str) -> PortError:
    status = error.status_code
    if status == 429 and error.code != "insufficient_quota":
        unavailable = Unavailable(f"{who} is busy (429)")
        unavailable.retry_after_s = _retry_after_s(error)
        return unavailable
    if status in (408, 409) or status >= 500:
        return Unavailable(f"{who} failed ({status})")
    return Refused(f"{who} refused ({status}): {_short(error)}")


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """Seconds of `Retry-After`; its date form says nothing without a wall clock."""
    with suppress(ValueError):
        seconds = float(error.response.headers.get("retry-after", ""))
        return seconds if seconds >= 0 else None
    return None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
