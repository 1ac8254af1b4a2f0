"""A `SpeechEngine` over OpenAI's `/audio/transcriptions`, as OpenAI, vLLM and others serve it.

One request per stretch, the sound as a wav in memory. With `auto` the server finds out the language; where a
stretch is too short to believe it in a language that is not expected, it is asked once more, in the likelier
one. `verbose_json` brings scores and times; a server that refuses it is asked for `json` for an hour, one
that refuses the language finds it out by itself, and one that refuses the prompt, which holds the stretch's
terms, gets none (`stt.endpoint.optional_features`). A text that is little else than these terms is asked for
again without them, before its language is believed. Retries are the caller's: what may work again raises
`EngineBusy` (with `retry_after_s` where the server said so), all else `EngineFailed`.
"""

from __future__ import annotations

import io
import time
import wave
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from context.language.korean import has_hangul
from context.ports import Refused, Unavailable
from stt.agreement import Reading, TimedWord
from stt.endpoint.endpoint import OPENAI_URL, Endpoint
from stt.endpoint.optional_features import Feature, OptionalFeatures
from stt.endpoint.refusals import Named
from stt.endpoint.reply_reader import PlainText, text_of
from stt.hallucinations import Scores, is_hallucinated, is_of_terms, sounds_alike, text_compression
from stt.loudness import loud_ms
from stt.rereading import GrowingStretch, OnReading, uncounted
from stt.segment import (
    BYTES_PER_MS,
    SAMPLE_RATE_HZ,
    EngineBusy,
    EngineFailed,
    Segment,
    SpeechError,
    Stretch,
)
from stt.spoken_language import choose, evidence_of
from stt.spoken_terms import prompt_of, told
from stt.word_confidence import doubtful_words

_LANGUAGE_NAMES: Final = {"korean": "ko", "english": "en", "japanese": "ja", "chinese": "zh"}
_CONNECT_S: Final = 3.0
_LONGEST_READING_S: Final = 25.0
"""A server takes as long for a few seconds as for half a minute, so all of a stretch may be read again."""
_FEATURES: Final = (
    Feature("verbose_json", r"verbose_json|response_format"),
    Feature("prompt", r"\bprompt\b"),
    Feature("language", r"\blanguage\b"),
)


class OpenAICompatible:
    """Recognises speech by an HTTP server that speaks OpenAI's transcription API, one request a stretch."""

    def __init__(
        self,
        *,
        model: str = "whisper-1",
        base_url: str | None = None,
        api_key: str = "",
        gives_interims: bool = False,
        on_reading: OnReading = uncounted,
        gives_way: Callable[[], bool] = lambda: False,
        deadline_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`deadline_s`: for the whole answer. `clock`: for the features that are given up.

        With `gives_interims` the server is asked about once a second while somebody speaks; `on_reading` is
        told what became of each of these requests, `gives_way` says whether they have to wait just now.
        """
        self.name = model
        self.gives_interims, self._on_reading, self._gives_way = gives_interims, on_reading, gives_way
        self._finals = 0
        """How many requests for finals are under way."""
        address = urlsplit(base_url or OPENAI_URL).netloc.rpartition("@")[2]
        # A server whose network is gone is known within seconds, and waited for with the sound kept.
        self._endpoint = Endpoint(
            base_url or OPENAI_URL,
            api_key,
            Named(f"the speech endpoint {address}", "STT", api_key),
            read_timeout_s=deadline_s,
            connect_timeout_s=_CONNECT_S,
            deadline_s=deadline_s,
        )
        self._features = OptionalFeatures(*_FEATURES, clock=clock)

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """See `SpeechEngine.transcribe`; the server is asked for the final when the stretch has ended."""
        growing = GrowingStretch(
            stretch,
            self._look if self.gives_interims else None,
            longest_s=_LONGEST_READING_S,
            on_reading=self._on_reading,
            gives_way=self._gives_way,
        )
        async with aclosing(growing.interims()) as interims:
            async for interim in interims:
                yield interim
        if not (pcm := b"".join(growing.chunks)):
            return
        self._finals += 1
        try:
            segments = await self._recognised(pcm, stretch)
        finally:
            self._finals -= 1
        for segment in segments:
            yield segment

    async def aclose(self) -> None:
        """See `SpeechEngine.aclose`."""
        await self._endpoint.aclose()

    async def _recognised(self, pcm: bytes, stretch: Stretch) -> list[Segment]:
        sound, duration_ms = _wav(pcm), len(pcm) // BYTES_PER_MS
        segments = await self._told(sound, duration_ms, stretch.language, stretch.terms)
        language = next((each.language or _written_in(each.text) for each in segments), None)
        if stretch.language != "auto" or language is None:
            return segments
        expected = stretch.expected()
        sounded = evidence_of(language, loud_ms(pcm), expected=expected)
        likelier = choose(sounded, expected)
        if likelier != language and "language" not in self._features.given_up:
            with suppress(SpeechError):  # then as the server had it
                segments = await self._told(sound, duration_ms, likelier, stretch.terms) or segments
        return [replace(segment, sounded=sounded) for segment in segments]

    async def _told(
        self, sound: bytes, duration_ms: int, language: str, terms: Sequence[str]
    ) -> list[Segment]:
        """What is said in a stretch, by a server that is told terms but may not invent them."""
        terms = told(terms, language)
        segments = (await self._ask(sound, language, terms)).spoken(duration_ms, language)
        text = " ".join(segment.text for segment in segments)
        if not text or not is_of_terms(text, terms):
            return segments
        plain = (await self._ask(sound, language)).spoken(duration_ms, language)
        return segments if sounds_alike(text, " ".join(segment.text for segment in plain)) else plain

    async def _look(self, sound: bytes, language: str) -> Reading:
        if self._finals:
            raise EngineBusy("readings give way to finals")
        try:
            answer = await self._ask(_wav(sound), language)
        except EngineBusy as error:
            # A server with too much to do, or a limit on requests, has the finals to think of.
            raise EngineFailed(str(error)) from error
        spoken = answer.spoken(len(sound) // BYTES_PER_MS, language)
        words = [TimedWord(word, segment.end_ms) for segment in spoken for word in segment.text.split()]
        return Reading(tuple(words), next((segment.language for segment in spoken), None))

    async def _ask(self, sound: bytes, language: str, terms: Sequence[str] = ()) -> _Answer:
        wanted = {"verbose_json"}
        wanted |= {"language"} if language != "auto" else set()
        wanted |= {"prompt"} if terms else set()

        async def attempt(features: frozenset[str]) -> _Answer:
            form = {"model": self.name, "temperature": "0", "response_format": "json"}
            form |= {"response_format": "verbose_json"} if "verbose_json" in features else {}
            form |= {"language": language} if "language" in features else {}
            form |= {"prompt": prompt_of(terms)} if "prompt" in features else {}
            files = {"file": ("speech.wav", sound, "audio/wav")}
            async with aclosing(
                self._endpoint.answers("audio/transcriptions", form=form, files=files)
            ) as values:
                return self._read([value async for value in values])

        try:
            return await self._features.ask(wanted, attempt)
        except Unavailable as error:
            busy = EngineBusy(str(error))
            busy.retry_after_s = error.retry_after_s
            raise busy from None
        except Refused as error:
            raise EngineFailed(str(error)) from None

    def _read(self, values: list[Any]) -> _Answer:
        """The answer among the values of a reply: the text itself, or the last one that holds one.

        A reply without a text is the stretch's own failure: another try would bring the same.
        """
        for value in reversed(values):
            if isinstance(value, PlainText) and "-->" not in value:  # subtitles were not said so
                return _Answer(text=value)
            if isinstance(value, dict) and isinstance(value.get("text"), str):
                return _Answer.model_validate(value)
        if any(isinstance(value, dict) for value in values):
            raise EngineFailed(f"{self._endpoint.named.who} answered without a text; check STT_BASE_URL")
        raise self._endpoint.named.unreadable("something that is no transcription")


def _wav(pcm: bytes) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(SAMPLE_RATE_HZ)
        sound.writeframes(pcm)
    return out.getvalue()


def _written_in(text: str) -> str | None:
    """Korean or English by the letters of a text, where a server names no language; None: neither."""
    if has_hangul(text):
        return "ko"
    letters = [char for char in text if char.isalpha()]
    return "en" if letters and all(char.isascii() for char in letters) else None


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


_LENIENT: Final = WrapValidator(_or_none)
"""A field that is not as we expect counts as missing: a server's own ways must cost no words."""
_Number = Annotated[Annotated[float, Field(strict=True, allow_inf_nan=False)] | None, _LENIENT]


class _Word(BaseModel):
    """One of the words of a server's segment, as faster-whisper's and whisper.cpp's servers tell them."""

    word: str
    probability: Annotated[float, Field(strict=True, ge=0, le=1)]


class _Part(BaseModel):
    """One of a server's segments."""

    text: object = None
    words: Annotated[list[_Word] | None, _LENIENT] = None
    start: _Number = None
    end: _Number = None
    avg_logprob: _Number = None
    no_speech_prob: _Number = None

    def segment(self, duration_ms: int, language: str | None) -> Segment | None:
        """Make a `Segment` of it; None where it is empty or invented."""
        text = text_of(self.text).strip()
        scores = None
        if self.avg_logprob is not None:
            scores = Scores(self.avg_logprob, self.no_speech_prob or 0.0, text_compression(text))
        if not text or (scores is not None and is_hallucinated(text, scores)):
            return None
        start_ms = 0 if self.start is None else _within(self.start, 0, duration_ms)
        end_ms = duration_ms if self.end is None else _within(self.end, start_ms, duration_ms)
        confidence = None if scores is None else scores.confidence
        words = [(word.word, word.probability) for word in self.words or ()]
        return Segment(text, start_ms, end_ms, True, confidence, language, doubtful_words(text, words))


def _within(seconds: float, least_ms: int, most_ms: int) -> int:
    """The milliseconds, within their bounds."""
    return int(min(float(most_ms), max(float(least_ms), seconds * 1000)))


class _Answer(BaseModel):
    """A server's answer, as far as we read it."""

    text: str
    language: Annotated[str | None, _LENIENT] = None
    segments: Annotated[list[_Part] | None, _LENIENT] = None

    def spoken(self, duration_ms: int, asked: str) -> list[Segment]:
        """Make `Segment`s of it, in the language that the server says (`korean`, `ko`), else as `asked`."""
        language = None if asked == "auto" else asked
        if self.language:
            language_name = self.language.lower()
            language = _LANGUAGE_NAMES.get(language_name, language_name if len(language_name) <= 3 else None)
        if not any(text_of(part.text).strip() for part in self.segments or ()):
            text = text_of(self.text).strip()
            return [Segment(text, 0, duration_ms, final=True, language=language)] if text else []
        segments = [part.segment(duration_ms, language) for part in self.segments or ()]
        return [segment for segment in segments if segment is not None]
