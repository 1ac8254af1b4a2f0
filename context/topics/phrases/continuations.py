"""A sentence that goes on over several short turns of one speaker, put together again.

Some recognisers break off at every breath: "Okay, let us" / "move on to" / "the office move." No piece
announces anything. Pieces are joined while the same voice goes on in short turns and has ended no
sentence; a turn of ordinary length is left alone, so that ordinary talk is heard as it was said. Where
nobody's sentences end in a stop, as some recognisers write, nothing says what goes on: then announcements
alone are looked for across turns, in as few of them as will do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from context.models import Utterance

SHORT_WORDS: Final = 5
"""Words; a longer turn is no piece of a sentence."""
MAX_TURNS: Final = 8
"""A sentence is put together from at most so many turns."""
_END: Final = re.compile(r"[.?!。？！…](?:\s|$)")
_ENDS: Final = (".", "?", "!", "。", "？", "！", "…")


def pieces(said: Sequence[Utterance]) -> Sequence[Utterance]:
    """The newest turns that make up one sentence, oldest first: the last alone where nobody ends any."""
    turns = in_one_breath(said)
    if len(turns) > 1:
        near = said[max(0, len(said) - len(turns) - MAX_TURNS) : -1]
        if not any(_END.search(turn.text) for turn in near):
            return said[-1:]  # nobody's sentences end in a stop
    return turns


def in_one_breath(said: Sequence[Utterance]) -> Sequence[Utterance]:
    """The newest short turns of one voice with no stop between them, oldest first; at least the last turn."""
    first = len(said) - 1
    while first > 0 and len(said) - first < MAX_TURNS and _together(said[first - 1], said[first]):
        first -= 1
    return said[first:]


def joined(turns: Sequence[Utterance]) -> str:
    """The words of `turns` as one text."""
    return " ".join(turn.text.strip() for turn in turns)


def count(said: Sequence[Utterance]) -> int:
    """How many turns `said` has, if turns that go on with a sentence are counted as one with it."""
    return sum(not _together(earlier, later) for earlier, later in pairwise(said)) + bool(said)


def ended(text: str) -> bool:
    """Whether `text` ends with the mark of a sentence's end."""
    return text.rstrip().endswith(_ENDS)


def goes_on(speaker: str, text: str, next_speaker: str, next_text: str) -> bool:
    """Whether the next turn goes on with a sentence that the turn before has not ended: see `SHORT_WORDS`."""
    return speaker == next_speaker and _short(text) and _short(next_text) and not ended(text)


def _together(earlier: Utterance, later: Utterance) -> bool:
    return goes_on(earlier.speaker_id, earlier.text, later.speaker_id, later.text)


def _short(text: str) -> bool:
    return len(text) <= 20 * SHORT_WORDS and 0 < len(text.split()) <= SHORT_WORDS
