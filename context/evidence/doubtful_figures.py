"""Figures and days that the speech engine did not hear clearly: where they stand, and where they are told on.

An engine says it of its own text (`Utterance.doubtful`). A statement that cites the utterance takes the doubt
over where it names the same figure, unless something else that it cites names it without a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from context.evidence.figure_places import Named, figure_places
from context.models import Span, Utterance


def words_in_doubt(said: Utterance) -> tuple[str, ...]:
    """The words of an utterance that bear a figure or day in doubt, in order."""
    return tuple(said.text[start:end] for start, end in _within(said.doubtful, said.text))


def doubtful_in(text: str, cited: Iterable[Utterance]) -> tuple[Span, ...]:
    """Where in a statement figures and days in doubt stand; `cited`: the utterances that it rests on."""
    doubted: set[Named] = set()
    heard: set[Named] = set()
    utterances = list(cited)
    if not any(said.doubtful for said in utterances):
        return ()
    for said in utterances:
        for place in figure_places(said.text):
            unclear = any(start < place.end and place.start < end for start, end in said.doubtful)
            (doubted if unclear else heard).update(place.says)
    return tuple((place.start, place.end) for place in figure_places(text) if place.says & (doubted - heard))


def carried(spans: Sequence[Span], before: str, now: str) -> tuple[Span, ...]:
    """The spans of a text that lie before or behind all that is changed in it, as they lie in the new one."""
    ahead = _alike(before, now)
    behind = len(before) - min(_alike(before[::-1], now[::-1]), len(now) - ahead)
    moved = len(now) - len(before)
    return tuple(
        (start, end) if end <= ahead else (start + moved, end + moved)
        for start, end in spans
        if end <= ahead or start >= behind
    )


def marked(text: str, spans: Sequence[Span], mark: str, escape: Callable[[str], str] = str) -> str:
    """The text, escaped, with a mark behind each span, and one behind several that stand side by side."""
    if not spans:
        return escape(text)
    told, since = [], 0
    within = _within(spans, text)
    followed = {end for (_, end), (start, _) in pairwise(within) if not text[end:start].strip()}
    for end in (end for _, end in within if end not in followed):
        told += [_piece(text[since:end], escape), mark]
        since = end
    return "".join((*told, _piece(text[since:], escape)))


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _piece(text: str, escape: Callable[[str], str]) -> str:
    """A piece of a text, escaped but for the blanks at its ends, which part it from the others."""
    behind = len(text) - len(text.rstrip(" "))
    ahead = len(text) - len(text.lstrip(" ")) if text.strip(" ") else 0
    return f"{' ' * ahead}{escape(text.strip(' '))}{' ' * behind}"


def _within(spans: Iterable[Span], text: str) -> list[Span]:
    """The spans that lie in the text, in order: of one that is cut short the rest is gone."""
    return sorted((start, end) for start, end in spans if 0 <= start < end <= len(text))
