"""The words of what Whisper wrote, by the tokens that it wrote them in. Pure.

A token is some bytes: a word has several, and so may a Korean character. What is written is never made into
tokens again, which may be others; each token is known by how far the text reaches with it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from stt.agreement import TimedWord
from stt.hallucinations import kept_sentences

Decode = Callable[[list[int]], str]
"""The text of tokens, with a mark (`\N{REPLACEMENT CHARACTER}`) for a character that is not whole."""
_NOT_WHOLE: Final = "\N{REPLACEMENT CHARACTER}"
_WORD: Final = re.compile(r"\S+")


def whole(tokens: list[int], decode: Decode) -> list[int]:
    """Drop the beginning of a last character that is not whole: the decoder was stopped within it."""
    while tokens and decode(tokens).endswith(_NOT_WHOLE):
        tokens = tokens[:-1]
    return tokens


def reaches(tokens: list[int], decode: Decode) -> list[int]:
    """The character up to which the text reaches with each token; a part of one counts as all of it."""
    return list(accumulate((len(decode(tokens[: n + 1])) for n in range(len(tokens))), max))


def without_echo(tokens: list[int], decode: Decode) -> list[int]:
    """Drop the tokens of sentences that `stt.hallucinations.without_echo` drops."""
    places = {place for start, end in kept_sentences(decode(tokens)) for place in range(start, end)}
    return [token for token, end in zip(tokens, reaches(tokens, decode), strict=True) if end - 1 in places]


def timed_words(tokens: list[int], decode: Decode, ends_ms: Mapping[int, int]) -> tuple[TimedWord, ...]:
    """The words of a text, by where in the sound each of its tokens ends (number of the token → ms)."""
    ends = reaches(tokens, decode)
    return tuple(
        TimedWord(match[0], ends_ms.get(_last_token(ends, match.end())))
        for match in _WORD.finditer(decode(tokens))
    )


def _last_token(ends: Sequence[int], place: int) -> int:
    """The place of the last token that holds text before `place`; tokens behind it do not count."""
    return max(bisect_left(ends, place), bisect_right(ends, place) - 1)
