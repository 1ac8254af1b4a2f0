"""What an answer made of quotes looks like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context.extractive.statements import normal
from context.models import AgentCallType, Frozen, Utterance
from context.prompts.answering import WORDING
from context.quoting.record import Record


class ExtractiveAnswer(Frozen):
    """An answer made of quotes. `evidence`: the utterances quoted, in order of time."""

    text: str
    evidence: tuple[int, ...]
    declined: bool
    call_type: AgentCallType
    sources: tuple[str, ...] = ()
    """What is quoted from outside this meeting, as it is cited."""


@dataclass(slots=True)
class Found:
    """A sentence that may answer."""

    text: str
    utterance: Utterance
    score: float
    decision: bool = False
    superseded_by: str | None = None
    replies: bool = False
    """It was said in reply to the same question."""


def quoting(lead: str, chosen: Sequence[Found], record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """The chosen sentences under a line that says what they are."""
    wording = WORDING[record.language]
    lines = [wording[lead]]
    for each in chosen:
        if any(one is not each and one.utterance is each.utterance and _within(each, one) for one in chosen):
            continue  # it is quoted with what stands around it
        mark = f" ({wording['superseded']})" if each.superseded_by else ""
        lines.append(f"- {record.quote(each.text, each.utterance)}{mark}")
    evidence = tuple(sorted({each.utterance.id for each in chosen}))
    return ExtractiveAnswer(text="\n".join(lines), evidence=evidence, declined=False, call_type=wanted)


def _within(one: Found, other: Found) -> bool:
    """Whether the words of one are part of the other's."""
    return len(one.text) < len(other.text) and normal(one.text) in normal(other.text)


def nothing(record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """An honest no."""
    text = WORDING[record.language]["not_found"]
    return ExtractiveAnswer(text=text, evidence=(), declined=True, call_type=wanted)
