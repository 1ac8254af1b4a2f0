"""Any endpoint that speaks OpenAI's `/audio/transcriptions`: OpenAI, vLLM, faster-whisper servers.

One request per stretch, the sound as a wav in memory. `verbose_json` brings scores and times; a
server that refuses it is asked for `json` from then on. Retries are the caller's: what may work
again is `EngineBusy` (with `retry_after_s` where the server said so), everything else `EngineFailed`.
"""

from __future__ import annotations

import io
import json
import re
import wave
from collections.abc import AsyncIterator
from typing import Any, Final

import openai

from stt.providers.invention import Scores, confidence, is_invented, text_compression
from stt.providers.tls import openai_client, retry_after_s
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineBusy, EngineFailed, Segment, Stretch

_LANGUAGE_NAMES: Final = {"korean": "ko", "english": "en", "japanese": "ja", "chinese": "zh"}
_OPENAI: Final = "https://api.openai.com/v1"
_CONNECT_S: Final = 3.0
_REFUSED_FORMAT: Final = (400, 415, 422)


class OpenAICompatible:
    """Recognises speech by an HTTP server that speaks OpenAI's transcription API."""

    gives_interims = False

    def __init__(
        self,
        *,
        model: str = "whisper-1",
        base_url: str | None = None,
        api_key: str = "",
        deadline_s: float = 30.0,
    ) -> None:
        self.name = model
        self._format = "verbose_json"
        # A server whose network is gone is known within seconds, and waited for with the sound kept.
        self._client = openai_client(
            base_url or _OPENAI, api_key, read_timeout_s=deadline_s, connect_timeout_s=_CONNECT_S
        )
        self._secret = api_key

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """Hear the stretch to its end, then ask. Raises `EngineBusy` or `EngineFailed`."""
        pcm = bytearray()
        async for chunk in stretch.sound:
            pcm += chunk
        if not pcm:
            return
        answer = await self._ask(bytes(pcm), stretch.language)
        for segment in _segments(answer, len(pcm) // BYTES_PER_MS, stretch.language):
            yield segment

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def _ask(self, pcm: bytes, language: str) -> dict[str, Any]:
        sound = _wav(pcm)
        if self._format == "verbose_json":
            try:
                return await self._post(sound, language, "verbose_json")
            except openai.APIStatusError as refusal:
                if refusal.status_code not in _REFUSED_FORMAT:
                    raise self._translated(refusal) from None
        try:
            answer = await self._post(sound, language, "json")
        except openai.APIStatusError as error:
            raise self._translated(error) from None
        self._format = "json"
        return answer

    async def _post(self, sound: bytes, language: str, response_format: str) -> dict[str, Any]:
        fields: dict[str, Any] = {"response_format": response_format}
        if language != "auto":
            fields["language"] = language
        try:
            response = await self._client.audio.transcriptions.with_raw_response.create(
                file=("speech.wav", sound, "audio/wav"),
                model=self.name,
                temperature=0,
                **fields,
            )
            answer = json.loads(response.content)
        except openai.APITimeoutError:
            raise EngineBusy(f"no answer from {self._where()} in time") from None
        except openai.APIConnectionError as error:
            raise EngineBusy(
                f"{self._where()} can't be reached: {self._clean(error.__cause__ or error)}"
            ) from None
        except ValueError:
            # Whatever sits before a server that is down says so with a page: the stretch is not at fault.
            raise EngineBusy(
                f"{self._where()} answered something that is not JSON; check STT_BASE_URL"
            ) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise EngineFailed(f"{self._where()} answered without a text; check STT_BASE_URL")
        return answer

    def _translated(self, error: openai.APIStatusError) -> EngineBusy | EngineFailed:
        code, where = error.status_code, self._where()
        if code == 429 or code >= 500 or code == 408:
            busy = EngineBusy(f"{where} answered {code}")
            busy.retry_after_s = retry_after_s(error.response.headers)
            return busy
        if code in (401, 403):
            return EngineFailed(f"{where} refused the key ({code}); check STT_API_KEY")
        if code == 404:
            return EngineFailed(
                f"{where} knows no such path or model ({code}); check STT_BASE_URL and STT_MODEL"
            )
        return EngineFailed(f"{where} refused the request ({code}): {self._clean(error.message)}")

    def _where(self) -> str:
        url = self._client.base_url
        return f"{url.host}:{url.port}" if url.port else url.host

    def _clean(self, text: object) -> str:
        """One short line without the key in it."""
        line = " ".join(str(text).split())[:200]
        line = line.replace(self._secret, "…") if self._secret else line
        return re.sub(r"\bsk-\S+", "sk-…", line)


def _wav(pcm: bytes) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(SAMPLE_RATE_HZ)
        sound.writeframes(pcm)
    return out.getvalue()


def _segments(answer: dict[str, Any], duration_ms: int, asked: str) -> list[Segment]:
    language = _language(answer.get("language"), asked)
    parts = answer.get("segments")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts) or not parts:
        text = answer["text"].strip()
        return [Segment(text, 0, duration_ms, final=True, language=language)] if text else []
    return [segment for part in parts if (segment := _segment(part, duration_ms, language)) is not None]


def _segment(part: dict[str, Any], duration_ms: int, language: str | None) -> Segment | None:
    text = str(part.get("text") or "").strip()
    logprob = _number(part.get("avg_logprob"))
    if not text:
        return None
    if logprob is not None:
        no_speech = _number(part.get("no_speech_prob")) or 0.0
        if is_invented(text, Scores(logprob, no_speech, text_compression(text))):
            return None
    start = min(duration_ms, max(0, int((_number(part.get("start")) or 0.0) * 1000)))
    end = _number(part.get("end"))
    end_ms = duration_ms if end is None else min(duration_ms, max(start, int(end * 1000)))
    return Segment(
        text,
        start,
        end_ms,
        final=True,
        confidence=None if logprob is None else confidence(logprob),
        language=language,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _language(said: object, asked: str) -> str | None:
    """The server's word (`korean` or `ko`), else what was asked for."""
    if isinstance(said, str) and said:
        lowered = said.lower()
        return _LANGUAGE_NAMES.get(lowered, lowered if len(lowered) <= 3 else None)
    return None if asked == "auto" else asked
