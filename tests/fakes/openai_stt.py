"""An OpenAI-compatible transcription server that understands `tests.fakes.spoken`, and can misbehave."""

from __future__ import annotations

import asyncio
import io
import json
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from stt.segment import EngineFailed
from tests.fakes import spoken
from tests.fakes.listening import listen

Mood = Literal[
    "well", "500", "429", "401", "404", "400", "garbage", "html", "no_text", "hang", "slow", "hang_up"
]


@dataclass
class OpenAISpeechServer:
    """`mood` is how it answers; `once` moods come first, one request each."""

    mood: Mood = "well"
    once: list[Mood] = field(default_factory=list)
    accepts_verbose: bool = True
    accepts_language: bool = True
    accepts_prompt: bool = True
    repeats_prompt: bool = False
    """Whether it gives the prompt for what was said, as models do on noise."""
    prompts: list[str | None] = field(default_factory=list)
    """That of each request."""
    refusal: int = 400
    """The status with which it refuses these."""
    slow_s: float = 0.2
    odd: dict[str, Any] = field(default_factory=dict)
    """Fields of `verbose_json` that this server fills otherwise."""
    odd_part: dict[str, Any] = field(default_factory=dict)
    """The same, of each segment."""
    retry_after_s: int = 7
    """What it says with a 429."""
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[OpenAISpeechServer]:
        """Listen on a free loopback port."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        runner, url = await listen(app)
        self.base_url = f"{url}/v1"
        try:
            yield self
        finally:
            self.release.set()
            await runner.cleanup()

    async def _transcribe(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        upload = form["file"]
        assert isinstance(upload, web.FileField)
        sound, rate = _unwrap(upload.file.read())
        self.requests.append(
            {
                "model": form.get("model"),
                "language": form.get("language"),
                "response_format": form.get("response_format"),
                "authorization": request.headers.get("Authorization"),
                "rate": rate,
                "bytes": len(sound),
            }
        )
        prompt = form.get("prompt")
        self.prompts.append(None if prompt is None else str(prompt))
        mood = self.once.pop(0) if self.once else self.mood
        if (misbehaviour := await self._misbehave(mood, request)) is not None:
            return misbehaviour
        if form.get("response_format") == "verbose_json" and not self.accepts_verbose:
            return _error(self.refusal, "response_format 'verbose_json' is not compatible with this model")
        if "language" in form and not self.accepts_language:
            return _error(self.refusal, "internal error" if self.refusal >= 500 else "language: unknown")
        if "prompt" in form and not self.accepts_prompt:
            return _error(
                self.refusal, "internal error" if self.refusal >= 500 else "prompt is not supported"
            )
        if "prompt" in form and self.repeats_prompt:
            return web.json_response({"text": prompt, "language": "korean"})
        return self._answer(sound, str(form.get("response_format")))

    async def _misbehave(self, mood: Mood, request: web.Request) -> web.StreamResponse | None:
        match mood:
            case "well":
                return None
            case "slow":
                await asyncio.sleep(self.slow_s)
                return None
            case "hang":
                await self.release.wait()
                return _error(500, "hung")
            case "hang_up":
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            case "429":
                response = _error(429, "slow down")
                response.headers["Retry-After"] = str(self.retry_after_s)
                return response
            case "garbage":
                return web.Response(body=b"\x00\xff{not json", content_type="application/json")
            case "html":
                return web.Response(text="<html>It works!</html>", content_type="text/html")
            case "no_text":
                return web.json_response({"ok": True})
            case code:
                key = request.headers.get("Authorization", "")
                return _error(int(code), f"refused, you sent {key}")

    def _answer(self, sound: bytes, response_format: str) -> web.Response:
        value = spoken.value_of(sound)
        if value == spoken.OVERLOADED:
            return _error(503, "overloaded")
        try:
            segments = spoken.said(sound)
        except EngineFailed as failure:
            return _error(422, str(failure))
        text = " ".join(segment.text for segment in segments)
        if response_format == "json":
            return web.json_response({"text": text})
        parts = [
            {
                "id": number,
                "start": segment.start_ms / 1000,
                "end": segment.end_ms / 1000,
                "text": " " + segment.text,
                "avg_logprob": -0.2,
                "no_speech_prob": 0.01,
                "compression_ratio": 1.0,
            }
            | self.odd_part
            for number, segment in enumerate(segments)
        ]
        language = {"ko": "korean", "en": "english"}[segments[0].language or "ko"] if segments else "korean"
        answer = {"text": text, "language": language, "duration": 1.0, "segments": parts}
        return web.json_response(answer | self.odd)


def _error(status: int, message: str) -> web.Response:
    return web.Response(
        status=status, text=json.dumps({"error": {"message": message}}), content_type="application/json"
    )


def _unwrap(raw: bytes) -> tuple[bytes, int]:
    with wave.open(io.BytesIO(raw)) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        return sound.readframes(sound.getnframes()), sound.getframerate()
