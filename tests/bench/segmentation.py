"""How well a meeting was divided, and the plain method beside which that stands.

Boundaries are 0-based turns at which a new segment begins. The measures are those of the usual
toolkits: F1 within a tolerance, Pk and WindowDiff with a window of half the mean labelled segment.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from context.language.closed_lists import STOPWORDS

_LATIN: Final = re.compile(r"[a-z0-9]+")
_HANGUL: Final = re.compile(r"[가-힣]+|[A-Za-z0-9]+")
_LONGEST: Final = 600
_OTHER: Final = ""


def f1(gold: Sequence[int], found: Sequence[int], tolerance: int) -> float:
    """Each labelled boundary may be hit once, by the first found one within `tolerance`."""
    if not gold or not found:
        return float(not gold and not found)
    left, hits = set(gold), 0
    for turn in sorted(found):
        near = [other for other in left if abs(other - turn) <= tolerance]
        if near:
            left.remove(min(near, key=lambda other: (abs(other - turn), other)))
            hits += 1
    precision, recall = hits / len(found), hits / len(gold)
    return 2 * precision * recall / (precision + recall) if hits else 0.0


def pk(gold: Sequence[int], found: Sequence[int], count: int) -> float:
    """Share of the places where a window sees a boundary and the other side none."""
    pairs = _windows(gold, found, count)
    return sum((a > 0) != (b > 0) for a, b in pairs) / len(pairs)


def window_diff(gold: Sequence[int], found: Sequence[int], count: int) -> float:
    """Share of the places where a window sees another number of boundaries."""
    pairs = _windows(gold, found, count)
    return sum(a != b for a, b in pairs) / len(pairs)


def _windows(gold: Sequence[int], found: Sequence[int], count: int) -> list[tuple[int, int]]:
    width = min(count - 1, max(2, round(count / (len(gold) + 1) / 2)))

    def seen(boundaries: Sequence[int]) -> list[int]:
        at = {turn for turn in boundaries if 0 < turn < count}
        total = list(accumulate(int(turn in at) for turn in range(count)))
        return [late - early for early, late in zip(total, total[width:], strict=False)]

    return list(zip(seen(gold), seen(found), strict=True))


def boundaries(spans: Sequence[tuple[int, int, int]], count: int, glued: int) -> list[int]:
    """From labelled spans (first, last, topic), in order; later ones win, short gaps are glued."""
    labels: list[int | None] = [None] * count
    for begin, end, topic in spans:
        labels[begin : end + 1] = [topic] * (end + 1 - begin)
    turn = 0
    while turn < count:
        end = turn
        while end < count and labels[end] is None:
            end += 1
        if 0 < end - turn <= glued:
            label = labels[turn - 1] if turn else (labels[end] if end < count else None)
            labels[turn:end] = [label] * (end - turn)
        turn = end + 1
    return [turn for turn in range(1, count) if labels[turn] != labels[turn - 1]]


def english(text: str) -> list[str]:
    """Content words of an English turn."""
    return [word for word in _LATIN.findall(text.lower()) if word not in STOPWORDS]


def korean(text: str) -> list[str]:
    """Character bigrams of a Korean turn's words."""
    words = _HANGUL.findall(text[:_LONGEST])
    return [word[at : at + 2] for word in words for at in range(max(1, len(word) - 1))]


def weights(meetings: Sequence[list[list[str]]], *, block: int) -> dict[str, float]:
    """How rare each word is over blocks of so many turns."""
    seen: Counter[str] = Counter()
    blocks = 0
    for turns in meetings:
        for first in range(0, len(turns), block):
            blocks += 1
            seen.update({word for turn in turns[first : first + block] for word in turn})
    return {word: math.log(1 + blocks / count) for word, count in seen.items()} | {
        _OTHER: math.log(1 + blocks)
    }


def curve(turns: list[list[str]], width: int, idf: dict[str, float]) -> list[float]:
    """Likeness of the `width` words from each turn on to those before it; 1 where one side is too short."""
    found = [1.0] * len(turns)
    for turn in range(1, len(turns)):
        before = _side(turns, range(turn - 1, -1, -1), width)
        after = _side(turns, range(turn, len(turns)), width)
        if len(before) >= width // 2 and len(after) >= width // 2:
            found[turn] = _cosine(_vector(before, idf), _vector(after, idf))
    return found


def drops(likeness: Sequence[float], below: float, gap: int) -> list[int]:
    """A boundary wherever the likeness falls `below`, but none within `gap` turns of the last."""
    found: list[int] = []
    last = 0
    for turn in range(1, len(likeness)):
        if turn - last >= gap and likeness[turn] < below:
            found.append(turn)
            last = turn
    return found


def _side(turns: list[list[str]], places: range, width: int) -> list[str]:
    words: list[str] = []
    for place in places:
        if len(words) >= width:
            break
        words += turns[place]
    return words


def _vector(words: list[str], idf: dict[str, float]) -> dict[str, float]:
    rare = idf[_OTHER]
    return {word: (1 + math.log(count)) * idf.get(word, rare) for word, count in Counter(words).items()}


def _cosine(left: dict[str, float], right: dict[str, float]) -> float:
    product = sum(value * right.get(word, 0.0) for word, value in left.items())
    norm = sum(v * v for v in left.values()) * sum(v * v for v in right.values())
    return product / math.sqrt(norm) if norm else 0.0
