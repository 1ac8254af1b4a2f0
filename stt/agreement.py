"""What readings of a growing stretch agree on: the firm words, and the tentative ones behind them.

The stretch is read again and again while it grows. What two readings in a row begin with is *firm*
(LocalAgreement-2, arXiv 2307.14743); what the newest one says behind that is *tentative*. Readings are
compared letter by letter, up to where a word ends in both: an engine that writes 두 번째 one time and 두번째
the other has heard the same. The newest reading's last words are never firm: their sound may be cut off, and
what follows may change them.

Firm words stay as they were shown. One reading that contradicts them is passed over; where two in a row agree
against them, the readings are believed, and the firm words are *taken back*.

Sound whose words are firm need not be read again: `settle` keeps these words, and readings go on behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Final

_TENTATIVE_WORDS: Final = 1
"""So many words at the end of a reading are tentative, whatever the one before says."""


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word of a reading."""

    text: str
    end_ms: int | None = None
    """Where it ends in the sound that was read; None where the engine does not say."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a quick look at a piece of sound gives."""

    words: tuple[TimedWord, ...]
    language: str | None = None
    """The language spoken; None where the engine does not say."""


@dataclass(frozen=True, slots=True)
class TextSoFar:
    """What a stretch says as far as it is known."""

    text: str
    firm: int
    """So many characters of the text, from its beginning, are firm."""


class Agreement:
    """The words of one stretch while it grows. Pure: readings in, text out."""

    def __init__(self) -> None:
        self._settled: list[str] = []
        """Firm words whose sound is not read any more."""
        self._firm: list[TimedWord] = []
        """Firm words whose sound is still read, as they were shown."""
        self._behind: list[TimedWord] = []
        """The tentative words behind them."""
        self._last: list[TimedWord] = []
        """The reading before the next one."""
        self.taken_back = 0
        """How many firm words were taken back so far."""

    @property
    def text(self) -> TextSoFar:
        """The text so far."""
        firm = [*self._settled, *(word.text for word in self._firm)]
        return TextSoFar(" ".join([*firm, *(word.text for word in self._behind)]), len(" ".join(firm)))

    def read(self, reading: Iterable[TimedWord]) -> None:
        """Take the next reading of the sound that is not settled."""
        newest = list(reading)
        agreed = _shared(newest[:-_TENTATIVE_WORDS], self._last)
        self._last = newest
        held, same = _shared(newest, self._firm), _shared(self._firm, newest)
        if same < len(self._firm):
            if agreed <= held:
                return  # it alone contradicts the firm words: the next reading decides
            self.taken_back += len(self._firm) - same
            del self._firm[same:]
        firm_until = max(held, agreed)
        self._firm += newest[held:firm_until]
        self._behind = newest[firm_until:]
        ends_ms = dict(zip(_ends(newest), (word.end_ms for word in newest), strict=True))
        self._firm = [
            replace(word, end_ms=ends_ms.get(end, word.end_ms))
            for end, word in zip(_ends(self._firm), self._firm, strict=True)
        ]

    def settle(self, until_ms: int) -> int | None:
        """Settle the firm words that end by `until_ms`; gives where the last one ends, None if there is none.

        The next reading is of the sound behind that place. Words that end together, as those of an engine
        which times pieces and not words, are settled together.
        """
        words = [*self._firm, *self._behind]
        done = list(takewhile(lambda word: word.end_ms is not None and word.end_ms <= until_ms, self._firm))
        while done and len(done) < len(words) and words[len(done)].end_ms == done[-1].end_ms:
            done.pop()
        if not done or (end_ms := done[-1].end_ms) is None:
            return None
        self._settled += [word.text for word in done]
        self._firm = [_moved(word, end_ms) for word in self._firm[len(done) :]]
        self._behind = [_moved(word, end_ms) for word in self._behind]
        self._last = [*self._firm, *self._behind]
        return end_ms


def _moved(word: TimedWord, by_ms: int) -> TimedWord:
    """The word as it ends in sound that begins so much later."""
    return word if word.end_ms is None else replace(word, end_ms=max(0, word.end_ms - by_ms))


def _shared(words: Sequence[TimedWord], others: Sequence[TimedWord]) -> int:
    """How many of `words` both begin with, letter by letter, up to where a word ends in both."""
    letters, other = "".join(map(_letters, words)), "".join(map(_letters, others))
    shorter = min(len(letters), len(other))
    alike = next((at for at in range(shorter) if letters[at] != other[at]), shorter)
    ends = set(_ends(others))
    return max((n for n, end in enumerate(_ends(words), 1) if end <= alike and end in ends), default=0)


def _ends(words: Sequence[TimedWord]) -> list[int]:
    """Where each word ends, counted in letters."""
    return list(accumulate(len(_letters(word)) for word in words))


def _letters(word: TimedWord) -> str:
    return "".join(letter for letter in word.text.casefold() if letter.isalnum())
