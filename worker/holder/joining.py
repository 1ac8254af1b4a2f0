"""How a job comes into its room, as a holder or as a standby."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from livekit import agents

from context.ports import Unavailable
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_voice import LiveKitVoice, load_voice
from worker.bootstrap import Parts
from worker.errors import one_line
from worker.holder.handover import Handover
from worker.holder.presence import Presence
from worker.meeting.outlets import Outlets
from worker.ports import Holder, MeetingRow
from worker.process import jobs

log = structlog.get_logger(__name__)

CONNECT_DEADLINE_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class Seat:
    """A job's place at a meeting."""

    ctx: agents.JobContext
    shared: Parts
    row: MeetingRow
    me: Holder
    outlets: Outlets


async def join(ctx: agents.JobContext, room: LiveKitRoom) -> None:
    """Connect, hearing everybody, and meet who is here. Raises `Unavailable`."""
    bound = asyncio.timeout(CONNECT_DEADLINE_S)
    try:
        async with bound:
            await ctx.connect(auto_subscribe=agents.AutoSubscribe.AUDIO_ONLY)
            await room.arrive()
            log.info("room_joined")
    except Exception as error:
        why = f"no answer within {CONNECT_DEADLINE_S:.0f} s" if bound.expired() else one_line(error)
        raise Unavailable(f"room {ctx.job.room.name!r} could not be joined: {why}") from error


def speak_in(seat: Seat, presence: Presence, room: LiveKitRoom, epoch: int) -> None:
    """The meeting's outlets get the room, and a voice where one is configured; and there is a way out."""
    presence.closers += [room.aclose, _handover(seat, presence, room, epoch)]
    seat.outlets.add(room.outlet, first=True)
    if (engine := seat.shared.settings.tts.engine) != "none":
        voice = LiveKitVoice(seat.ctx.room, load_voice(engine), presence.tasks.create_task)
        presence.closers.append(voice.aclose)
        seat.outlets.add(voice)


def _handover(seat: Seat, presence: Presence, room: LiveKitRoom, epoch: int) -> Callable[[], Awaitable[None]]:
    """Leave for a successor when the worker is asked to stop; what it gives ends that."""
    handover = Handover(
        seat.shared.standbys,
        seat.shared.registry,
        seat.shared.leases,
        jobs.directory(seat.shared.settings),
        me=seat.me,
        epoch=epoch,
        session=presence.session,
        attendant=presence.attendant,
        standby_in_room=room.standby_in_room,
    )
    running = presence.tasks.create_task(handover.run(), name="handover")

    async def end() -> None:
        running.cancel()

    return end
