"""HTTP clients for models behind an endpoint, with the trusted certificates read once per process.

Reading the certificates takes 0.2 s, in which the event loop stands still, and some 10 MB. In a
worker the fork server does it before any meeting is there, and all job processes share the result.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cache

import httpx2
import openai


@cache
def trusted() -> ssl.SSLContext:
    """The TLS context that clients of OpenAI's SDK use; it honours `SSL_CERT_FILE` and `SSL_CERT_DIR`."""
    return httpx2.create_ssl_context()


def http_client() -> httpx2.AsyncClient:
    """Make an HTTP client for OpenAI's SDK, with its own connections; closing the SDK's client closes it."""
    return openai.DefaultAsyncHttpxClient(verify=trusted())


def openai_client(
    base_url: str | None, api_key: str, *, read_timeout_s: float, connect_timeout_s: float = 5.0
) -> openai.AsyncOpenAI:
    """Make a client of OpenAI's SDK that doesn't retry: the caller does. No `base_url`: the SDK's default."""
    return openai.AsyncOpenAI(
        api_key=api_key or "none",  # local servers need none, the client insists
        base_url=base_url,
        max_retries=0,
        timeout=openai.Timeout(read_timeout_s, connect=min(connect_timeout_s, read_timeout_s)),
        http_client=http_client(),
    )


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read the seconds of a `Retry-After` header; None where it is missing, negative, or a date."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
