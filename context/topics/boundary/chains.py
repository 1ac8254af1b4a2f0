"""Words that begin and words that end: where the talk takes up new ones and drops old ones.

A word that is said again within the horizon goes on as a chain (lexical chains). Counted per utterance: what
it says for the first time, what of that is soon said again, and what was said repeatedly and here for the
last time. All counts are whole numbers. But for which words were ever said in the meeting (in the snapshot),
they follow from the newest utterances.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from context.topics.boundary.model import packed, unpacked

HORIZON_UTTERANCES: Final = 120
"""A word not said for so many utterances is new again."""
SOON_UTTERANCES: Final = 24
"""A word is said again soon where it is within so many utterances."""
SEEN_BITS: Final = 1 << 15
"""Bits that remember which words were ever said; a few words share a bit."""
_TOLD_COUNT: Final = 96
"""Utterances whose first words of all are kept in the snapshot; no question goes farther back."""
KEPT_COUNT: Final = 256
"""Whoever hears the last so many utterances anew has the same counts for those that are asked about."""


class Chains:
    """Summed weights of the words that begin or end at each utterance; entry `i - first` is utterance `i`."""

    def __init__(self) -> None:
        self.first = 1
        self.fresh: list[int] = []
        """Weight of the words that were not heard within the horizon."""
        self.begun: list[int] = []
        """Weight of the fresh words that were said again soon."""
        self.ended: list[int] = []
        """Weight of the words that had been said before and have not been said since."""
        self.unheard: list[int] = []
        """Weight of the words that had never been said in this meeting."""
        self.adopted: list[int] = []
        """Weight of the unheard words that were said again soon."""
        self.seen = bytearray(SEEN_BITS // 8)
        """Which words have been said in this meeting, one bit each."""
        self._last: dict[int, int] = {}
        self._start: dict[int, int] = {}
        """Where a word's chain began, while it was not said a second time: negative, where it was unheard."""

    def add(self, number: int, keys: Iterable[tuple[int, int]]) -> None:
        """Hear the content words of utterance `number`, the next one: hash and weight of each, none twice."""
        if not self.fresh:
            self.first = number
        first, last, start, seen = self.first, self._last, self._start, self.seen
        fresh = repeated = unheard = 0
        oldest = max(number - HORIZON_UTTERANCES, first)
        for key, worth in keys:
            previous = last.get(key, 0)
            last[key] = number
            if previous < oldest:
                fresh += worth
                place, bit = key % SEEN_BITS >> 3, 1 << (key & 7)
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
            elif number - abs(origin) <= SOON_UTTERANCES:
                self.begun[abs(origin) - first] += worth
                if origin < 0:
                    self.adopted[-origin - first] += worth
            repeated += worth
        self.fresh.append(fresh)
        self.begun.append(0)
        self.ended.append(repeated)
        self.unheard.append(unheard)
        self.adopted.append(0)
        if len(self.fresh) > 4 * KEPT_COUNT:
            gone = len(self.fresh) - KEPT_COUNT
            for kept in (self.fresh, self.begun, self.ended, self.unheard, self.adopted):
                del kept[:gone]
            self.first += gone
            self._last = {key: at for key, at in last.items() if at >= self.first}
            self._start = {key: at for key, at in start.items() if abs(at) >= self.first}

    def dump(self) -> dict[str, Any]:
        """Give for a snapshot what does not follow from the newest utterances; `load` takes it back."""
        newest = self.first + len(self.fresh) - 1
        return {
            "seen": packed(bytes(self.seen)),
            "unheard": self.unheard[-_TOLD_COUNT:],
            "adopted": self.adopted[-_TOLD_COUNT:],
            "novel": sorted(
                key for key, at in self._start.items() if at < 0 and newest + at <= SOON_UTTERANCES
            ),
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take what `dump` gave, after the newest `KEPT_COUNT` utterances were heard again."""
        self.seen = bytearray(unpacked(dumped["seen"]))
        told = len(self.unheard) - len(dumped["unheard"])
        self.unheard[told:] = dumped["unheard"]
        self.adopted[told:] = dumped["adopted"]
        novel = set(dumped["novel"])
        self._start = {key: -abs(at) if key in novel else abs(at) for key, at in self._start.items()}
