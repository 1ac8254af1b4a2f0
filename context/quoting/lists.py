"""Everything of a kind, in the words in which it was said: all decisions, all changes, the main points."""

from __future__ import annotations

from typing import Final

from context.extractive import summarise
from context.inert import inert_name
from context.models import AgentCallType, Statement, Summary
from context.prompts.answering import WORDING
from context.quoting.quotes import ExtractiveAnswer, Found, nothing, quoting
from context.quoting.record import Record
from context.retrieval.questions import Asked, coverage, gives, take_apart
from context.topics.topic_titles import title_of

LEAST: Final = 0.5
"""Less of the subject covered is no answer."""
_TOPICS_SHOWN: Final = 12
_ITEMS_SHOWN: Final = 20


def all_decisions(record: Record, wanted: AgentCallType, asked: Asked | None = None) -> ExtractiveAnswer:
    """Everything that was decided and still stands, the newest last.

    `asked`: where a day, an amount or a place is asked for, those that hold one, if any does.
    """
    chosen = []
    for decision in record.statements().decisions:
        if not decision.superseded_by:
            chosen += [Found(text, said, 1.0, decision=True) for text, said in record.said_by(decision)]
    if asked is not None and asked.kind is not None:
        chosen = [each for each in chosen if holds(asked, each.text, record)] or chosen
    if not chosen:
        return nothing(record, wanted)
    return quoting("decisions", chosen[-_ITEMS_SHOWN:], record, wanted)


def holds(asked: Asked, text: str, record: Record) -> bool:
    """Whether a decision gives the kind of thing asked for; a day is no place."""
    day = asked.model_copy(update={"kind": "when"})
    return gives(asked, text, record.names) and not (asked.kind == "where" and gives(day, text))


def all_changes(asked: Asked, record: Record, wanted: AgentCallType) -> ExtractiveAnswer | None:
    """Each decision that was changed, with what it was changed to; None where nothing was.

    Of the subject that is asked for, where one is named.
    """
    decisions = record.statements().decisions
    later = {str(decision.evidence[-1]): decision for decision in decisions if decision.evidence}
    chosen: list[Found] = []
    for decision in decisions:
        now = later.get(decision.superseded_by or "")
        if now is None or (
            asked.topic and coverage(asked, f"{decision.text} {now.text}", asked.importance) < LEAST
        ):
            continue
        for each in (decision, now):
            chosen += [
                Found(text, said, 1.0, decision=True, superseded_by=each.superseded_by)
                for text, said in record.said_by(each)
            ]
    return quoting("changes", chosen[-_ITEMS_SHOWN:], record, wanted) if chosen else None


def main_points(record: Record, question: str | None = None) -> ExtractiveAnswer:
    """The main points of each topic, or of those that `question` names; declined where it names none."""
    notes = _noted(record)
    if question is not None:
        asked = take_apart(question)
        notes = [
            (name, summary)
            for name, summary in notes
            if coverage(asked, " ".join((name, *summary.keywords))) >= LEAST
        ]
    wording = WORDING[record.language]
    lines = [wording["summary"]]
    evidence: set[int] = set()
    for name, summary in notes[-_TOPICS_SHOWN:]:
        shown = [*summary.key_points[:3], *(d for d in summary.decisions if not d.superseded_by)]
        quoted = [line for line in (_line(statement, record, evidence) for statement in shown) if line]
        if quoted:
            lines += ["", f"**{inert_name(name)}**", *quoted]
    if not evidence:
        return nothing(record, "SUMMARY")
    return ExtractiveAnswer(
        text="\n".join(lines), evidence=tuple(sorted(evidence)), declined=False, call_type="SUMMARY"
    )


def _noted(record: Record) -> list[tuple[str, Summary]]:
    """Each topic's name and summary, the open part summarised on the spot."""
    fresh = record.unsummarised()
    notes: list[tuple[str, Summary]] = []
    for segment in record.segments:
        within = [u for u in fresh if segment.start_utterance_id <= u.id <= segment.end_utterance_id]
        summary = summarise(segment.notes, within) if within else segment.notes
        notes.append((title_of(segment, record.utterances), summary))
    last = max((segment.end_utterance_id for segment in record.segments), default=0)
    rest = [u for u in fresh if u.id > last]
    if rest:
        notes.append((WORDING[record.language]["latest"], summarise(Summary(), rest)))
    return notes


def _line(statement: Statement, record: Record, evidence: set[int]) -> str:
    """One statement as quotes; their utterances are added to `evidence`."""
    label = f"[{WORDING[record.language]['decision']}] " if statement.status == "decided" else ""
    said = record.said_by(statement)
    evidence |= {utterance.id for _, utterance in said}
    return "\n".join(f"- {label}{record.quote(text, utterance)}" for text, utterance in said)
