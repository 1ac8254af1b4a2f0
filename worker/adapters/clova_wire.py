"""HTTP to CLOVA Studio: one question and its reply, or one question and its stream of events.

Nothing here knows what a question is about. There is no retry and no deadline: both belong to the caller.
Errors become `Unavailable` or `ClovaRefused` by CLOVA Studio's five-digit code: it comes in the body of an
HTTP error, in a body under HTTP 200, or in an `error` event inside a stream. Its first three digits are the
HTTP status that it means.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Final
from uuid import uuid4

from pydantic import SecretStr

from context.ports import PortError, Unavailable
from stt.endpoint.endpoint import DEADLINE_S, READ_TIMEOUT_S, Endpoint
from stt.endpoint.refusals import EndpointRefused, EndpointUnavailable, Named
from stt.endpoint.reply_reader import UnreadableReply, json_of

OK: Final = "20000"
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

    def __init__(
        self,
        *,
        base_url: str,
        api_key: SecretStr,
        read_timeout_s: float = READ_TIMEOUT_S,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """`base_url` ends in `/testapp` or `/serviceapp` where the key is of the old kind."""
        key = api_key.get_secret_value()
        self._endpoint = Endpoint(
            base_url,
            key,
            Named("CLOVA Studio", "LLM", key),
            read_timeout_s=read_timeout_s,
            deadline_s=deadline_s,
            headers=lambda: {"X-NCP-CLOVASTUDIO-REQUEST-ID": uuid4().hex},
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def post(self, path: str, body: dict[str, Any], model: str) -> dict[str, Any]:
        """POST `body` and return the reply's `result`; `model` is named in errors.

        Raises `Unavailable` for what may work later, `ClovaRefused` for what will not.
        """
        async with aclosing(self.events(path, body, model, stream=False)) as events:
            results = [data async for kind, data in events if kind == "result"]
        if not results:
            raise Unavailable(f"{model} sent no result")
        return results[-1]

    async def events(
        self, path: str, body: dict[str, Any], model: str, *, stream: bool = True
    ) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
        """POST `body` and yield name and data of each event of the reply; a whole reply is one `result`.

        Closing the iterator closes the request. Raises as `post` does, also for an `error` event.
        """

        def refusal(status: int, told: bytes, wait_s: float | None) -> PortError:
            return _of_status(model, status, told, wait_s)

        async with aclosing(self._endpoint.events(path, body=body, stream=stream, refusal=refusal)) as events:
            async for name, data in events:
                if not isinstance(data, dict):
                    raise Unavailable(f"{model} sent something unreadable: no JSON object")
                code, message = status_of(data)
                if name == "error" or (code and code != OK):
                    raise from_code(model, code, message)
                if name:
                    yield name, data
                elif code and isinstance(data.get("result"), dict):
                    yield "result", data["result"]
                else:
                    raise Unavailable(f"{model} sent something unreadable: no result")


class ClovaRefused(EndpointRefused):
    """CLOVA Studio refused a request, for a reason that another try does not mend."""


def _of_status(model: str, status: int, body: bytes, wait_s: float | None) -> PortError:
    """The error that an HTTP response without success carries, whatever its body is."""
    code, message = "", ""
    with suppress(UnreadableReply):
        code, message = status_of(json_of(body))
    return from_code(model, code, message, http_status=status, wait_s=wait_s)


def from_code(
    model: str, code: str, message: str, *, http_status: int = 0, wait_s: float | None = None
) -> PortError:
    """Make the error of a code: `Unavailable` for what may pass (408, 429, 5xx), else `ClovaRefused`.

    `http_status` counts where `code` is none of five digits. `wait_s`: seconds that the server asks to wait.
    """
    # `42901` means 429; the skill trainer's codes (6xxxx) mean what the HTTP status says.
    meant = int(code[:3]) if len(code) == 5 and code.isdecimal() else 0
    status = meant if 0 < meant < 600 else http_status
    reason = " ".join(message.split())[:200]
    shown = f"{code or status} {reason}".strip()
    if status in (408, 429) or (status >= 500 and status != 501) or status < 400:
        unavailable = EndpointUnavailable(f"{model} is not available ({shown})")
        unavailable.retry_after_s, unavailable.status = wait_s, http_status or status
        return unavailable
    mend = _MENDS.get(code) or ("check LLM_API_KEY" if status in (401, 403) else "")
    refused = ClovaRefused(f"{model} refused ({shown})" + (f": {mend}" if mend else ""))
    refused.status, refused.code, refused.said = http_status or status, code, reason
    return refused


def status_of(body: Any) -> tuple[str, str]:
    """Return code and message of a reply or an `error` event; two empty texts where it has none."""
    if not isinstance(body, dict):
        return "", ""
    status = body.get("status")
    fields = status if isinstance(status, dict) else body.get("error")
    if not isinstance(fields, dict):
        fields = body if "code" in body else {}
    return str(fields.get("code") or ""), str(fields.get("message") or "")
