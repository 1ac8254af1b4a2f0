"""Opens LiveKit's services: rooms and dispatches, and the tokens by which people join."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from worker.configuration.settings import Settings
from worker.ports import RoomToken

if TYPE_CHECKING:
    from worker.adapters.livekit_dispatch import LiveKitDispatch


@asynccontextmanager
async def placement(settings: Settings) -> AsyncIterator[LiveKitDispatch]:
    """Open LiveKit's room and dispatch services. Raises `ConfigError` where LIVEKIT_* are not set."""
    from worker.adapters.livekit_dispatch import LiveKitDispatch

    settings.require("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    livekit = settings.livekit
    async with LiveKitDispatch(
        livekit.url,
        livekit.api_key,
        livekit.api_secret,
        agent_name=settings.agent.name,
        tenant=settings.process.tenant,
    ) as dispatch:
        yield dispatch


def remover(settings: Settings, room: str) -> Callable[[str], Awaitable[None]]:
    """Give what removes somebody (by their identity) from a room; it raises `PortError`."""

    async def remove(identity: str) -> None:
        async with placement(settings) as livekit:
            await livekit.remove(room, identity)

    return remove


def shorten_token_lives() -> None:
    """Let no token that this process makes from now on live long (`worker.adapters.livekit_tokens`)."""
    from worker.adapters import livekit_tokens

    livekit_tokens.shorten_token_lives()


def room_token(settings: Settings) -> RoomToken:
    """Give what makes the tokens with which people join rooms from the page."""
    from worker.adapters.livekit_tokens import page_token

    livekit = settings.livekit
    return partial(page_token, livekit.api_key, livekit.api_secret.get_secret_value())
