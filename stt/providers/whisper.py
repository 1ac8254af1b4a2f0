"""Local speech: faster-whisper, one utterance on one core.

Blocking and thread-safe; it runs inside the engine process (`stt.engine`), never in a meeting's
job. Decoding is beam search at temperature 0 without timestamps and without what was said before:
fall-back temperatures made bad sound take 10 s and loop, and hotwords made the base model drop
the very word it was given.

The encoder is given a window just longer than the speech instead of Whisper's fixed 30 s, which
takes two thirds off the time of a short line (figures in docs/measurements.md). What the scores call
invention is dropped by `stt.providers.invention`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stt.providers.invention import (
    Scores,
    confidence,
    is_invented,
    is_loop,
    text_compression,
    without_echo,
)
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineFailed, Segment

_LANGUAGES: Final = ("ko", "en")
_FOREIGN_BEYOND: Final = 0.97
"""`auto` means ko or en; another language only where the model has hardly a doubt (accented Korean
is taken for Japanese at 0.9)."""

_FRAMES_PER_S: Final = 100
_WINDOW_S: Final = 30
_WINDOW_STEP_S: Final = 5
_WINDOW_MARGIN_S: Final = 2.0
_DYNAMIC: Final = 2.0
"""From the loudest feature to the floor that the model knows."""
_MAX_TOKENS: Final = 400
_CUT_SEARCH_S: Final = 5

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Heard:
    text: str
    scores: Scores


class Whisper:
    """A model in memory. `workers` calls of `recognise` run side by side, each on one core."""

    def __init__(self, model_dir: Path, *, name: str, workers: int = 2, beam_size: int = 5) -> None:
        from faster_whisper import WhisperModel

        self.name = name
        self._beam_size = beam_size
        self._whisper = WhisperModel(
            str(model_dir), device="cpu", compute_type="int8", cpu_threads=1, num_workers=workers
        )

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        """One segment per 30 s of the stretch at most; none where nothing was said.

        `language` is `ko`, `en`, `auto`, or another code that the model knows.
        """
        sound: Floats = np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)
        segments: list[Segment] = []
        start = 0
        for piece in pieces(sound):
            chosen, heard = self._hear(piece, language)
            start_ms = start * 1000 // SAMPLE_RATE_HZ
            start += len(piece)
            if heard is None:
                continue
            segments.append(
                Segment(
                    text=heard.text,
                    start_ms=start_ms,
                    end_ms=min(start * 1000 // SAMPLE_RATE_HZ, len(pcm) // BYTES_PER_MS),
                    final=True,
                    confidence=confidence(heard.scores.avg_logprob),
                    language=chosen,
                )
            )
        return segments

    def _hear(self, sound: Floats, language: str) -> tuple[str, _Heard | None]:
        encoded = self._encode(sound)
        chosen = self._detect(encoded) if language == "auto" else language
        heard = self._decode(encoded, chosen, len(sound) / SAMPLE_RATE_HZ)
        if is_loop(heard.scores):
            # the sound is encoded already: a second look costs little, and most loops end there
            heard = self._decode(
                encoded, chosen, len(sound) / SAMPLE_RATE_HZ, repetition_penalty=1.1, no_repeat_ngram_size=4
            )
        return chosen, None if is_invented(heard.text, heard.scores) else heard

    def _encode(self, sound: Floats) -> Any:
        import ctranslate2

        frames = window_s(len(sound) / SAMPLE_RATE_HZ) * _FRAMES_PER_S
        features = padded(self._whisper.feature_extractor(sound), frames)
        return self._whisper.model.encode(
            ctranslate2.StorageView.from_array(np.ascontiguousarray(features[None]))
        )

    def _detect(self, encoded: Any) -> str:
        if not self._whisper.model.is_multilingual:
            return "en"
        ranked = self._whisper.model.detect_language(encoded)[0]
        return choose_language({token[2:-2]: share for token, share in ranked})

    def _decode(self, encoded: Any, language: str, duration_s: float, **guards: Any) -> _Heard:
        from faster_whisper.tokenizer import Tokenizer

        try:
            tokenizer = Tokenizer(
                self._whisper.hf_tokenizer,
                self._whisper.model.is_multilingual,
                task="transcribe",
                language=language,
            )
        except ValueError as error:
            raise EngineFailed(f"the model {self.name} knows no language {language!r}") from error
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        result = self._whisper.model.generate(
            encoded,
            [prompt],
            beam_size=self._beam_size,
            max_length=len(prompt) + max_tokens(duration_s),
            return_scores=True,
            return_no_speech_prob=True,
            **guards,
        )[0]
        tokens = result.sequences_ids[0]
        text = tokenizer.decode(tokens).strip()
        return _Heard(
            without_echo(text),
            Scores(
                # the score is a mean over the tokens; the end mark counts as one more
                avg_logprob=result.scores[0] * len(tokens) / (len(tokens) + 1),
                no_speech_prob=result.no_speech_prob,
                compression=text_compression(text),
            ),
        )


def choose_language(shares: dict[str, float]) -> str:
    """`ko` or `en`, whichever is likelier, unless another is overwhelmingly so."""
    likeliest = max(shares, key=lambda code: shares[code])
    if likeliest not in _LANGUAGES and shares[likeliest] > _FOREIGN_BEYOND:
        return likeliest
    return max(_LANGUAGES, key=lambda code: shares.get(code, 0.0))


def padded(features: Floats, frames: int) -> Floats:
    """Exactly `frames` frames of log-mel features; what is missing is digital silence.

    That is 8 decades below the loudest, 2.0 on the model's scale. Zeros, as faster-whisper pads, are
    a hiss in every band that begins after the last word: the model heard words end differently in it.
    """
    features = features[:, :frames]
    missing = frames - features.shape[1]
    return np.pad(features, ((0, 0), (0, missing)), constant_values=float(features.max()) - _DYNAMIC)


def max_tokens(duration_s: float) -> int:
    """A bound that quick speech doesn't reach and a loop soon does. Korean takes some 9 a second."""
    return min(_MAX_TOKENS, 24 + int(12 * duration_s))


def window_s(duration_s: float) -> int:
    """How much the encoder is shown: the speech and some silence after it, in steps, at most 30 s."""
    steps = -(-(duration_s + _WINDOW_MARGIN_S) // _WINDOW_STEP_S)
    return min(_WINDOW_S, max(2, int(steps)) * _WINDOW_STEP_S)


def pieces(sound: Floats) -> list[Floats]:
    """Pieces of at most 30 s, cut where it is quietest near their ends. No sample is lost."""
    result: list[Floats] = []
    while len(sound) > _WINDOW_S * SAMPLE_RATE_HZ:
        cut = _quietest(sound, (_WINDOW_S - _CUT_SEARCH_S) * SAMPLE_RATE_HZ, _WINDOW_S * SAMPLE_RATE_HZ)
        result.append(sound[:cut])
        sound = sound[cut:]
    if len(sound):
        result.append(sound)
    return result


def _quietest(sound: Floats, first: int, last: int) -> int:
    step = SAMPLE_RATE_HZ // 20
    power = np.square(sound[first:last]).reshape(-1, step).mean(axis=1)
    return first + int(power.argmin()) * step + step // 2
