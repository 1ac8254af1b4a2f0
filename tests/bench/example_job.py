"""LiveKit's own way to transcribe a room of several, as its public example `multi-user-transcriber` has it.

One `AgentSession` per participant, Silero's voice detector loaded before the job, a speech engine
behind its `StreamAdapter`, the text published by the session. Only the engine is ours: it takes no
time and no network, so that what is measured is the way up to its door, as with Moim.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from livekit import agents, rtc
from livekit.agents import LanguageCode, stt
from livekit.agents.voice import Agent, AgentSession, room_io
from livekit.plugins import silero

from tests.bench.bare_job import PID_ATTRIBUTE
from tests.bench.instant_stt import LINES

AGENT_NAME = "bench-example"


class _InstantStt(stt.STT[str]):
    """Knows what it hears before it has heard it."""

    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._asked = 0

    async def _recognize_impl(self, buffer: object, **_options: object) -> stt.SpeechEvent:
        del buffer
        text = LINES[self._asked % len(LINES)]
        self._asked += 1
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(language=LanguageCode("ko"), text=text)],
        )


make_stt: Callable[[], stt.STT[str]] = _InstantStt
"""The engine of each session; `tests.load` puts one here that is asked over the network."""


class _Transcriber(Agent):
    """One participant's agent: it hears, and answers nothing."""

    def __init__(self) -> None:
        super().__init__(instructions="not-needed", stt=make_stt())

    async def on_user_turn_completed(
        self, turn_ctx: agents.ChatContext, new_message: agents.ChatMessage
    ) -> None:
        """The example ends each turn here."""
        del turn_ctx, new_message
        raise agents.StopResponse


class _Room:
    """A session for everybody who is there, as long as they are."""

    def __init__(self, ctx: agents.JobContext) -> None:
        self._ctx = ctx
        self._sessions: dict[str, AgentSession[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def joined(self, participant: rtc.RemoteParticipant) -> None:
        """Somebody is here; agents are not transcribed."""
        if participant.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT:
            return
        if participant.identity not in self._sessions:
            session: AgentSession[None] = AgentSession(vad=self._ctx.proc.userdata["vad"])
            self._sessions[participant.identity] = session
            self._own(self._start(session, participant.identity))

    def left(self, participant: rtc.RemoteParticipant) -> None:
        """Somebody is gone."""
        if (session := self._sessions.pop(participant.identity, None)) is not None:
            self._own(session.aclose())

    async def aclose(self) -> None:
        """End every session."""
        await asyncio.gather(*(session.aclose() for session in self._sessions.values()))

    async def _start(self, session: AgentSession[None], identity: str) -> None:
        await session.start(
            agent=_Transcriber(),
            room=self._ctx.room,
            room_options=room_io.RoomOptions(
                audio_input=True,
                text_output=True,
                audio_output=False,
                participant_identity=identity,
                text_input=False,
            ),
        )

    def _own(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload] # coroutines of None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def prewarm(process: agents.JobProcess) -> None:
    """The detector, before there is a job."""
    process.userdata["vad"] = silero.VAD.load()


async def entrypoint(ctx: agents.JobContext) -> None:
    """Transcribe whoever is in the room."""
    room = _Room(ctx)
    ctx.room.on("participant_connected", room.joined)
    ctx.room.on("participant_disconnected", room.left)
    await ctx.connect(auto_subscribe=agents.AutoSubscribe.AUDIO_ONLY)
    for participant in ctx.room.remote_participants.values():
        room.joined(participant)
    ctx.add_shutdown_callback(room.aclose)
    await ctx.room.local_participant.set_attributes({PID_ATTRIBUTE: str(os.getpid())})
