"""The trusted certificates of HTTP clients, read once per process.

Reading them takes 0.2 s, in which the event loop stands still, and some 10 MB. In a worker the fork server
does it before any meeting is there, and all job processes share the result.
"""

from __future__ import annotations

import ssl
from functools import cache

import httpx2


@cache
def trusted() -> ssl.SSLContext:
    """The TLS context of every client here; it honours `SSL_CERT_FILE` and `SSL_CERT_DIR`."""
    return httpx2.create_ssl_context()
