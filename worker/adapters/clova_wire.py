"""HTTP to CLOVA Studio: one question and its reply, or one question and its stream of events.

Nothing here knows what a question is about. There is no retry and no deadline: both belong to the caller.
Errors become `Unavailable` or `ClovaRefused` by CLOVA Studio's five-digit code: it comes in the body of an
HTTP error, in a body under HTTP 200, or in an `error` event inside a stream. Its first three digits are the
HTTP status that it means.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Final
from uuid import uuid4

import httpx2
from pydantic import SecretStr

from context.ports import PortError, Refused, Unavailable
from stt.providers.tls import http_client, retry_after_s

_ERROR_BYTES: Final = 64 * 1024
"""So much of an error's body is read at most."""
_EVENTS: Final = "text/event-stream"
OK: Final = "20000"
_SCHEMA_REFUSALS: Final = frozenset({"40001", "40002", "40009", "40055", "40084"})
"""Codes under which a request may still pass without its schema."""
_MENDS: Final = {
    "40003": "the prompt is too long for it",
    "40005": "its content filter withheld the answer",
    "40080": "no such model: check LLM_MODEL, CONTEXT_SUMMARY_MODEL, CONTEXT_TOPIC_DETECTION_MODEL",
    "40082": "this model has been switched off: choose another one",
    "40083": "no resources are assigned to this model: check the contract",
    "40084": "this model does not speak this API: choose another one",
    "40104": "the key is not valid: check LLM_API_KEY",
    "40170": "CLOVA Studio has not been subscribed to: apply for it in the console",
}


class ClovaWire:
    """An HTTP client for CLOVA Studio: one base URL, one key, one pool of connections."""

    def __init__(self, *, base_url: str, api_key: SecretStr, read_timeout_s: float = 60.0) -> None:
        """`base_url` ends in `/testapp` or `/serviceapp` where the key is of the old kind."""
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = httpx2.Timeout(read_timeout_s, connect=5.0)
        self._client = http_client()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def post(self, path: str, body: dict[str, Any], model: str) -> Any:
        """POST `body` and return the reply's `result`; `model` is named in errors.

        Raises `Unavailable` for what may work later, `ClovaRefused` for what will not.
        """
        async with self._asked(path, body, model, "application/json") as response:
            reply = _object(await response.aread(), model)
        code, message = status_of(reply)
        if code != OK:
            raise from_code(model, code, message)
        return reply.get("result")

    async def events(
        self, path: str, body: dict[str, Any], model: str
    ) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """POST `body` and yield name and data of each event of the reply, also of an `error` event.

        Closing the iterator closes the request. Raises as `post` does.
        """
        async with self._asked(path, body, model, _EVENTS) as response:
            kind = response.headers.get("content-type", "")
            if kind.partition(";")[0].strip().lower() != _EVENTS:
                # HTTP 200 and no stream: an error in a plain reply, or a stranger's page.
                code, message = status_of(_object(await _beginning(response), model))
                if code and code != OK:
                    raise from_code(model, code, message)
                raise Unavailable(f"{model} sent no stream of events")
            async with aclosing(aiter(httpx2.EventSource(response))) as events:  # type: ignore[type-var]  # a generator
                async for event in events:
                    yield event.event, _object(event.data, model)

    @asynccontextmanager
    async def _asked(
        self, path: str, body: dict[str, Any], model: str, accept: str
    ) -> AsyncIterator[httpx2.Response]:
        headers = {
            "Authorization": f"Bearer {self._api_key.get_secret_value()}",
            "X-NCP-CLOVASTUDIO-REQUEST-ID": uuid4().hex,
            "Content-Type": "application/json",
            "Accept": accept,
        }
        # A lone surrogate in somebody's name must not keep the question from being asked.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        url = f"{self._base_url}{path}"
        asking = self._client.stream("POST", url, content=content, headers=headers, timeout=self._timeout)
        try:
            async with asking as response:
                if response.status_code != 200:
                    raise _of_status(model, response, await _beginning(response))
                yield response
        except httpx2.HTTPError as error:
            raise _of_transport(model, error) from error


async def _beginning(response: httpx2.Response) -> bytes:
    """Read the first 64 KiB of a body, which may be endless."""
    got = bytearray()
    async for piece in response.aiter_bytes():
        got += piece
        if len(got) >= _ERROR_BYTES:
            break
    return bytes(got)


def _object(text: bytes | str, model: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Unavailable(f"{model} sent something unreadable: no JSON") from error
    if not isinstance(found, dict):
        raise Unavailable(f"{model} sent something unreadable: no JSON object")
    return found


class ClovaRefused(Refused):
    """CLOVA Studio refused a request, for a reason that another try does not mend."""

    about_schema: bool = False
    """True where the same question may pass with its schema written into the prompt."""


def _of_status(model: str, response: httpx2.Response, body: bytes) -> PortError:
    """The error that an HTTP response other than 200 carries, whatever its body is."""
    code, message = "", ""
    with suppress(ValueError):
        code, message = status_of(json.loads(body))
    wait_s = retry_after_s(response.headers) if response.status_code == 429 else None
    return from_code(model, code, message, http_status=response.status_code, wait_s=wait_s)


def from_code(
    model: str, code: str, message: str, *, http_status: int = 0, wait_s: float | None = None
) -> PortError:
    """Make the error of a code: `Unavailable` for what may pass (408, 429, 5xx), else `ClovaRefused`.

    `http_status` counts where `code` is none of five digits. `wait_s`: seconds that the server asks to wait.
    """
    # `42901` means 429; the skill trainer's codes (6xxxx) mean what the HTTP status says.
    meant = int(code[:3]) if len(code) == 5 and code.isdecimal() else 0
    status = meant if 0 < meant < 600 else http_status
    said = " ".join(message.split())[:200]
    shown = f"{code or status} {said}".strip()
    if status in (408, 429) or (status >= 500 and status != 501) or status < 400:
        unavailable = Unavailable(f"{model} is not available ({shown})")
        unavailable.retry_after_s = wait_s
        return unavailable
    mend = _MENDS.get(code) or ("check LLM_API_KEY" if status in (401, 403) else "")
    refused = ClovaRefused(f"{model} refused ({shown})" + (f": {mend}" if mend else ""))
    refused.about_schema = code in _SCHEMA_REFUSALS
    return refused


def _of_transport(model: str, error: httpx2.HTTPError) -> PortError:
    """Make the error of a request that got no response: no connection, none in time, or one that broke."""
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return Unavailable(f"no connection to CLOVA Studio for {model}: check LLM_BASE_URL and the network")
    if isinstance(error, httpx2.TimeoutException):
        return Unavailable(f"{model} did not answer in time")
    return Unavailable(f"the connection for {model} broke: {' '.join(str(error).split())[:200]}")


def status_of(body: Any) -> tuple[str, str]:
    """Return code and message of a reply or an `error` event; two empty texts where it has none."""
    if not isinstance(body, dict):
        return "", ""
    status = body.get("status")
    told = status if isinstance(status, dict) else body.get("error")
    if not isinstance(told, dict):
        told = body if "code" in body else {}
    return str(told.get("code") or ""), str(told.get("message") or "")
