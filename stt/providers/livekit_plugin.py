"""Any speech plugin of livekit-agents as a `SpeechEngine`, by import path: `livekit:package.module:factory`.

A plugin that streams hears the stretch while it grows and may give interims; one that doesn't gets
it whole. Its stream lives for one stretch only: whatever breaks in it, the next one is fresh (a
stream kept open dies for good at its first error, and loses the utterance in progress when flushed).
`AgentSession` and `StreamAdapter` keep streams open, so they are not used.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from stt.segment import (
    BYTES_PER_MS,
    SAMPLE_RATE_HZ,
    EngineBusy,
    EngineFailed,
    EngineSilent,
    Segment,
    SpeechError,
    Stretch,
)

if TYPE_CHECKING:
    from livekit.agents import stt as agents_stt

PREFIX: Final = "livekit:"
"""How the setting `STT_ENGINE` names a plugin."""
_WALL_CLOCK_S: Final = 1_000_000_000
"""A plugin's time beyond this is the time of day, not a place in the stretch."""
_SETTLE_S: Final = 3.0
"""How long a stream that gives interims may stay silent after its last final before it counts as over."""
_LAST_WORDS_S: Final = 1.0
"""How long a stream that takes no more sound is read for an error that says why."""


def load_plugin(path: str, *, language: str = "auto", deadline_s: float = 30.0) -> LiveKitPlugin:
    """Make the engine that `livekit:package.module:factory` names; the prefix may be left out.

    The factory is called with `language` where it takes one and the meeting has one, else without
    arguments. Raises `EngineFailed` with one line that says what to mend.
    """
    factory = _factory(path)
    arguments: dict[str, Any] = {}
    with suppress(TypeError, ValueError):  # written in C, or hides its signature
        if language != "auto" and "language" in inspect.signature(factory).parameters:
            arguments["language"] = language
    try:
        plugin = factory(**arguments)
    except Exception as error:
        raise EngineFailed(f"STT_ENGINE={path}: {type(error).__name__}: {_line(error)}") from error
    if not hasattr(plugin, "recognize") or not hasattr(plugin, "capabilities"):
        raise EngineFailed(f"STT_ENGINE={path}: gave a {type(plugin).__name__}, not a livekit-agents STT")
    return LiveKitPlugin(plugin, deadline_s=deadline_s)


def _factory(path: str) -> Callable[..., Any]:
    module_name, _, factory_name = path.removeprefix(PREFIX).partition(":")
    if not module_name or not factory_name:
        raise EngineFailed(f"STT_ENGINE={path}: write livekit:package.module:factory")
    try:
        target: Any = attrgetter(factory_name)(importlib.import_module(module_name))
    except ImportError as error:
        why = f"{_line(error)}; is the plugin's package installed?"
        raise EngineFailed(f"STT_ENGINE={path}: {why}") from error
    except AttributeError as error:
        raise EngineFailed(f"STT_ENGINE={path}: {_line(error)}") from error
    if not callable(target):
        raise EngineFailed(f"STT_ENGINE={path}: {factory_name} can't be called")
    return target  # type: ignore[no-any-return] # it is callable, which is all that is known


class LiveKitPlugin:
    """A `SpeechEngine` over an STT of livekit-agents; a result is due `deadline_s` after the sound's end."""

    def __init__(self, plugin: agents_stt.STT[Any], *, deadline_s: float = 30.0) -> None:
        self.name = f"livekit:{plugin.label}"
        self._settles = plugin.capabilities.streaming and plugin.capabilities.interim_results
        self.gives_interims = self._settles
        self._plugin = plugin
        self._deadline_s = deadline_s

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """See `SpeechEngine.transcribe`; times that the plugin doesn't give are estimated."""
        source = self._streamed if self._plugin.capabilities.streaming else self._whole
        try:
            async with aclosing(source(stretch)) as segments:
                async for segment in segments:
                    yield segment
        except SpeechError:
            raise
        except TimeoutError as error:
            raise EngineSilent(f"{self.name}: no result {self._deadline_s:g} s after the speech") from error
        except Exception as error:
            from livekit.agents import APIError

            reason = f"{self.name}: {type(error).__name__}: {_line(error)}"
            may_work_again = isinstance(error, APIError) and error.retryable
            raise (EngineBusy if may_work_again else EngineFailed)(reason) from error

    async def aclose(self) -> None:
        """See `SpeechEngine.aclose`."""
        await self._plugin.aclose()

    async def _whole(self, stretch: Stretch) -> AsyncGenerator[Segment, None]:
        pcm = b"".join([chunk async for chunk in stretch.sound])
        if not pcm:
            return
        async with asyncio.timeout(self._deadline_s):
            event = await self._plugin.recognize(_frame(pcm), **self._options(stretch))
        # some batch plugins mark their one result as interim
        if (segment := _segment(event, len(pcm) // BYTES_PER_MS, 0.0, final=True)) is not None:
            yield segment

    async def _streamed(self, stretch: Stretch) -> AsyncGenerator[Segment, None]:
        stream = self._plugin.stream(**self._options(stretch))
        listening = _Listening(stream, self._deadline_s, settles=self._settles)
        feeding = asyncio.create_task(  # noqa: TID251 - owned here, ended in the finally below
            listening.feed(stretch.sound), name="stt-feed"
        )
        try:
            while (event := await listening.next_event()) is not None:
                if (segment := listening.segment_of(event)) is not None:
                    yield segment
            if not feeding.done():
                raise EngineFailed(f"{self.name} stopped before the end of the sound")
        finally:
            feeding.cancel()
            await asyncio.wait([feeding])
            await stream.aclose()

    def _options(self, stretch: Stretch) -> dict[str, Any]:
        """Arguments of a call: no retries inside the plugin, as `stt.transcription` does them."""
        from livekit.agents import APIConnectOptions

        language = {} if stretch.language == "auto" else {"language": stretch.language}
        return {"conn_options": APIConnectOptions(max_retry=0, timeout=self._deadline_s), **language}


class _Listening:
    """One stretch on one stream of a plugin: feeds the sound, and reads events as long as they are due."""

    def __init__(self, stream: Any, deadline_s: float, *, settles: bool) -> None:
        self._stream = stream
        self._deadline_s = deadline_s
        self._settles = settles
        self._pushed_ms = 0
        self._final_end_ms = 0
        self._complete = False
        """Whether the newest segment was a final one."""
        self._ended_at_s: float | None = None
        self._broken: Exception | None = None
        self._limit: asyncio.Timeout | None = None

    async def feed(self, sound: AsyncIterator[bytes]) -> None:
        """Push the sound as it comes, then tell the stream that it has ended. Never raises."""
        try:
            async for chunk in sound:
                self._stream.push_frame(_frame(chunk))
                self._pushed_ms += len(chunk) // BYTES_PER_MS
            self._stream.end_input()
        except Exception as error:  # noqa: BLE001 - next_event raises it, unless the stream has a better one
            self._broken = error
        self._ended_at_s = asyncio.get_running_loop().time()
        if self._limit is not None:
            self._limit.reschedule(self._wait_until_s())

    async def next_event(self) -> Any:
        """Wait for the next event; None when the stream is over. Raises `TimeoutError` or as the plugin.

        A stream whose newest segment is final and that merely does not close is over, too.
        """
        try:
            async with asyncio.timeout_at(self._wait_until_s()) as self._limit:
                return await anext(self._stream, None)
        except TimeoutError:
            if self._limit is None or not self._limit.expired():
                raise  # the plugin's own
            if self._broken is not None:
                raise self._broken from None
            if not self._complete:
                raise
            return None
        finally:
            self._limit = None

    def segment_of(self, event: Any) -> Segment | None:
        """Make a segment of an event, with times on the stretch's clock; None where it holds no text."""
        kind = str(getattr(event.type, "value", event.type))
        if kind not in ("interim_transcript", "preflight_transcript", "final_transcript"):
            return None
        final = kind == "final_transcript"
        segment = _segment(event, self._pushed_ms, self._stream.start_time, final, self._final_end_ms)
        if segment is not None:
            self._complete = final
            if final:
                self._final_end_ms = segment.end_ms
        return segment

    def _wait_until_s(self) -> float | None:
        if self._ended_at_s is None:
            return None
        if self._broken is not None:
            return self._ended_at_s + _LAST_WORDS_S
        return self._ended_at_s + (_SETTLE_S if self._complete and self._settles else self._deadline_s)


def _segment(event: Any, pushed_ms: int, began_s: float, final: bool, after_ms: int = 0) -> Segment | None:
    """Make a segment of an event's best alternative; None where it holds no text.

    Times that it doesn't give reach from the last final (`after_ms`) to the newest sound (`pushed_ms`).
    """
    if not event.alternatives or not event.alternatives[0].text.strip():
        return None
    best = event.alternatives[0]
    start, end = _stretch_ms(best.start_time, began_s), _stretch_ms(best.end_time, began_s)
    if end <= start:  # not given
        start, end = after_ms, pushed_ms
    start = min(start, pushed_ms)
    return Segment(
        text=best.text.strip(),
        start_ms=start,
        end_ms=min(pushed_ms, max(start, end)),
        final=final,
        confidence=min(1.0, best.confidence) if best.confidence > 0 else None,  # 0.0: none given
        language=str(best.language or "").split("-")[0].lower() or None,
    )


def _stretch_ms(time_s: float, began_s: float) -> int:
    since_s = time_s - began_s if time_s > _WALL_CLOCK_S else time_s
    return max(0, int(since_s * 1000))


def _frame(pcm: bytes) -> Any:
    from livekit import rtc

    return rtc.AudioFrame(
        data=pcm, sample_rate=SAMPLE_RATE_HZ, num_channels=1, samples_per_channel=len(pcm) // 2
    )


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
