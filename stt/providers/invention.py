"""Was it said, or did the model make it up? Whisper fills silence and noise with stock phrases.

Pure. The thresholds are measured on the base model: over noise, clicks and music its no-speech
probability is above 0.5 and its mean log probability below -1.05; over silence and hum it is quite
sure of a "you" (-0.6), but just as sure that nobody spoke (0.9). Of the 58 lines of the two test
meetings, as heard in a room, none has either; of their first seconds one has, of their last 0.7 s six.
(OpenAI's own 0.6 lets clicks through.) Beside them a list of what the training data, subtitles of
videos, leaves behind.
"""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass
from typing import Final

_UNSURE: Final = ((0.8, -0.5), (0.5, -1.0), (0.3, -1.8))
"""A no-speech probability above the one with a log probability below the other: nothing was said."""
_LOOP: Final = 2.4
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*\s*")
_SHORTEST_ECHO: Final = 8
"""In letters. "네, 네." and "Yes. Yes." are said; a whole sentence twice in one breath is the model's."""

_STOCK = re.compile(
    r"""
      (이\ ?영상은\ .*|(오늘도\ )?(끝까지\ )?시청해\ ?주셔서\ 감사합니다|구독과?\ 좋아요.*|다음\ 영상에서\ .*
      |(한글\ ?)?자막\ ?(제작|by|:).*|MBC\ 뉴스\ .*입니다|KBS\ 뉴스\ .*입니다|유료\ 광고.*)
    | (thanks?(\ you)?(\ so\ much)?\ for\ watching.*|(please\ )?(like\ and\ )?subscribe.*
      |subtitles?\ by\ .*|(transcribed|captions?)\ by\ .*|.*amara\.org.*|www\..*)
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model thinks of its own text."""

    avg_logprob: float
    """Mean log probability of a token; 0 is certainty."""
    no_speech_prob: float
    compression: float
    """Bytes over compressed bytes; above 2.4 the text repeats itself."""


def confidence(avg_logprob: float) -> float:
    """The mean probability of a token, 0–1."""
    return round(min(1.0, math.exp(avg_logprob)), 4)


def text_compression(text: str) -> float:
    """How often a text repeats itself; below 1 for a short one."""
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def without_echo(text: str) -> str:
    """Without sentences that say the one before them again, to its end or as far as they come."""
    kept: list[str] = []
    for sentence in _SENTENCE.findall(text):
        letters = _letters(sentence)
        if not kept or len(letters) < _SHORTEST_ECHO or not _letters(kept[-1]).startswith(letters):
            kept.append(sentence)
    return "".join(kept).strip() if kept else text


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


def is_loop(scores: Scores) -> bool:
    """The text goes round in circles."""
    return scores.compression > _LOOP


def is_invented(text: str, scores: Scores) -> bool:
    """Better nothing than this: empty, a loop, noise taken for words, or a stock phrase of subtitles."""
    if not re.search(r"\w", text) or is_loop(scores):
        return True
    if any(scores.no_speech_prob > silent and scores.avg_logprob < unsure for silent, unsure in _UNSURE):
        return True
    doubtful = scores.no_speech_prob > 0.2 or scores.avg_logprob < -0.5
    return doubtful and _STOCK.fullmatch(text.strip(" .!?\"'♪[]()")) is not None
