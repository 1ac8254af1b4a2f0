"""A claim about a meeting, and what a verifier finds of it: the meaning that no rule can read.

What is certain is checked mechanically, before (`context.checking`). A verifier is a language model that sees
one claim and utterances, never the question: whoever asks cannot wish a verdict.
"""

from __future__ import annotations

from typing import Literal

from context.models import Frozen

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
