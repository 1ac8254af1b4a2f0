"""Words that begin and words that end: where the talk takes up new ones and drops old ones.

A word that is said again within the horizon goes on as a chain. Counted per utterance: what it says
for the first time, what of that is soon said again, and what was said repeatedly and here for the
last time. Everything is a whole number and follows from the newest utterances alone, so that a
restart needs no more than those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from context.topics.boundary.model import packed, unpacked

HORIZON: Final = 120
"""A word not said for so many utterances is new again."""
SOON: Final = 24
SEEN: Final = 1 << 15
_TOLD: Final = 96
"""Utterances whose first words of all are kept in the snapshot; no question goes farther back."""
KEPT: Final = 256
"""Whoever hears the last so many utterances anew has the same counts for those that are asked about."""


class Chains:
    """Weights per utterance; entry `i - first` of each list is utterance `i`."""

    def __init__(self) -> None:
        self.first = 1
        self.fresh: list[int] = []
        """Of words not heard within the horizon."""
        self.begun: list[int] = []
        """Of those of them that were said again soon."""
        self.ended: list[int] = []
        """Of words said before, that have not been said since."""
        self.unheard: list[int] = []
        """Of words never said in this meeting before."""
        self.adopted: list[int] = []
        """Of those of them that were said again soon."""
        self.seen = bytearray(SEEN // 8)
        """Which words have been said in this meeting, one bit each; a few share a bit."""
        self._last: dict[int, int] = {}
        self._start: dict[int, int] = {}
        """Where a word's chain began, while it was not said a second time: negative, where it was unheard."""

    def add(self, number: int, keys: Iterable[tuple[int, int]]) -> None:
        """Hear the words of utterance `number`, the next one, each with its weight."""
        if not self.fresh:
            self.first = number
        first, last, start, seen = self.first, self._last, self._start, self.seen
        fresh = repeated = unheard = 0
        oldest = max(number - HORIZON, first)
        for key, worth in keys:
            previous = last.get(key, 0)
            last[key] = number
            if previous < oldest:
                fresh += worth
                place, bit = key % SEEN >> 3, 1 << (key & 7)
                if seen[place] & bit:
                    start[key] = number
                else:
                    seen[place] |= bit
                    unheard += worth
                    start[key] = -number
                continue
            origin = start.pop(key, 0)
            if origin == 0:
                self.ended[previous - first] -= worth
            elif number - abs(origin) <= SOON:
                self.begun[abs(origin) - first] += worth
                if origin < 0:
                    self.adopted[-origin - first] += worth
            repeated += worth
        self.fresh.append(fresh)
        self.begun.append(0)
        self.ended.append(repeated)
        self.unheard.append(unheard)
        self.adopted.append(0)
        if len(self.fresh) > 4 * KEPT:
            gone = len(self.fresh) - KEPT
            for kept in (self.fresh, self.begun, self.ended, self.unheard, self.adopted):
                del kept[:gone]
            self.first += gone
            self._last = {key: at for key, at in last.items() if at >= self.first}
            self._start = {key: at for key, at in start.items() if abs(at) >= self.first}

    def dump(self) -> dict[str, Any]:
        """For the snapshot: what the newest utterances do not tell."""
        newest = self.first + len(self.fresh) - 1
        return {
            "seen": packed(bytes(self.seen)),
            "unheard": self.unheard[-_TOLD:],
            "adopted": self.adopted[-_TOLD:],
            "novel": [key for key, at in self._start.items() if at < 0 and newest + at <= SOON],
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """From the snapshot, once the newest utterances have been heard anew."""
        self.seen = bytearray(unpacked(dumped["seen"]))
        told = len(self.unheard) - len(dumped["unheard"])
        self.unheard[told:] = dumped["unheard"]
        self.adopted[told:] = dumped["adopted"]
        novel = set(dumped["novel"])
        self._start = {key: -abs(at) if key in novel else abs(at) for key, at in self._start.items()}
