"""CLOVA Speech domains: their addresses, our connection to each, and whether it makes sense to ask one now.

A domain takes 15 streams at a time, from all processes together. Each process counts its own; whether
others have taken the rest, only the server knows and says. A domain that has just said that it is
full or away is passed over for a while, one that refuses the secret as long as another serves.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from stt.segment import EngineBusy, EngineFailed, SpeechError

if TYPE_CHECKING:
    from grpc import aio

MAX_CHANNELS: Final = 15
"""Streams that a domain takes at a time."""
DEFAULT_PORT: Final = 50051
RENEW_AFTER_S: Final = 24 * 3600.0
"""The server ends a connection after 100 hours; between two streams is a better moment."""

_FULL_S: Final = 0.5
_CROWDED_S: Final = 60.0
_QUOTA_S: Final = 30.0
_AWAY_S: Final = 0.5
_REFUSED_S: Final = 30.0
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # or a renewed channel is given the old connection again
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 250),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
)


class DomainFull(EngineBusy):
    """All channels of this domain are taken; another domain may have some."""


class DomainAway(EngineBusy):
    """This domain can't be reached now."""


class DomainRefused(EngineFailed):
    """This domain refuses our secret or its plan has no streaming: somebody has to mend that."""


@dataclass(frozen=True, slots=True)
class DomainAddress:
    """Where a CLOVA Speech domain is reached, from a pair `invoke_url|secret`."""

    target: str
    """`host:port`."""
    secret: str = field(repr=False)
    tls: bool = True


def parse_domain(pair: str) -> DomainAddress:
    """Read `invoke_url|secret`. Raises `ValueError` with a text that never shows the secret.

    The URL is the one that the console shows (only its host counts: streaming has a port of its own)
    or plain `host:port`. `http://` means no TLS, for a server on this machine.
    """
    url, separator, secret = pair.strip().partition("|")
    url, secret = url.strip(), secret.strip()
    if not separator or not url or not secret:
        raise ValueError("must be comma-separated invoke_url|secret pairs")
    try:
        parts = urlsplit(url if "://" in url else f"grpcs://{url}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in {"https", "http", "grpc", "grpcs"}:
        raise ValueError("must be pairs of an https://… URL and a secret, joined by |")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise ValueError("must be pairs of an URL and a secret of plain ASCII characters, joined by |")
    shown = f"[{host}]" if ":" in host else host
    return DomainAddress(f"{shown}:{port or DEFAULT_PORT}", secret, tls=parts.scheme in {"https", "grpcs"})


class Domain:
    """One domain and this process's connection to it, which is made at the first call."""

    def __init__(self, address: DomainAddress, *, max_channels: int = MAX_CHANNELS) -> None:
        self.address = address
        self.name = address.target
        self.in_use = 0
        """Streams of this process, those that are being closed included; `RecogniseStream` counts them."""
        self._max = max_channels
        self._channel: aio.Channel | None = None
        self._opened_s = 0.0
        self._trouble: SpeechError | None = None
        self._trouble_until_s = self._crowded_until_s = self._refused_until_s = 0.0

    @property
    def free(self) -> int:
        """How many streams this process may still open here."""
        return self._max - self.in_use

    @property
    def crowded(self) -> bool:
        """Whether it said within the last minute that it was full, whatever our own count is."""
        return _now_s() < self._crowded_until_s

    @property
    def refuses(self) -> bool:
        """Whether it has just refused secret or plan: such a domain is asked last, as that may pass."""
        return _now_s() < self._refused_until_s

    def trouble(self) -> SpeechError | None:
        """Why not to ask it now; None: it may be asked."""
        if self.free <= 0:
            return DomainFull(f"all {self._max} channels of {self.name} are in use here")
        return self._trouble if _now_s() < self._trouble_until_s else None

    def note(self, error: SpeechError) -> None:
        """Note that opening a stream has just failed like this."""
        if isinstance(error, DomainRefused):
            self._refused_until_s = _now_s() + _REFUSED_S
        elif isinstance(error, DomainFull):
            self._crowded_until_s = _now_s() + _CROWDED_S
            wait_s = _QUOTA_S if "quota" in str(error).lower() else _FULL_S
            self._trouble, self._trouble_until_s = error, _now_s() + wait_s
        elif isinstance(error, DomainAway):
            self._trouble, self._trouble_until_s = error, _now_s() + _AWAY_S

    def works(self) -> None:
        """Note that it has just opened a stream."""
        self._trouble = None
        self._trouble_until_s = self._refused_until_s = 0.0

    async def call(self) -> Any:
        """Begin a `recognize` call, a `grpc.aio.StreamStreamCall`; its errors show when it is used."""
        from stt.providers.clova import wire

        channel = await self._connected()
        method: Callable[..., Any] = channel.stream_stream(
            f"/{wire.SERVICE}/{wire.METHOD}",
            request_serializer=wire.Request.SerializeToString,
            response_deserializer=wire.Response.FromString,
        )
        return method(metadata=(("authorization", f"Bearer {self.address.secret}"),))

    async def aclose(self) -> None:
        """Close the connection."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    async def _connected(self) -> aio.Channel:
        # Half a second of imports at the first stretch: the meeting's loop must not stand still for them.
        await asyncio.to_thread(import_module, "stt.providers.clova.wire")
        from grpc import aio, ssl_channel_credentials

        if self._channel is not None and self.in_use <= 1 and _now_s() - self._opened_s > RENEW_AFTER_S:
            await self.aclose()
        if self._channel is None:
            target, options = self.address.target, list(_OPTIONS)
            self._channel = (
                aio.secure_channel(target, ssl_channel_credentials(_trusted()), options=options)
                if self.address.tls
                else aio.insecure_channel(target, options=options)
            )
            self._opened_s = _now_s()
        return self._channel


def _now_s() -> float:
    return asyncio.get_running_loop().time()


@cache
def _trusted() -> bytes | None:
    """The machine's certificate authorities, `SSL_CERT_FILE` included; None: those that gRPC brings."""
    bundle = ssl.get_default_verify_paths().cafile
    return Path(bundle).read_bytes() if bundle else None


def translated(domain: str, error: Any) -> SpeechError:
    """Translate a gRPC error (`error` is an `AioRpcError`) to a `SpeechError`; `domain`: its name."""
    from grpc import StatusCode

    code, details = error.code(), " ".join(str(error.details() or "").split())[:200]
    reason = f"{domain}: {code.name}: {details}" if details else f"{domain}: {code.name}"
    match code:
        case StatusCode.RESOURCE_EXHAUSTED:
            return DomainFull(reason)
        case StatusCode.UNAUTHENTICATED | StatusCode.PERMISSION_DENIED:
            return DomainRefused(f"{reason}: check this domain's secret in CLOVA_SPEECH_DOMAINS")
        case StatusCode.UNIMPLEMENTED | StatusCode.NOT_FOUND:
            return DomainRefused(f"{reason}: streaming needs a long-sentence domain of the Basic plan")
        case StatusCode.UNAVAILABLE | StatusCode.DEADLINE_EXCEEDED:
            return DomainAway(reason)
        case StatusCode.INVALID_ARGUMENT | StatusCode.FAILED_PRECONDITION | StatusCode.OUT_OF_RANGE:
            return EngineFailed(reason)
        case _:
            if "slot" in details.lower():
                return DomainFull(reason)
            if "secret" in details.lower():
                return DomainRefused(f"{reason}: check this domain's secret in CLOVA_SPEECH_DOMAINS")
            return EngineBusy(reason)
