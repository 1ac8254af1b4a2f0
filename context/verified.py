"""The minutes before and after a verifier: what is claimed, and what its verdicts leave of it.

Each new statement is one claim, whether it stands among the sentences, the points or the decisions. What
the utterances contradict or do not say is dropped; what was only proposed is no decision; what was settled
otherwise later is superseded by that. A statement without a verdict stays, and the summary is unverified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.verdicts import Claim, ClaimKind, Verdict, VerdictFault, verdict_fault
from context.facts import matter
from context.models import Statement, Summary, Utterance
from context.reading.replacing import of_one_matter

_LISTS: Final = ("decisions", "pending", "sentences", "key_points")
_MOST: Final = 40
"""Claims of one call, the first ones: decisions, tasks, then the rest."""
_AROUND: Final = 2
"""Utterances before the one that changed something: they name what "then the ninth" leaves out."""

Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A summary as a verifier leaves it, and what was dropped from it, with why."""

    summary: Summary
    dropped: tuple[tuple[str, VerdictFault], ...]


def claims_of(content: Summary, previous: Summary) -> list[Claim]:
    """What of a summary has to be verified: all that no verifier has passed as part of the last one."""
    known = set() if previous.verified is False else {_key(each) for each in _all(previous)}
    claims: dict[Key, Claim] = {}
    for field in _LISTS:
        for each in getattr(content, field):
            settled = each.quoted or each.corrected_by or each.status in {"superseded", "done"}
            if settled or not each.evidence or _key(each) in known:
                continue
            kind = _kind(field, each)
            claims.setdefault(_key(each), Claim(text=each.text, evidence=each.evidence, kind=kind))
    return list(claims.values())[:_MOST]


def judged(
    content: Summary,
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict | None],
    heard: Mapping[int, Utterance],
) -> Judged:
    """The summary as the verdicts, one per claim, leave it. `heard`: what the verifier saw, by id."""
    found = {
        (claim.text, claim.evidence): (claim, verdict)
        for claim, verdict in zip(claims, verdicts, strict=True)
        if verdict is not None
    }
    dropped: dict[Key, tuple[str, VerdictFault]] = {}
    kept: dict[str, list[Statement]] = {field: [] for field in _LISTS}
    for field in _LISTS:
        for each in getattr(content, field):
            claim, verdict = found.get(_key(each), (None, None))
            if claim is None or verdict is None:
                kept[field].append(each)
                continue
            fault, left = _left_of(field, each, claim, verdict, heard)
            if left is not None:
                kept[field].append(left)
            if fault is None:
                continue
            dropped.setdefault(_key(each), (each.text, fault))
            if fault == "not_decided" and verdict.status in {"proposed", "open"}:
                kept["pending"].append(each.model_copy(update={"kind": "open", "status": "open"}))
    if content.sentences and not kept["sentences"]:
        rest = [*kept["key_points"], *kept["decisions"], *kept["pending"]]
        kept["sentences"] = [each for each in rest if each.status != "superseded"][:3]
    stand = {field: _once(statements) for field, statements in kept.items()}
    text = " ".join(each.text for each in stand["sentences"])
    verified = all(verdict is not None for verdict in verdicts)
    summary = content.model_copy(update={**stand, "text": text, "verified": verified})
    return Judged(summary, tuple(dropped.values()))


def _left_of(
    field: str, statement: Statement, claim: Claim, verdict: Verdict, heard: Mapping[int, Utterance]
) -> tuple[VerdictFault | None, Statement | None]:
    """Why a statement is dropped, or None; and what stands of it."""
    fault = verdict_fault(claim, verdict)
    listed = field in {"decisions", "pending"}
    was_so = fault == "changed_later" or (fault == "contradicted" and listed and verdict.status == "decided")
    by = _changed_by(claim, verdict, heard) if was_so else None
    if by is not None and listed:
        return None, statement.model_copy(update={"status": "superseded", "superseded_by": str(by)})
    if fault is None or (fault == "changed_later" and by is None):
        return None, statement
    if fault == "not_decided" and field != "decisions":
        return None, statement
    return fault, None


def _once(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    return tuple({(each.text, each.kind): each for each in statements}.values())


def _changed_by(claim: Claim, verdict: Verdict, heard: Mapping[int, Utterance]) -> int | None:
    """The last utterance that settled it otherwise, where it is there, later, and of the same matter."""
    for id_ in sorted(verdict.changed, reverse=True):
        if id_ not in heard or id_ <= max(claim.evidence):
            continue
        said = heard[id_].text
        if not matter(said):
            said = " ".join(heard[n].text for n in range(id_ - _AROUND, id_ + 1) if n in heard)
        if of_one_matter(said, claim.text):
            return id_
    return None


def _kind(field: str, statement: Statement) -> ClaimKind:
    if field == "decisions":
        return "decision"
    if field == "pending":
        return "task" if statement.kind == "action" else "open"
    return "statement"


def _key(statement: Statement) -> Key:
    return statement.text, statement.evidence


def _all(summary: Summary) -> list[Statement]:
    return [each for field in _LISTS for each in getattr(summary, field)]
