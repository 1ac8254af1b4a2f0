"""A claim about a meeting, and what a verifier finds of it: the meaning that no rule can read.

What is certain is checked mechanically, before (`context.checking`). A verifier is a language model that sees
one claim and utterances, never the question: whoever asks cannot wish a verdict.

Which utterances a claim is judged by: what it cites, what that answered, and what was said on it later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from context.models import Frozen, Utterance
from context.retrieval.lexical import LexicalIndex

ClaimKind = Literal["statement", "decision", "task", "open"]
Support = Literal["supported", "contradicted", "not_said"]
Status = Literal["decided", "proposed", "rejected", "open", "none"]
VerdictFault = Literal["contradicted", "not_said", "not_decided", "changed_later", "doubted"]


class Claim(Frozen):
    """One sentence that is to stand in an answer or in the minutes."""

    text: str
    evidence: tuple[int, ...]
    """The utterances that it cites."""
    kind: ClaimKind = "statement"
    """As what it is told: a decision is held to having been decided."""
    doubt: str = ""
    """Why its words alone make it doubtful; it counts only where no verifier gave a verdict."""


class Verdict(Frozen):
    """What a verifier finds of one claim."""

    support: Support
    by: str | None = None
    """Who said it, by name, where the verifier names somebody."""
    status: Status = "none"
    """What became of the matter in the utterances: only a decision was decided."""
    changed: tuple[int, ...] = ()
    """Utterances that settled it otherwise later; empty while it still holds."""


def verdict_fault(claim: Claim, verdict: Verdict | None) -> VerdictFault | None:
    """Why a claim may not stand, or None. Without a verdict only a doubt speaks against it."""
    if verdict is None:
        return "doubted" if claim.doubt else None
    if verdict.support != "supported":
        return verdict.support
    if claim.kind == "decision" and verdict.status in ("proposed", "rejected", "open"):
        return "not_decided"
    if verdict.changed and max(verdict.changed) > max(claim.evidence, default=0):
        return "changed_later"
    return None


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
