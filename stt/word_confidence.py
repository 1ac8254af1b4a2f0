"""How confident a speech model is of words: which figures and days of a text it did not hear clearly.

A local model is asked again, at each figure, how it would go on from the words before it. What else it would
write names the same figure (12월, 십이월), or another one; the first kind's share is how sure it is. An
endpoint is asked nothing again: where it tells the probability of each word, that counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.figure_places import FigurePlace, figure_places, named

LEAST_SHARE: Final = 0.6
"""A figure of which the model is less sure is in doubt (docs/measurements.md)."""

LEAST_PROBABILITY: Final = 0.5
"""A word with a figure that an endpoint gives less than this is in doubt."""

Spans = tuple[tuple[int, int], ...]
"""Characters of a text: from where, and up to where."""


@dataclass(frozen=True, slots=True)
class FigureTokens:
    """A figure of a text, and the tokens that the model wrote it in."""

    place: FigurePlace
    first: int
    """The first of its tokens, from 0."""
    count: int
    """How many they are, with the one behind them: it tells 12 from 120."""

    def share(self, written: Iterable[tuple[str, float]]) -> float:
        """The probability that it is this figure, from texts up to its end and their log probabilities."""
        start, says = self.place.start, self.place.says
        rests = ((text.strip()[start:], score) for text, score in written)
        return math.fsum(math.exp(score) for text, score in rests if says & named(text))


def figure_tokens(text: str, ends: Sequence[int]) -> Iterator[FigureTokens]:
    """Find the figures of a text; `ends`: up to which of its characters each token reaches."""
    for place in figure_places(text):
        last = place.end
        while last - 1 > place.start and named(text[place.start : last - 1]) == place.named:
            last -= 1  # its particles say nothing of it
        first = sum(end <= place.start for end in ends)
        yield FigureTokens(place, first, sum(end < last for end in ends) - first + 2)


def doubtful_words(text: str, words: Iterable[tuple[str, float]]) -> Spans:
    """The figures in doubt of a text, by its words and the probability of each; none where they differ."""
    letters = [place for place, char in enumerate(text) if not char.isspace()]
    sure = [probability for word, probability in words for char in word if not char.isspace()]
    if len(sure) != len(letters):
        return ()
    at = dict(zip(letters, sure, strict=True))
    return tuple(
        (place.start, place.end)
        for place in figure_places(text)
        if min(at.get(index, 1.0) for index in range(place.start, place.end)) < LEAST_PROBABILITY
    )
