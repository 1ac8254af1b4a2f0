"""What an endpoint's refusals mean: `Unavailable` for what may pass, `Refused` for what will not.

The texts name the setting to look at, and never hold a key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

from context.ports import Refused, Unavailable
from stt.endpoint.reply_reader import UnreadableReply, json_of

_NO_SUCH: Final = frozenset({"insufficient_quota"})
"""Codes of a 429 that waiting does not mend."""
_KEY: Final = re.compile(r"\bsk-\S+")


class EndpointUnavailable(Unavailable):
    """An endpoint gave no answer just now. `status`: its HTTP status, 0 where there was none."""

    status: int = 0
    code: str = ""
    said: str = ""
    """What the server said, in one line."""


class EndpointRefused(Refused):
    """An endpoint will not give an answer to this request. The fields are those of `EndpointUnavailable`."""

    status: int = 0
    code: str = ""
    said: str = ""


EndpointError = EndpointUnavailable | EndpointRefused


@dataclass(frozen=True, slots=True)
class Named:
    """What an endpoint is called in errors, and what its settings begin with."""

    who: str
    """What it is called in errors, such as "the language model"."""
    settings: str
    """`LLM`, `EMBED` or `STT`."""
    key: str = ""

    def unavailable(self, why: str) -> EndpointUnavailable:
        """The error for what may pass; `why` follows the endpoint's name."""
        return EndpointUnavailable(self.clean(f"{self.who} {why}"))

    def unreadable(self, what: str) -> EndpointUnavailable:
        """The error for a reply that holds no answer: `what` was sent instead."""
        return self.unavailable(f"sent {what}; check {self.settings}_BASE_URL")

    def of_status(self, status: int, body: Any, retry_after_s: float | None = None) -> EndpointError:
        """The error for a status that is no success; `body` is what came with it, as far as it was read."""
        code, message = told_in(body)
        error = self._meant(status, code, message)
        error.status, error.code, error.said = status, code, self.clean(message)
        if status == 429 and isinstance(error, EndpointUnavailable):
            error.retry_after_s = retry_after_s
        return error

    def clean(self, text: str) -> str:
        """One short line, without a key in it."""
        line = " ".join(text.split())
        line = line.replace(self.key, "…") if self.key else line
        return _KEY.sub("sk-…", line)[:300]

    def _meant(self, status: int, code: str, message: str) -> EndpointError:
        if status == 429 and code not in _NO_SUCH:
            return self.unavailable("is busy (429)")
        if status in (408, 409, 425) or status >= 500 or status < 400:
            return self.unavailable(
                f"failed ({status})" if status else f"failed: {message or 'no reason told'}"
            )
        mend = ""
        if status in (401, 403):
            mend = f"; check {self.settings}_API_KEY"
        if status == 404:
            mend = f"; check {self.settings}_BASE_URL and {self.settings}_MODEL"
        return EndpointRefused(self.clean(f"{self.who} refused ({status}): {message[:200]}{mend}"))


def told_in(body: Any) -> tuple[str, str]:
    """Code and message of an error's body, in whichever shape the server gives it; "" for what it lacks."""
    if isinstance(body, bytes):
        try:
            body = json_of(body)
        except UnreadableReply:
            text = "" if body.lstrip()[:1] == b"<" else body.decode("utf-8", "replace")
            return "", " ".join(text.split())[:200]
    if isinstance(body, dict):
        error = body.get("error") or body
        if isinstance(error, dict):
            message = error.get("message") or error.get("detail") or error.get("type") or ""
            code = error.get("code")
            return "" if code is None else str(code), " ".join(str(message).split())[:200]
        body = error
    return "", " ".join(body.split())[:200] if isinstance(body, str) else ""


def error_in(data: Any) -> Any:
    """The error that a reply under HTTP 200 consists of, or a piece of one breaks off with; None for none."""
    if not isinstance(data, dict):
        return None
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("finish_reason") in ("error", "abort"):
            return data
    return (
        data if data.get("error") and not any(data.get(key) for key in ("choices", "data", "text")) else None
    )


def status_in(data: Any) -> int:
    """The HTTP status that such an error names as its code; 0 where it names none."""
    code = told_in(data)[0]
    return int(code) if code.isdecimal() and len(code) == 3 and 400 <= int(code) < 600 else 0


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read the seconds of a `Retry-After` header; None where it is missing, negative, or nonsense.

    A date is so many seconds behind the server's own `Date`: its clock may not be ours.
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
            seconds = (until - now).total_seconds()
        except (ValueError, TypeError):  # TypeError: one of them names no zone
            return None
    return seconds if 0 <= seconds < float("inf") else None
