"""Makes of a job's LiveKit room what its meeting hears by and speaks into."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from livekit import rtc
from pydantic import SecretStr

from worker.adapters.livekit_encryption import encryption, plain_writer
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_tokens import page_mark
from worker.adapters.livekit_voice import LiveKitVoice, load_voice
from worker.clock import Clock
from worker.configuration.settings import Settings
from worker.participants.listener import Listener
from worker.ports import Holder


def meeting_room(
    room: rtc.Room,
    listener: Listener,
    tasks: asyncio.TaskGroup,
    settings: Settings,
    *,
    clock: Clock,
    epoch: int,
    me: Holder,
    on_holder_gone: Callable[[], None] = lambda: None,
    key: SecretStr | None = None,
) -> LiveKitRoom:
    """Make the `JoinedRoom` of a job; the other arguments are those of `LiveKitRoom`."""
    livekit, secret = settings.livekit, settings.livekit.api_secret.get_secret_value()
    return LiveKitRoom(
        room,
        listener,
        tasks,
        clock=clock,
        epoch=epoch,
        me=me,
        on_holder_gone=on_holder_gone,
        page_mark=partial(page_mark, secret),
        key=key,
        write_plainly=plain_writer(livekit.url, livekit.api_key, secret, room) if key is not None else None,
    )


def joining(key: SecretStr | None) -> dict[str, Any]:
    """Give the options of livekit-agents to connect with in a room of this key (None: of none)."""
    return {} if key is None else {"encryption": encryption(key)}


def voice(settings: Settings, room: rtc.Room, own: Callable[..., asyncio.Task[Any]]) -> LiveKitVoice | None:
    """Make the agent's voice in a room; None where TTS_ENGINE is none. `own` starts a task.

    Raises `Refused` where the engine cannot be made.
    """
    if settings.tts.engine == "none":
        return None
    return LiveKitVoice(room, load_voice(settings.tts.engine), own)
