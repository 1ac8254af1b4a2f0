"""No token that this process mints is good for longer than ten minutes.

The SDK's default is six hours, also for the tokens that it makes behind our backs: one for each call of a
service, one for each registration of a worker. All are used at once, so a token that somebody finds in a
proxy's log is soon worth nothing. The token that an agent joins with is the server's, made for one room.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from livekit.api import access_token

TTL: Final = timedelta(minutes=10)


def shorten() -> None:
    """From now on, for every token of this process."""
    access_token.DEFAULT_TTL = TTL
