"""Whom this process trusts over TLS: read once, not once per client.

Reading the certificates takes 0.2 s, in which the event loop stands still, and some 10 MB. In a
worker the fork server does it before any meeting is there, and all job processes share the result.
"""

from __future__ import annotations

import ssl
from functools import cache

import httpx2
import openai


@cache
def trusted() -> ssl.SSLContext:
    """What an HTTP client of the SDK trusts by itself, `SSL_CERT_FILE` and `SSL_CERT_DIR` included."""
    return httpx2.create_ssl_context()


def http_client() -> httpx2.AsyncClient:
    """A client for the SDK, with connections of its own; closing the SDK's client closes it."""
    return openai.DefaultAsyncHttpxClient(verify=trusted())
