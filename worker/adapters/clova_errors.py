"""CLOVA Studio's errors as ours: by its five-digit code, wherever that stood.

The code comes in the body of an HTTP error, in a body under HTTP 200, or in an `error` event inside a
stream; its first three digits are the HTTP status that it means.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import httpx2

from context.ports import PortError, Refused, Unavailable

OK: Final = "20000"
TOO_LONG: Final = "40003"
_SCHEMA_REFUSALS: Final = frozenset({"40001", "40002", "40009", "40055", "40084"})
"""Codes under which a request may still pass without its schema."""
_MENDS: Final = {
    TOO_LONG: "the prompt is too long for it",
    "40005": "its content filter withheld the answer",
    "40080": "no such model: check LLM_MODEL, CONTEXT_SUMMARY_MODEL, CONTEXT_TOPIC_DETECTION_MODEL",
    "40082": "this model has been switched off: choose another one",
    "40083": "no resources are assigned to this model: check the contract",
    "40084": "this model does not speak this API: choose another one",
    "40104": "the key is not valid: check LLM_API_KEY",
    "40170": "CLOVA Studio has not been subscribed to: apply for it in the console",
}


class ClovaRefused(Refused):
    """`code`: CLOVA Studio's own."""

    code: str = ""

    @property
    def about_schema(self) -> bool:
        """Might the same question pass with its schema told in words?"""
        return self.code in _SCHEMA_REFUSALS


def from_response(model: str, response: httpx2.Response, body: bytes) -> PortError:
    """The error that an HTTP response other than 200 carries, whatever its body is."""
    code, message = "", ""
    with suppress(ValueError):
        code, message = status_of(json.loads(body))
    retry_after_s = _retry_after_s(response) if response.status_code == 429 else None
    return from_code(model, code, message, http_status=response.status_code, retry_after_s=retry_after_s)


def from_code(
    model: str, code: str, message: str, *, http_status: int = 0, retry_after_s: float | None = None
) -> PortError:
    """`Unavailable` for what may pass (408, 429, 5xx), else `ClovaRefused` with how to mend it."""
    status = _status_meant(code) or http_status
    said = " ".join(f"{message}".split())[:200]
    shown = f"{code or status} {said}".strip()
    if status in (408, 429) or (status >= 500 and status != 501) or status < 400:
        unavailable = Unavailable(f"{model} is not available ({shown})")
        unavailable.retry_after_s = retry_after_s
        return unavailable
    mend = _MENDS.get(code) or ("check LLM_API_KEY" if status in (401, 403) else "")
    refused = ClovaRefused(f"{model} refused ({shown})" + (f": {mend}" if mend else ""))
    refused.code = code
    return refused


def from_transport(model: str, error: httpx2.HTTPError) -> PortError:
    """No connection, none in time, or one that broke."""
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return Unavailable(f"no connection to CLOVA Studio for {model}: check LLM_BASE_URL and the network")
    if isinstance(error, httpx2.TimeoutException):
        return Unavailable(f"{model} did not answer in time")
    return Unavailable(f"the connection for {model} broke: {' '.join(str(error).split())[:200]}")


def status_of(body: Any) -> tuple[str, str]:
    """Code and message of a reply or an error event; two empty texts where it has none."""
    if not isinstance(body, dict):
        return "", ""
    status = body.get("status")
    told = status if isinstance(status, dict) else body.get("error")
    if not isinstance(told, dict):
        told = body if "code" in body else {}
    return str(told.get("code") or ""), str(told.get("message") or "")


def _status_meant(code: str) -> int:
    """`42901` means 429; the skill trainer's codes (6xxxx) mean what the HTTP status says."""
    if len(code) != 5 or not code.isdecimal():
        return 0
    status = int(code[:3])
    return status if status < 600 else 0


def _retry_after_s(response: httpx2.Response) -> float | None:
    """Seconds of `Retry-After`; its date form says nothing without a wall clock."""
    with suppress(ValueError):
        seconds = float(response.headers.get("retry-after", ""))
        return seconds if 0 <= seconds < float("inf") else None
    return None
