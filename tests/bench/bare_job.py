"""The least that a job of livekit-agents does in a room: the baseline of what a meeting costs.

It subscribes to everybody's audio, counts frames of the size that a meeting listens in, and sends
back what is written to it, so that the way to a job and back has a figure of its own.
"""

from __future__ import annotations

import asyncio
import os
from typing import Final

from livekit import agents, rtc

from stt.segment import SAMPLE_RATE_HZ
from worker.adapters.livekit_room import FRAME_MS

AGENT_NAME: Final = "bench-bare"
ECHO_TOPIC: Final = "bench.echo"
PID_ATTRIBUTE: Final = "bench.pid"
"""Shown once it is in the room."""


async def entrypoint(ctx: agents.JobContext) -> None:
    """Subscribe and count until the room is over."""
    over = asyncio.Event()
    frames = 0

    async def count(track: rtc.Track) -> None:
        nonlocal frames
        stream = rtc.AudioStream.from_track(
            track=track, sample_rate=SAMPLE_RATE_HZ, num_channels=1, frame_size_ms=FRAME_MS
        )
        try:
            async for _ in stream:
                frames += 1
        finally:
            await stream.aclose()

    async def echo(reader: rtc.TextStreamReader) -> None:
        text = await reader.read_all()
        writer = await ctx.room.local_participant.stream_text(topic=ECHO_TOPIC)
        await writer.write(text)
        await writer.aclose()

    async with asyncio.TaskGroup() as tasks:
        owned: list[asyncio.Task[None]] = []
        ctx.room.on("track_subscribed", lambda track, *_: owned.append(tasks.create_task(count(track))))
        ctx.room.register_text_stream_handler(
            ECHO_TOPIC, lambda reader, _: owned.append(tasks.create_task(echo(reader)))
        )
        ctx.room.on("disconnected", lambda *_: over.set())
        await ctx.connect(auto_subscribe=agents.AutoSubscribe.AUDIO_ONLY)
        await ctx.room.local_participant.set_attributes({PID_ATTRIBUTE: str(os.getpid())})
        await over.wait()
        for task in owned:
            task.cancel()


async def accept(request: agents.JobRequest) -> None:
    """Take it, at once."""
    await request.accept(name="Bare")
