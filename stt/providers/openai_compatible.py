"""A `SpeechEngine` over OpenAI's `/audio/transcriptions`, as OpenAI, vLLM and others serve it.

One request per stretch, the sound as a wav in memory. `verbose_json` brings scores and times; a
server that refuses it is asked for `json` from then on. Retries are the caller's: what may work
again raises `EngineBusy` (with `retry_after_s` where the server said so), all else `EngineFailed`.
"""

from __future__ import annotations

import io
import json
import re
import wave
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

import openai
from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from stt.invention import Scores, is_invented, text_compression
from stt.providers.tls import openai_client, retry_after_s
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineBusy, EngineFailed, Segment, Stretch

_LANGUAGE_NAMES: Final = {"korean": "ko", "english": "en", "japanese": "ja", "chinese": "zh"}
_OPENAI: Final = "https://api.openai.com/v1"
_CONNECT_S: Final = 3.0
_REFUSED_FORMAT: Final = (400, 415, 422)


class OpenAICompatible:
    """Recognises speech by an HTTP server that speaks OpenAI's transcription API, one request a stretch."""

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
        """See `SpeechEngine.transcribe`; the server is asked when the stretch has ended."""
        pcm = b"".join([chunk async for chunk in stretch.sound])
        if not pcm:
            return
        answer = await self._ask(_wav(pcm), stretch.language)
        for segment in answer.spoken(len(pcm) // BYTES_PER_MS, stretch.language):
            yield segment

    async def aclose(self) -> None:
        """See `SpeechEngine.aclose`."""
        await self._client.close()

    async def _ask(self, sound: bytes, language: str) -> _Answer:
        try:
            if self._format == "verbose_json":
                try:
                    return await self._post(sound, language, "verbose_json")
                except openai.APIStatusError as refusal:
                    if refusal.status_code not in _REFUSED_FORMAT:
                        raise
            answer = await self._post(sound, language, "json")
        except openai.APIStatusError as error:
            raise self._translated(error) from None
        self._format = "json"
        return answer

    async def _post(self, sound: bytes, language: str, response_format: str) -> _Answer:
        fields: dict[str, Any] = {"response_format": response_format}
        if language != "auto":
            fields["language"] = language
        where = self._where()
        try:
            response = await self._client.audio.transcriptions.with_raw_response.create(
                file=("speech.wav", sound, "audio/wav"),
                model=self.name,
                temperature=0,
                **fields,
            )
            return _Answer.model_validate(json.loads(response.content))
        except openai.APITimeoutError:
            raise EngineBusy(f"no answer from {where} in time") from None
        except openai.APIConnectionError as error:
            raise EngineBusy(f"{where} can't be reached: {self._clean(error.__cause__ or error)}") from None
        except ValidationError:
            raise EngineFailed(f"{where} answered without a text; check STT_BASE_URL") from None
        except ValueError:
            # Whatever sits before a server that is down says so with a page: the stretch is not at fault.
            raise EngineBusy(f"{where} answered something that is not JSON; check STT_BASE_URL") from None

    def _translated(self, error: openai.APIStatusError) -> EngineBusy | EngineFailed:
        code, where = error.status_code, self._where()
        if code == 429 or code >= 500 or code == 408:
            busy = EngineBusy(f"{where} answered {code}")
            busy.retry_after_s = retry_after_s(error.response.headers)
            return busy
        if code in (401, 403):
            return EngineFailed(f"{where} refused the key ({code}); check STT_API_KEY")
        if code == 404:
            why = f"{where} knows no such path or model ({code}); check STT_BASE_URL and STT_MODEL"
            return EngineFailed(why)
        return EngineFailed(f"{where} refused the request ({code}): {self._clean(error.message)}")

    def _where(self) -> str:
        url = self._client.base_url
        return f"{url.host}:{url.port}" if url.port else url.host

    def _clean(self, text: object) -> str:
        """Make one short line of a message, without the key in it."""
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


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


_LENIENT: Final = WrapValidator(_or_none)
"""A field that is not as we expect counts as missing: a server's own ways must cost no words."""
_Number = Annotated[Annotated[float, Field(strict=True, allow_inf_nan=False)] | None, _LENIENT]


class _Part(BaseModel):
    """One of a server's segments."""

    text: object = None
    start: _Number = None
    end: _Number = None
    avg_logprob: _Number = None
    no_speech_prob: _Number = None

    def segment(self, duration_ms: int, language: str | None) -> Segment | None:
        """Make a `Segment` of it; None where it is empty or invented."""
        text = str(self.text or "").strip()
        scores = None
        if self.avg_logprob is not None:
            scores = Scores(self.avg_logprob, self.no_speech_prob or 0.0, text_compression(text))
        if not text or (scores is not None and is_invented(text, scores)):
            return None
        start_ms = min(duration_ms, max(0, int((self.start or 0.0) * 1000)))
        end_ms = duration_ms if self.end is None else min(duration_ms, max(start_ms, int(self.end * 1000)))
        confidence = None if scores is None else scores.confidence
        return Segment(text, start_ms, end_ms, final=True, confidence=confidence, language=language)


class _Answer(BaseModel):
    """A server's answer, as far as we read it."""

    text: str
    language: Annotated[str | None, _LENIENT] = None
    segments: Annotated[list[_Part] | None, _LENIENT] = None

    def spoken(self, duration_ms: int, asked: str) -> list[Segment]:
        """Make `Segment`s of it, in the language that the server says (`korean`, `ko`), else as `asked`."""
        language = None if asked == "auto" else asked
        if self.language:
            said = self.language.lower()
            language = _LANGUAGE_NAMES.get(said, said if len(said) <= 3 else None)
        if not self.segments:
            text = self.text.strip()
            return [Segment(text, 0, duration_ms, final=True, language=language)] if text else []
        found = [part.segment(duration_ms, language) for part in self.segments]
        return [segment for segment in found if segment is not None]
