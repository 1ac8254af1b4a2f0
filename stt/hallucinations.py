"""Hallucinations of a speech model, told from what was said: stock phrases for silence and noise, and loops.

Pure. The thresholds of `is_hallucinated` are measured on Whisper's base model: over noise, clicks and music
its no-speech probability is above 0.5 and its mean log probability below -1.05; over silence and hum it is
quite sure of a "you" (-0.6), but just as sure that nobody spoke (0.9). Of the 58 lines of the two test
meetings, as heard in a room, none has either; of their first seconds one has, of their last 0.7 s six.
(OpenAI's own 0.6 lets clicks through.)
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rapidfuzz.distance.Levenshtein import normalized_similarity as ratio

from context.language.korean import sound
from context.language.questions import BREAK, SENTENCE

_UNSURE_PAIRS: Final = ((0.8, -0.5), (0.5, -1.0), (0.3, -1.8))
"""A no-speech probability above the one with a log probability below the other: nothing was said."""
_UNSURE_REPEAT_LOGPROB: Final = -0.7
"""A text of one word alone, four times or more, with a log probability below this is a stuck decoder's."""
_LOOP_COMPRESSION: Final = 2.4
"""A text that compresses better than this repeats itself (OpenAI's own bound for Whisper)."""
MAX_NO_SPEECH_PROBABILITY: Final = 0.2
"""With a no-speech probability above this a model is told no terms: it would find them in any noise."""
MIN_TERMS_LOGPROB: Final = -0.75
"""A text with a log probability below this may hold terms nobody said: told ten of their terms, the lines
of the two test meetings have -0.63 at least; speech that is played backwards mostly has less."""
_MAX_SHARE_BESIDE_TERMS: Final = 0.4
"""Where so much of a text's letters or less is no term, it may be the prompt's, its particles included."""
_MIN_TWO_TERMS_LETTERS: Final = 4
"""Letters of two terms in a row that a text may repeat as they were told."""
_ALIKE_RATIO: Final = 0.5
"""The share of two texts' sounds from which on they may be the same words."""
_MIN_ECHO_LETTERS: Final = 8
"""A repeated end of fewer letters may be meant."""
_LOOPED_TEXT: Final = re.compile(r"(?P<unit>.{2,60}?)(?:[\s,.!?…]*(?P=unit)){4,}")
_STUTTER: Final = re.compile(r"(?P<unit>\w)(?:[\s,.!?…]*(?P=unit)){11,}")

_STOCK: Final = {
    "시청해주셔서": (6, 8),
    "시청해주신여러분": (6, 10),
    "구독과좋아요": (0, 20),
    "좋아요와구독": (0, 20),
    "구독부탁": (4, 16),
    "구독눌러": (4, 8),
    "좋아요눌러": (6, 8),
    "알림설정눌러": (6, 8),
    "다음영상에서": (0, 8),
    "다음시간에만나": (0, 4),
    "다음시간에또만나": (0, 4),
    "다음시간에뵙겠습니다": (0, 0),
    "다음시간에봐요": (0, 0),
    "mbc뉴스": (0, 14),
    "kbs뉴스": (0, 14),
    "sbs뉴스": (0, 14),
    "ytn뉴스": (0, 14),
    "jtbc뉴스": (0, 14),
    "자막제공": (4, 10),
    "자막제작": (4, 10),
    "자막by": (4, 10),
    "이영상은유료광고": (0, 24),
    "유료광고를포함": (4, 16),
    "thanksforwatching": (0, 24),
    "thankyouforwatching": (0, 24),
    "thankyousomuchforwatching": (0, 24),
    "thankyouverymuchforwatching": (0, 24),
    "pleasesubscribe": (0, 24),
    "likeandsubscribe": (6, 24),
    "subscribetomychannel": (6, 24),
    "subscribetoourchannel": (6, 24),
    "subscribetothechannel": (6, 24),
    "subtitlesby": (0, 32),
    "subtitleby": (0, 32),
    "captionsby": (0, 32),
    "captionby": (0, 32),
    "transcribedby": (0, 32),
    "amaraorg": (24, 16),
    "inthenextvideo": (6, 8),
    "inmynextvideo": (6, 8),
}
"""Stock phrases that speech models learned from subtitles, without spaces. The numbers say how many letters
may stand before and behind one at most for the whole text to count as stock."""


@dataclass(frozen=True, slots=True)
class Scores:
    """A speech model's scores of its own text."""

    avg_logprob: float
    """Mean log probability of a token; 0 is certainty."""
    no_speech_prob: float
    """The probability that nobody spoke, 0-1."""
    compression: float
    """See `text_compression`."""

    @property
    def loops(self) -> bool:
        """Whether the text repeats itself so much that the decoder must have got stuck."""
        return self.compression > _LOOP_COMPRESSION

    @property
    def confidence(self) -> float:
        """The geometric mean of the tokens' probabilities, 0-1."""
        return round(min(1.0, math.exp(self.avg_logprob)), 4)


def text_compression(text: str) -> float:
    """Bytes over compressed bytes: how much a text repeats itself. Below 1 for a short one, 0 for none."""
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def is_hallucinated(text: str, scores: Scores) -> bool:
    """Whether a text is to be dropped: empty, a loop, noise taken for words, or unsure stock or repeats."""
    if not bare(text) or scores.loops:
        return True
    if any(
        scores.no_speech_prob > silent and scores.avg_logprob < unsure for silent, unsure in _UNSURE_PAIRS
    ):
        return True
    words = [bare(word) for word in text.split()]
    if len(words) >= 4 and len(set(words)) == 1 and scores.avg_logprob < _UNSURE_REPEAT_LOGPROB:
        return True
    return (scores.no_speech_prob > 0.2 or scores.avg_logprob < -0.5) and is_stock(text)


def is_of_terms(text: str, terms: Sequence[str]) -> bool:
    """Whether a text is little else than terms that the model was told of, or repeats two as they were told.

    That may have been said, or be the model's own: without the terms it shows (`sounds_alike`).
    """
    letters, names = bare(text), [name for term in terms if (name := bare(term))]
    left = letters
    for name in sorted(names, key=len, reverse=True):
        left = left.replace(name, "")
    in_a_row = any(
        len(one + other) >= _MIN_TWO_TERMS_LETTERS and one + other in letters
        for one, other in pairwise(names)
    )
    return in_a_row or len(left) <= _MAX_SHARE_BESIDE_TERMS * len(letters)


def sounds_alike(text: str, other: str) -> bool:
    """Whether two texts may be the same words, heard differently."""
    return ratio(sound(text), sound(other)) >= _ALIKE_RATIO


def is_stock(text: str) -> bool:
    """Whether a text is a stock phrase of subtitles and little else.

    Real people say such things, too: alone it proves nothing.
    """
    letters = bare(text)
    return any(
        0 <= (at := letters.find(phrase)) <= before and len(letters) - at - len(phrase) <= behind
        for phrase, (before, behind) in _STOCK.items()
    )


def said_once(text: str, shortest: int) -> str:
    """Cut off an end that says the beginning of `text` again, where it has `shortest` letters or more."""
    for end in BREAK.finditer(text):
        once, again = text[: end.end()].strip(), bare(text[end.end() :])
        if len(again) >= shortest and bare(once).startswith(again):
            return once
    return text


def without_echo(text: str) -> str:
    """Drop each sentence that says the one before it again, all of it or its beginning.

    "네, 네." and "Yes. Yes." are said; a whole sentence twice in one breath is the model's.
    """
    return "".join(text[start:end] for start, end in kept_sentences(text)).strip()


def kept_sentences(text: str) -> list[tuple[int, int]]:
    """Where in a text the sentences stand that `without_echo` keeps, with the space before each."""
    spans: list[tuple[int, int]] = []
    for sentence in SENTENCE.finditer(text):
        letters = bare(sentence[0])
        if (
            not spans
            or len(letters) < _MIN_ECHO_LETTERS
            or not bare(text[slice(*spans[-1])]).startswith(letters)
        ):
            spans.append(sentence.span())
    return spans or [(0, len(text))]


def without_loops(text: str) -> str:
    """Keep one of what a stuck decoder says five times or more in a row. Digits may repeat."""
    return _STUTTER.sub(_once, _LOOPED_TEXT.sub(_once, text)).strip()


def _once(loop: re.Match[str]) -> str:
    unit: str = loop["unit"]
    return unit if any(char.isalpha() for char in unit) else loop[0]


def bare(text: str) -> str:
    """Reduce a text to its letters and digits, in lower case."""
    return "".join(char for char in text.lower() if char.isalnum())
