"""Claims about a meeting, and the verdicts of a verifier, which judges what no rule can: their meaning.

What is certain is checked mechanically, before (`context.statements.checks`). A verifier is a language model
that sees one claim and utterances (what the claim cites, what that answered, what was said on it later),
never the question: whoever asks cannot wish a verdict.

Of a summary each new statement is one claim, whether it stands among the sentences, the points or the
decisions. What the utterances contradict or do not say is dropped; what was only proposed is no decision;
what was settled otherwise later is superseded by that. A statement without a verdict stays, and is marked as
unverified, until a later call judges it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from context.evidence.claim_parts import labelled
from context.evidence.claim_words import letters, quotations, without_quotations
from context.evidence.facts import matter
from context.language.questions import sentences
from context.models import Frozen, Statement, Summary, Utterance
from context.ports import PortError
from context.reading.replacing import of_one_matter
from context.retrieval.lexical import LexicalIndex
from context.statements.checks import statements_of

ClaimKind = Literal["statement", "decision", "task", "open"]
Support = Literal["supported", "contradicted", "not_said"]
Status = Literal["decided", "proposed", "rejected", "open", "none"]
VerdictFault = Literal["contradicted", "not_said", "not_decided", "changed_later"]


class NothingStands(PortError):
    """No sentence of a model's summary stands: none is borne out by what it summarises."""


class Claim(Frozen):
    """One sentence that is to stand in an answer or in the minutes."""

    text: str
    evidence: tuple[int, ...]
    """The numbers of the utterances that it cites."""
    kind: ClaimKind = "statement"
    """What it is told as; what is told as a decision must have been decided."""


class Verdict(Frozen):
    """What a verifier finds of one claim."""

    support: Support
    """Whether the utterances bear the claim out."""
    status: Status = "none"
    """What became of the matter in the utterances."""
    changed: tuple[int, ...] = ()
    """The numbers of utterances that settled it otherwise later; empty while it still holds."""


def verdict_fault(claim: Claim, verdict: Verdict, heard: Mapping[int, Utterance]) -> VerdictFault | None:
    """Why a claim may not stand, or None.

    `heard`: what the verifier saw, by id. That something was said whose very words a claim has, no verdict
    can deny.
    """
    if _is_quotation(claim, heard):
        if claim.kind == "statement":
            return None
    elif verdict.support != "supported":
        return verdict.support
    if claim.kind == "decision" and verdict.status in ("proposed", "rejected", "open"):
        return "not_decided"
    if verdict.changed and max(verdict.changed) > max(claim.evidence, default=0):
        return "changed_later"
    return None


def _is_quotation(claim: Claim, heard: Mapping[int, Utterance]) -> bool:
    """Whether a claim is whole sentences of one utterance that it cites, with no speaker or with its own.

    They may stand in quotation marks beside no more than that their speaker said so.
    """
    parts = labelled(claim.text)
    for said in (heard[id_] for id_ in claim.evidence if id_ in heard):
        spoken = {letters(sentence) for sentence in sentences(said.text)}
        own = parts.rest if _calls(parts.words, said.speaker_name) else claim.text
        if (quoted := quotations(own)) and _calls(without_quotations(own), said.speaker_name):
            own = "\n".join(quoted)
        told = [letters(sentence) for sentence in sentences(own.strip(_MARKS))]
        if sum(map(len, told)) >= _MIN_QUOTATION_LETTERS and spoken.issuperset(told):
            return True
    return False


def _calls(words: str, speaker: str) -> bool:
    """Whether words name a speaker and say no more than that they said something."""
    rest = words.replace(speaker, " ")
    if rest == words and words.strip(_MARKS):
        return False
    return all(word in _SAYING for word in re.findall(r"[^\W\d_]+", rest.lower()))


_SAYING: Final = frozenset(
    [
        "said",
        "says",
        "asked",
        "added",
        "answered",
        "replied",
        "님",
        "씨",
        "님은",
        "님이",
        "님의",
        "씨는",
        "씨가",
        "은",
        "는",
        "이",
        "가",
        "라고",
        "고",
        "말했습니다",
        "말했다",
        "했습니다",
        "했다",
        "물었습니다",
        "답했습니다",
    ]
)
_MIN_QUOTATION_LETTERS: Final = 6
"""Letters of a quotation: "Yes." stands by itself for nothing."""
_MARKS: Final = " \"'“”‘’「」『』*"
_LINES_BEFORE: Final = 2
_LINES_BEHIND: Final = 1
_LATER_LINES: Final = 3
"""How many later utterances on the same matter are shown: one of them may have changed it."""
_MAX_FOUND_LINES: Final = 32
_MAX_CITED_LINES: Final = 8


def witnesses(claims: Iterable[Claim], archive: Sequence[Utterance], index: LexicalIndex) -> list[Utterance]:
    """The utterances that a verifier sees for these claims, in order, none twice.

    They are the cited ones, their neighbours, and later ones on the same matter, found in `index` (which may
    lag behind the archive). `archive`: all utterances of the meeting, utterance n at n - 1.
    """
    wanted: set[int] = set()
    for claim in claims:
        cited = [id_ for id_ in claim.evidence if 0 < id_ <= len(archive)][:_MAX_CITED_LINES]
        for id_ in cited:
            wanted.update(range(max(1, id_ - _LINES_BEFORE), min(len(archive), id_ + _LINES_BEHIND) + 1))
        if cited:
            words = " ".join((claim.text, *(archive[id_ - 1].text for id_ in cited)))
            found = (id_ for id_, _ in index.search(words, _MAX_FOUND_LINES))
            wanted.update(
                [id_ for id_ in found if max(cited) + _LINES_BEHIND < id_ <= len(archive)][:_LATER_LINES]
            )
    return [archive[id_ - 1] for id_ in sorted(wanted)]


_LISTS: Final = ("decisions", "pending", "sentences", "key_points")
MOST_CLAIMS: Final = 40
"""Most claims of one call."""
_LINES_AROUND: Final = 2
"""How many utterances before one that changed something name what that ("then the ninth") leaves out."""

Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A summary as the verdicts leave it."""

    summary: Summary
    dropped: tuple[tuple[str, VerdictFault], ...]
    """The texts that were dropped from it, each with the reason."""


def claims_of(content: Summary, previous: Summary) -> list[Claim]:
    """The claims of a summary to be verified: what `previous` lacks, or has unverified.

    Those that matter most come first: decisions, then what is pending, then the rest.
    Statements that quote, that a person corrected, or that are done or superseded need no verdict.
    """
    known = {_key(each) for each in statements_of(previous) if not each.unverified}
    claims: dict[Key, Claim] = {}
    for field in _LISTS:
        for each in getattr(content, field):
            settled = each.quoted or each.corrected_by or each.status in {"superseded", "done"}
            if settled or not each.evidence or _key(each) in known:
                continue
            claim = Claim(text=each.text, evidence=each.evidence, kind=_told_as(field, each))
            claims.setdefault(_key(each), claim)
    return list(claims.values())


def _told_as(field: str, statement: Statement) -> ClaimKind:
    if field == "decisions":
        return "decision"
    if field == "pending":
        return "task" if statement.kind == "action" else "open"
    return "statement"


def judged(
    content: Summary,
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict | None],
    heard: Mapping[int, Utterance],
) -> Judged:
    """Drop from a summary what the verdicts, one per claim, refute, and mark what got none as unverified.

    `heard`: what the verifier saw, by id.
    A decision that was only proposed becomes pending, and what was changed later superseded. A summary that
    loses all its sentences gets up to three of its other statements instead.
    """
    verdict_of = {
        (claim.text, claim.evidence): (claim, verdict)
        for claim, verdict in zip(claims, verdicts, strict=True)
    }
    dropped: dict[Key, tuple[str, VerdictFault]] = {}
    kept: dict[str, list[Statement]] = {field: [] for field in _LISTS}
    for field in _LISTS:
        for statement in getattr(content, field):
            claim, verdict = verdict_of.get(_key(statement), (None, None))
            if claim is None or verdict is None:
                kept[field].append(_marked(statement, claim is not None or statement.unverified))
                continue
            fault, left = _left_of(field, _marked(statement, False), claim, verdict, heard)
            if left is not None:
                kept[field].append(left)
            if fault is None:
                continue
            dropped.setdefault(_key(statement), (statement.text, fault))
            if fault == "not_decided" and verdict.status in {"proposed", "open"}:
                kept["pending"].append(statement.model_copy(update={"kind": "open", "status": "open"}))
    if content.sentences and not kept["sentences"]:
        kept["sentences"] = for_sentences(*kept["key_points"], *kept["decisions"], *kept["pending"])
    stand = {
        field: tuple({(statement.text, statement.kind): statement for statement in statements}.values())
        for field, statements in kept.items()
    }
    text = " ".join(statement.text for statement in stand["sentences"])
    verified = not any(statement.unverified for statements in stand.values() for statement in statements)
    summary = content.model_copy(update={**stand, "text": text, "verified": verified})
    return Judged(summary, tuple(dropped.values()))


def for_sentences(*statements: Statement) -> list[Statement]:
    """The first three of a summary's other statements that hold: they tell it where no sentence is left."""
    return [each for each in statements if each.status != "superseded"][:3]


def _marked(statement: Statement, unverified: bool) -> Statement:
    if statement.unverified is unverified:
        return statement
    return statement.model_copy(update={"unverified": unverified})


def _left_of(
    field: str, statement: Statement, claim: Claim, verdict: Verdict, heard: Mapping[int, Utterance]
) -> tuple[VerdictFault | None, Statement | None]:
    """The fault that drops a statement, or None; and what stands of it, or None."""
    fault = verdict_fault(claim, verdict, heard)
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


def _changed_by(claim: Claim, verdict: Verdict, heard: Mapping[int, Utterance]) -> int | None:
    """The last utterance that settled a claim otherwise: one heard, later, and on the same matter."""
    for id_ in sorted(verdict.changed, reverse=True):
        if id_ not in heard or id_ <= max(claim.evidence):
            continue
        said = heard[id_].text
        if not matter(said):
            said = " ".join(heard[n].text for n in range(id_ - _LINES_AROUND, id_ + 1) if n in heard)
        if of_one_matter(said, claim.text):
            return id_
    return None


def _key(statement: Statement) -> Key:
    return statement.text, statement.evidence
