"""Two things told of each other's: "the repair costs 4,200 and a new one 800", Ann's proposal told as Ben's.

Each of the two figures, or names, was said, so nothing is missing; only what is said of them is crossed. Two
clauses of a claim with one mark each are laid against the parts of the evidence that hold those marks: where
the words fit better the other way about, the claim has them crossed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeVar

from context.evidence.figures import figures, scaled, without_labels
from context.evidence.names import is_called, without_people
from context.evidence.words import FRAME, stems

CLAUSE: Final = re.compile(
    r"[;:]\s+|(?<!\d),\s*|,\s+|(?<=[.!?。？！])\s+|\n+|(?<=\s)[—–-]\s+|\||(?<=\s)\(|\)"
    r"|\s+(?:and|but|while|whereas|where|although|rather than|than|because|since|as)\s+"
    r"|(?<=[고며])\s|(?<=지만)\s|(?<=으나)\s|(?<=는데)\s"
)


def pairs_stand(text: str, cited: Sequence[str], names: Sequence[str]) -> bool:
    """Whether no two clauses of a claim have their figures, or their people, crossed.

    `cited`: each as "name: what was said". `names`: of the participants.
    """
    said = [source.partition(": ") for source in cited]
    clauses = _clauses(text)
    if len(clauses) < 2 or len(clauses) > _MOST:
        return True
    parts = [part for _, _, spoken in said for part in _clauses(spoken)]
    of_figures = [(figures(part) | scaled(part), _words(part, names)) for part in parts]
    of_people = [({speaker}, _words(spoken, names)) for speaker, _, spoken in said]
    by_figure = [(figures(clause), clause) for clause in clauses]
    by_name = [({name for name in names if is_called(name, clause)}, clause) for clause in clauses]
    return _stand(by_figure, of_figures, names) and _stand(by_name, of_people, names)


def _clauses(text: str) -> list[str]:
    return [clause for clause in CLAUSE.split(text) if clause and clause.strip()]


def _stand(
    clauses: Sequence[tuple[set[T], str]],
    told: Sequence[tuple[set[T], frozenset[str]]],
    names: Sequence[str],
) -> bool:
    """Whether no two clauses have a mark each crossed; `told`: the parts of the evidence by their marks."""
    return not any(
        _crossed(
            _words(one, names),
            _words(other, names),
            [words for marks, words in told if mine in marks],
            [words for marks, words in told if yours in marks],
        )
        for one, other, mine, yours in _marked(clauses)
    )


_MOST: Final = 12
"""Clauses of one claim that are compared."""

T = TypeVar("T", float, str)


def _marked(clauses: Sequence[tuple[set[T], str]]) -> Iterator[tuple[str, str, T, T]]:
    """Pairs of clauses with a mark each that the other has not."""
    for (marks, one), (others, other) in combinations(clauses, 2):
        mine, yours = marks - others, others - marks
        if len(mine) == 1 and len(yours) == 1:
            yield one, other, next(iter(mine)), next(iter(yours))


def _crossed(
    one: frozenset[str],
    other: frozenset[str],
    mine: Sequence[frozenset[str]],
    yours: Sequence[frozenset[str]],
) -> bool:
    def fit(clause: frozenset[str], parts: Sequence[frozenset[str]]) -> int:
        return max((len(clause & part) for part in parts), default=0)

    if not mine or not yours:
        return False
    return fit(one, yours) + fit(other, mine) > fit(one, mine) + fit(other, yours)


@lru_cache(maxsize=2048)
def _words(text: str, names: Sequence[str]) -> frozenset[str]:
    """What a part is about: its words, and what it numbers (3라인), without people."""
    labels, rest = without_labels(text)
    return (stems(without_people(rest, names)) - FRAME) | labels
