"""The agent's voice, where one is configured: public answers are spoken into the room as well.

It is any TTS plugin of livekit-agents, named by its import path. Text stays first: an answer is in the chat
before a word is spoken, and a voice that fails costs nobody the answer. One answer is spoken at a time; a
newer one cuts the older short. Private answers are never spoken.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

import structlog
from livekit import rtc
from livekit.rtc.participant import PublishTrackError

from context.models import AgentCallType
from context.ports import Refused
from worker.adapters.livekit_outlet import guests_in
from worker.outlets import Replies, ReplyStream, SilentOutlet

if TYPE_CHECKING:
    from livekit.agents import tts

log = structlog.get_logger(__name__)

PREFIX: Final = "livekit:"
TRACK_NAME: Final = "moim-voice"
_ANSWER_S: Final = 60.0
"""An answer is spoken for no longer than this."""
_PUBLISH_S: Final = 10.0
"""LiveKit takes a track within this, or it is published once more, as long as there is an answer to speak."""
_PUBLISH_PAUSE_S: Final = 1.0
_MOST_CHARS: Final = 1200
_TIME: Final = re.compile(r"\s?\(\d{1,2}:\d{2}(?::\d{2})?\)|\s?\[#\d+\]")
_MARKUP: Final = re.compile(r"[*_`#>]+|^\s*-\s+", re.MULTILINE)


def load_voice(path: str) -> tts.TTS[Any]:
    """Make the plugin that `livekit:package.module:factory` names. Raises `Refused` where there is none."""
    module, _, name = path.removeprefix(PREFIX).rpartition(":")
    try:
        voice = getattr(importlib.import_module(module), name)()
    except Exception as error:
        raise Refused(f"TTS_ENGINE={path!r}: {type(error).__name__}: {error}") from error
    if not hasattr(voice, "synthesize") or not hasattr(voice, "sample_rate"):
        raise Refused(f"TTS_ENGINE={path!r}: gave a {type(voice).__name__}, not a livekit-agents TTS")
    return voice  # type: ignore[no-any-return] # checked by its shape: plugins come in many versions


def spoken(text: str) -> str:
    """Return an answer as it is read aloud: without markup, times and citations, 1200 characters at most."""
    plain = _MARKUP.sub("", _TIME.sub("", text))
    lines = (" ".join(line.split()) for line in plain.splitlines())
    whole = " ".join(line for line in lines if line)
    if len(whole) <= _MOST_CHARS:
        return whole
    end = max(whole.rfind(mark, 0, _MOST_CHARS) for mark in ".!?")
    return whole[: end + 1 if end > 0 else _MOST_CHARS]


class LiveKitVoice(SilentOutlet):
    """An `Outlet` that speaks public answers into the room, and nothing else."""

    def __init__(self, room: rtc.Room, voice: tts.TTS[Any], own: Callable[..., asyncio.Task[Any]]) -> None:
        """`own` starts a task that its owner ends, as `TaskGroup.create_task` does."""
        self._room, self._voice, self._own = room, voice, own
        self._source: rtc.AudioSource | None = None
        self._speaking: asyncio.Task[Any] | None = None

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`: the answer is spoken when it is whole; one for a single person is not.

        Everybody hears what is said aloud: what is not for guests is not spoken while there are any.
        """
        del invocation_id, call_type, evidence
        for_all = to is None and not (instead and guests_in(self._room))
        return _Gathered(self.speak) if for_all else Replies([])

    def speak(self, text: str) -> None:
        """Start to speak an answer, in place of what is being spoken."""
        self.hush()
        if words := spoken(text):
            self._speaking = self._own(self._utter(words), name="voice")

    def hush(self) -> None:
        """Stop speaking."""
        if self._speaking is not None:
            self._speaking.cancel()
            self._speaking = None
        if self._source is not None:
            self._source.clear_queue()

    async def aclose(self) -> None:
        """Stop speaking and close the plugin. Raises nothing."""
        self.hush()
        try:
            await self._voice.aclose()
        except Exception as error:  # noqa: BLE001 -- as above: the meeting still has to be ended
            log.warning("voice_not_closed", error=str(error) or type(error).__name__)

    async def _utter(self, text: str) -> None:
        try:
            async with asyncio.timeout(_ANSWER_S):
                source = await self._track()
                async with aclosing(self._voice.synthesize(text)) as sound:
                    async for piece in sound:
                        await source.capture_frame(piece.frame)
                await source.wait_for_playout()
        except Exception as error:  # noqa: BLE001 -- a plugin may raise anything; the answer stands in the chat
            log.warning("voice_failed", error=str(error) or type(error).__name__)

    async def _track(self) -> rtc.AudioSource:
        """Return the source of the agent's own track, which is published at the first word.

        A track that LiveKit refuses, or does not take in time, costs no answer its voice: it is tried again.
        """
        while self._source is None:
            source = rtc.AudioSource(self._voice.sample_rate, self._voice.num_channels)
            track = rtc.LocalAudioTrack.create_audio_track(TRACK_NAME, source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
            try:
                async with asyncio.timeout(_PUBLISH_S):
                    await self._room.local_participant.publish_track(track, options)
            except (TimeoutError, PublishTrackError) as error:
                log.warning("voice_not_published", error=str(error) or type(error).__name__)
                await asyncio.sleep(_PUBLISH_PAUSE_S)
            else:
                self._source = source
        return self._source


class _Gathered:
    """A `ReplyStream` that gathers one answer and hands it to `done` when it is whole."""

    def __init__(self, done: Callable[[str], None]) -> None:
        self._done = done
        self._pieces: list[str] = []

    async def write(self, text: str) -> None:
        """See `ReplyStream.write`."""
        self._pieces.append(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """See `ReplyStream.close`."""
        del evidence
        self._done("".join(self._pieces))
