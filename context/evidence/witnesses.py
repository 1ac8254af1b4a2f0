"""Which utterances a claim is judged by: what it cites, what that answered, and what was said on it later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from context.evidence.verdicts import Claim
from context.models import Utterance
from context.retrieval.lexical import LexicalIndex

_BEFORE: Final = 2
_BEHIND: Final = 1
_LATER: Final = 3
"""Later utterances on the same matter, by their words: one of them may have changed it."""
_LOOKED_AT: Final = 32
_MOST_CITED: Final = 8


def witnesses(claims: Iterable[Claim], archive: Sequence[Utterance], index: LexicalIndex) -> list[Utterance]:
    """The utterances for a verifier, in order, none twice. `archive`: of the meeting, the id `n` at `n - 1`.

    `index` holds the archive's words as far as they have been read; later lines are looked for there.
    """
    wanted: set[int] = set()
    for claim in claims:
        cited = [id_ for id_ in claim.evidence if 0 < id_ <= len(archive)][:_MOST_CITED]
        for id_ in cited:
            wanted.update(range(max(1, id_ - _BEFORE), min(len(archive), id_ + _BEHIND) + 1))
        if cited:
            matter = " ".join((claim.text, *(archive[id_ - 1].text for id_ in cited)))
            wanted.update(_later(matter, max(cited), len(archive), index))
    return [archive[id_ - 1] for id_ in sorted(wanted)]


def _later(matter: str, after: int, heard: int, index: LexicalIndex) -> list[int]:
    """The likeliest utterances behind `after` that speak of the same."""
    found = (id_ for id_, _ in index.search(matter, _LOOKED_AT))
    return [id_ for id_ in found if after + _BEHIND < id_ <= heard][:_LATER]
