"""Local speech recognition by faster-whisper.

`Whisper` is blocking and thread-safe, and works on one utterance on one core; it runs inside the engine
process (`stt.engine`), never in a meeting's job. Decoding is beam search at temperature 0 without timestamps
and without what was said before: fall-back temperatures made bad sound take 10 s and loop.

Terms that may be said are told in the place of what was said before, where somebody surely speaks: told of
them, the model says that somebody speaks in any noise, so it is asked without them. A text that is unsure, or
little but terms, is decoded once more without, and the terms stand only if that sounds alike. Readings are
made without terms.

What the scores call made up is dropped (`stt.hallucinations`). Where the model comes from: `whisper_weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from context.evidence.doubtful_figures import carried
from context.evidence.figure_places import FigurePlace
from stt.agreement import Reading, TimedWord
from stt.hallucinations import (
    MAX_NO_SPEECH_PROBABILITY,
    MIN_TERMS_LOGPROB,
    Scores,
    is_hallucinated,
    is_of_terms,
    sounds_alike,
    text_compression,
    without_echo,
)
from stt.loudness import loud_ms
from stt.providers import whisper_words
from stt.providers.whisper_device import ON_CPU, WhisperDevice
from stt.providers.whisper_window import (
    FRAMES_PER_S,
    WINDOW_S,
    Floats,
    floats,
    padded,
    pieces,
    reading_window_s,
    window_s,
)
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineBusy, EngineFailed, Segment
from stt.spoken_language import FIRST_SHARES, Shares, choose, evidence
from stt.spoken_terms import prompt_of, told
from stt.word_confidence import LEAST_SHARE, figure_tokens

_ATTENTION_MS: Final = 20
"""How much sound each place of the encoder's output stands for."""
_BEAM_SIZE: Final = 5


class _Text(NamedTuple):
    """A text that the model wrote, its scores, and how it came about."""

    text: str
    scores: Scores
    prompt: list[int]
    tokens: list[int]


class Whisper:
    """A `Recogniser` by a model in memory; `workers` calls of `recognise` run at once.

    On the CPU each is on one core.
    """

    def __init__(
        self, model_dir: Path, *, name: str, workers: int = 2, placement: WhisperDevice = ON_CPU
    ) -> None:
        from faster_whisper import WhisperModel

        self.name = name
        self._whisper = WhisperModel(
            str(model_dir),
            device=placement.device,
            compute_type=placement.compute_type,
            cpu_threads=1,
            num_workers=workers,
        )

    def recognise(
        self, pcm: bytes, language: str, expected: Shares = FIRST_SHARES, terms: Sequence[str] = ()
    ) -> list[Segment]:
        """Recognise a stretch of PCM, one segment for each 30 s or less of it; none where nothing was said.

        `language` is `ko`, `en`, `auto`, or another code that the model knows, else it raises `EngineFailed`.
        `expected`, `terms`: see `Recogniser.recognise`.
        """
        sound = floats(pcm)
        segments: list[Segment] = []
        end = 0
        for piece in pieces(sound):
            start_ms = end * 1000 // SAMPLE_RATE_HZ
            end += len(piece)
            end_ms = min(end * 1000 // SAMPLE_RATE_HZ, len(pcm) // BYTES_PER_MS)
            encoded = self._encode(piece)
            sounded = self._sounded(encoded, piece, expected) if language == "auto" else None
            chosen = language if sounded is None else choose(sounded, expected)
            duration_s = len(piece) / SAMPLE_RATE_HZ
            written = self._told(encoded, chosen, duration_s, told(terms, chosen))
            if not is_hallucinated(written.text, written.scores):
                doubtful = self._doubtful(encoded, written, chosen)
                sure = written.scores.confidence
                segments.append(
                    Segment(written.text, start_ms, end_ms, True, sure, chosen, doubtful, sounded=sounded)
                )
        return segments

    def read(
        self, pcm: bytes, language: str, goes_on: Callable[[], bool], expected: Shares = FIRST_SHARES
    ) -> Reading:
        """See `Recogniser.read`: greedy, and in the smallest window that holds the sound."""
        sound = floats(pcm)
        duration_s = len(sound) / SAMPLE_RATE_HZ
        encoded = self._encode(sound, reading_window_s(duration_s))
        _or_give_way(goes_on)
        chosen = choose(self._sounded(encoded, sound, expected), expected) if language == "auto" else language
        written = self._decode(encoded, chosen, duration_s, beam_size=1)
        if is_hallucinated(written.text, written.scores):
            return Reading((), chosen)
        _or_give_way(goes_on)
        return Reading(self._timed(encoded, written.tokens, chosen, duration_s), chosen)

    def _told(self, encoded: Any, language: str, duration_s: float, terms: Sequence[str]) -> _Text:
        """The text by a model that is told of terms, where somebody surely speaks and it invents none."""
        if not terms or (silent := self._silence(encoded, language)) > MAX_NO_SPEECH_PROBABILITY:
            return self._untold(encoded, language, duration_s)
        written = self._decode(encoded, language, duration_s, terms=terms)
        text, scores = written.text, written.scores
        if scores.loops or scores.avg_logprob < MIN_TERMS_LOGPROB or is_of_terms(text, terms):
            plain = self._untold(encoded, language, duration_s)
            if scores.loops or not sounds_alike(text, plain.text):
                return plain
        return written._replace(scores=replace(scores, no_speech_prob=silent))

    def _untold(self, encoded: Any, language: str, duration_s: float) -> _Text:
        written = self._decode(encoded, language, duration_s)
        if written.scores.loops:
            # the sound is encoded already: a second look costs little, and most loops end there
            guards: dict[str, Any] = {"repetition_penalty": 1.1, "no_repeat_ngram_size": 4}
            written = self._decode(encoded, language, duration_s, **guards)
        return written

    def _silence(self, encoded: Any, language: str) -> float:
        """The probability that nobody speaks, by a model that was told nothing: a prompt makes it tiny."""
        prompt = [*self._tokenizer(language).sot_sequence]
        (result,) = self._whisper.model.generate(
            encoded, [prompt], beam_size=1, max_length=len(prompt) + 1, return_no_speech_prob=True
        )
        return float(result.no_speech_prob)

    def _timed(
        self, encoded: Any, tokens: list[int], language: str, duration_s: float
    ) -> tuple[TimedWord, ...]:
        """The words of a text, and where each ends by the decoder's attention: costs 0.03 s at most."""
        tokenizer = self._tokenizer(language)
        tokens = whisper_words.without_echo(tokens, tokenizer.decode)
        frames = max(1, int(duration_s * FRAMES_PER_S))
        (aligned,) = self._whisper.model.align(encoded, tokenizer.sot_sequence, [tokens], frames)
        ends_ms = {token: (frame + 1) * _ATTENTION_MS for token, frame in aligned.alignments}
        return whisper_words.timed_words(tokens, tokenizer.decode, ends_ms)

    def _encode(self, sound: Floats, seconds: int | None = None) -> Any:
        import ctranslate2

        frames = (seconds or window_s(len(sound) / SAMPLE_RATE_HZ)) * FRAMES_PER_S
        features = padded(self._whisper.feature_extractor(sound), frames)
        return self._whisper.model.encode(
            ctranslate2.StorageView.from_array(np.ascontiguousarray(features[None]))
        )

    def _sounded(self, encoded: Any, sound: Floats, expected: Shares) -> Shares:
        if not self._whisper.model.is_multilingual:
            return {"en": 1.0}
        ranked = self._whisper.model.detect_language(encoded)[0]
        pcm = (sound * 32767).astype("<i2").tobytes()
        return evidence({token[2:-2]: share for token, share in ranked}, expected, loud_ms(pcm))

    def _tokenizer(self, language: str) -> Any:
        from faster_whisper.tokenizer import Tokenizer

        multilingual = self._whisper.model.is_multilingual
        try:
            return Tokenizer(self._whisper.hf_tokenizer, multilingual, task="transcribe", language=language)
        except ValueError as error:
            raise EngineFailed(f"the model {self.name} knows no language {language!r}") from error

    def _decode(
        self,
        encoded: Any,
        language: str,
        duration_s: float,
        *,
        terms: Sequence[str] = (),
        beam_size: int = _BEAM_SIZE,
        **guards: Any,
    ) -> _Text:
        tokenizer = self._tokenizer(language)
        before = [tokenizer.sot_prev, *tokenizer.encode(f" {prompt_of(terms)}")] if terms else []
        prompt = [*before, *tokenizer.sot_sequence, tokenizer.no_timestamps]
        result = self._whisper.model.generate(
            encoded,
            [prompt],
            beam_size=beam_size,
            max_length=_max_length(max_tokens(duration_s), len(prompt)),
            return_scores=True,
            return_no_speech_prob=True,
            **guards,
        )[0]
        token_ids = result.sequences_ids[0]
        # the score is a mean over the tokens; the end mark counts as one more
        logprob = result.scores[0] * len(token_ids) / (len(token_ids) + 1)
        tokens = whisper_words.whole(token_ids, tokenizer.decode)
        text = tokenizer.decode(tokens).strip()
        scores = Scores(logprob, result.no_speech_prob, text_compression(text))
        return _Text(without_echo(text), scores, prompt, tokens)

    def _doubtful(self, encoded: Any, written: _Text, language: str) -> tuple[tuple[int, int], ...]:
        """Where in the text figures stand that are in doubt."""
        shares = self._figure_shares(encoded, written, language)
        doubtful = [(place.start, place.end) for place, share in shares if share < LEAST_SHARE]
        return carried(doubtful, self._tokenizer(language).decode(written.tokens).strip(), written.text)

    def _figure_shares(
        self, encoded: Any, written: _Text, language: str
    ) -> Iterator[tuple[FigurePlace, float]]:
        """The figures of what was written, each with how sure it is: asked for again, over a few tokens."""
        tokenizer, tokens = self._tokenizer(language), written.tokens
        whole = tokenizer.decode(tokens)
        ahead = len(whole) - len(whole.lstrip())
        ends = [end - ahead for end in whisper_words.reaches(tokens, tokenizer.decode)]
        for figure in figure_tokens(whole.strip(), ends):
            result = self._whisper.model.generate(
                encoded,
                [[*written.prompt, *tokens[: figure.first]]],
                beam_size=_BEAM_SIZE,
                num_hypotheses=_BEAM_SIZE,
                max_length=_max_length(figure.first + figure.count, len(written.prompt)),
                return_scores=True,
            )[0]
            sequences = zip(result.sequences_ids, result.scores, strict=True)
            yield (
                figure.place,
                figure.share((tokenizer.decode(ids), score * len(ids)) for ids, score in sequences),
            )


def _or_give_way(goes_on: Callable[[], bool]) -> None:
    if not goes_on():
        raise EngineBusy("a reading gave way")


def max_tokens(duration_s: float) -> int:
    """How many tokens are decoded at most: quick Korean has some 9 a second, what never ends ends here."""
    return 16 + int(10 * min(duration_s, WINDOW_S))


def _max_length(tokens: int, prompt: int) -> int:
    """The option by which CTranslate2 decodes so many tokens, the given first ones of the text among them.

    It decodes as many as a half of this and as many as the prompt leaves of this, whichever is less
    (measured on 4.8.5; `tests/integration/test_whisper.py` holds it).
    """
    return max(2 * tokens, tokens + prompt - 1)
