"""Does the talk use other words than before? A causal measure with bounded cost per utterance.

Each utterance becomes a bag of hashed features: character bigrams of Hangul words, words of Latin
script without function words. Two neighbouring stretches of about the same number of features are
compared by a weighted cosine; features that occur all over this meeting weigh little.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.int32]

BUCKETS: Final = 4096
REMEMBERED: Final = 80
"""So many utterances back the talk is compared; a later decision never needs more."""
_LONGEST: Final = 600
_BLOCK: Final = 5
"""Document frequency is counted over blocks of so many utterances."""
_WORD: Final = re.compile(r"[가-힣]+|[a-z][a-z']+|\d+")
STOPWORDS: Final = frozenset(
    "the a an and or but if so to of in on at for from with by as is are was were be been being am do does did done"
    " have has had having i you he she it we they me him her us them my your his its our their this that these those"
    " there here what which who whom whose when where why how not no yes yeah yep okay ok um uh mm hmm oh ah well"
    " just like really very too also then than now can could will would shall should may might must about into over"
    " out up down off because while all any some one get got go going gonna know think mean say said see want need"
    " thing things something lot kind sort bit maybe actually right good sure let's let it's that's i'm you're we're"
    " they're don't didn't doesn't isn't wasn't can't won't i've you've we've i'd you'd we'd i'll you'll we'll make"
    " take come look back much many more most other only even still again way people time".split()
)


def features(text: str) -> Features:
    """The hashed features of a text; the same on every machine and in every run."""
    found: list[int] = []
    for word in _WORD.findall(text[:_LONGEST].lower()):
        first = word[0]
        if first >= "가":
            codes = [ord(char) for char in word]
            found += [(a * 31 + b * 7) % BUCKETS for a, b in zip(codes, codes[1:], strict=False)]
        elif len(word) > 2 and word not in STOPWORDS:
            found.append(zlib.crc32(word[:6].encode()) % BUCKETS)
    return np.array(found, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Drop:
    """How alike the talk before and from utterance `at` on is: 0 (nothing shared) to 1."""

    at: int
    similarity: float
    after: int
    """Features from `at` to the newest utterance."""


class Trail:
    """The features of the newest utterances, and how common each feature is in this meeting."""

    def __init__(self) -> None:
        self._rows: deque[tuple[int, Features]] = deque(maxlen=REMEMBERED)
        self._frequency: NDArray[np.int32] = np.zeros(BUCKETS, dtype=np.int32)
        self._blocks = 0
        self._block: list[Features] = []
        self._weights: NDArray[np.float64] | None = None

    def add(self, number: int, text: str) -> None:
        """Hear utterance `number`."""
        row = features(text)
        self._rows.append((number, row))
        self._block.append(row)
        if len(self._block) == _BLOCK:
            self._frequency[np.unique(np.concatenate(self._block))] += 1
            self._blocks += 1
            self._block = []
            self._weights = None

    def drop(self, start: int, *, width: int, least: int) -> Drop | None:
        """Compare the newest stretch of `width` features with the one before it, inside the topic from `start`.

        None where either side has fewer than `least` features.
        """
        rows = [(number, row) for number, row in self._rows if number >= start]
        after = 0
        place = len(rows)
        while place > 0 and after < width:
            place -= 1
            after += len(rows[place][1])
        return self._compare(rows, place, width, least)

    def drop_at(self, start: int, at: int, *, width: int, least: int) -> Drop | None:
        """The same for the boundary before utterance `at`."""
        rows = [(number, row) for number, row in self._rows if number >= start]
        place = next((i for i, (number, _) in enumerate(rows) if number >= at), len(rows))
        return self._compare(rows, place, width, least)

    def _compare(self, rows: list[tuple[int, Features]], place: int, width: int, least: int) -> Drop | None:
        right = [row for _, row in rows[place:]]
        left: list[Features] = []
        before = 0
        for _, row in reversed(rows[:place]):
            if before >= width:
                break
            left.append(row)
            before += len(row)
        after = sum(len(row) for row in right)
        if before < least or after < least:
            return None
        return Drop(rows[place][0], self._cosine(left, right), after)

    def _cosine(self, left: list[Features], right: list[Features]) -> float:
        if self._weights is None:
            share = self._frequency / max(1, self._blocks)
            self._weights = np.log(1.0 + 1.0 / (share + 1.0 / max(4.0, self._blocks)))
        a = np.log1p(np.bincount(np.concatenate(left), minlength=BUCKETS)) * self._weights
        b = np.log1p(np.bincount(np.concatenate(right), minlength=BUCKETS)) * self._weights
        norm = float(np.sqrt((a @ a) * (b @ b)))
        return float(a @ b) / norm if norm else 0.0

    def dump(self) -> dict[str, Any]:
        """For the snapshot: the frequencies; the rows come from the archive."""
        return {
            "first": self._rows[0][0] if self._rows else 0,
            "blocks": self._blocks,
            "open_block": len(self._block),
            "frequency": base64.b64encode(zlib.compress(self._frequency.astype("<i4").tobytes(), 1)).decode(),
        }

    def load(
        self, dumped: dict[str, Any], texts: Sequence[tuple[int, str]] | Iterable[tuple[int, str]]
    ) -> None:
        """From the snapshot and the utterances from `first` on."""
        rows = [(number, features(text)) for number, text in texts]
        self._rows.extend(rows)
        self._blocks = dumped["blocks"]
        self._block = [row for _, row in rows[len(rows) - dumped["open_block"] :]]
        raw = zlib.decompress(base64.b64decode(dumped["frequency"]))
        self._frequency = np.frombuffer(raw, dtype="<i4").astype(np.int32)
        self._weights = None
