"""Everything of a kind that the record holds, in the words that were said; what is left out is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.models import AgentCallType, Statement, Summary
from context.plain.answer import Quote, QuotedAnswer, nothing, quoting, told
from context.plain.record import Record
from context.plain.summary import summarise, with_rest
from context.prompts.answering import WORDING
from context.retrieval.lexical import called
from context.text import inert_name
from context.topics.topics import title_of

_SHOWN: Final = 30
_POINTS_A_TOPIC: Final = 3
_SETTLED: Final = ("done", "superseded")


def decisions(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Everything that was decided and still stands."""
    standing = [each for each in record.statements().decisions if not each.superseded_by]
    return _listed("decisions", standing, record, wanted)


def open_points(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Everything that was put off or left open, and not settled since."""
    left = [each for each in _pending(record) if each.kind == "open"]
    return _listed("open", left, record, wanted)


def changes(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Each decision that was changed, with what it was changed to."""
    ledger = record.statements()
    later = ledger.by_last_word()
    pairs = [
        (each, now) for each in ledger.decisions if (now := later.get(each.superseded_by or "")) is not None
    ]
    return _listed("changes", [each for pair in pairs for each in pair], record, wanted)


def tasks(record: Record, of: Sequence[str] = ()) -> QuotedAnswer:
    """Who does what until when; with `of`, what those people do."""
    given = [
        each
        for each in _pending(record)
        if each.kind != "open" and (not of or any(called(name, each.owner or "") for name in of))
    ]
    if not given:
        return _none("actions", record, "ACTION_EXTRACTION")
    lines = [WORDING[record.language]["actions"]]
    evidence: set[int] = set()
    for each in given[-_SHOWN:]:
        if (utterance := record.get(each.evidence[-1]) if each.evidence else None) is not None:
            evidence.add(utterance.id)
            lines.append(_task(each, record.quote(each.text, utterance), record))
    lines += _left_out(len(given), record)
    return told(lines, "ACTION_EXTRACTION", evidence)


def main_points(record: Record) -> QuotedAnswer:
    """The main points of every topic, and what was decided in it."""
    wording = WORDING[record.language]
    lines = [wording["summary"]]
    evidence: set[int] = set()
    bare: list[str] = []
    for name, notes in _noted(record):
        standing = [each for each in notes.decisions if not each.superseded_by]
        known = {each.text for each in standing}
        points = [each for each in notes.key_points if each.text not in known][:_POINTS_A_TOPIC]
        shown = [line for each in (*points, *standing) for line in _lines(each, record, evidence)]
        if shown:
            lines += ["", f"**{inert_name(name)}**", *shown]
        else:
            bare.append(inert_name(name))
    if not evidence:
        return nothing(record, "SUMMARY")
    if bare:
        lines += ["", f"{wording['also']}: {', '.join(bare)}"]
    return told(lines, "SUMMARY", evidence)


def _pending(record: Record) -> list[Statement]:
    return [each for each in record.statements().pending if each.status not in _SETTLED]


def _listed(
    lead: str, statements: Sequence[Statement], record: Record, wanted: AgentCallType
) -> QuotedAnswer:
    quotes = [
        Quote(text, said, note=WORDING[record.language]["superseded"] if each.superseded_by else "")
        for each in statements[-_SHOWN:]
        for text, said in record.said_by(each)
    ]
    if not quotes:
        return _none(lead, record, wanted)
    quoted = quoting(lead, quotes, record, wanted)
    rest = _left_out(len(statements), record)
    return quoted.model_copy(update={"text": "\n".join([quoted.text, *rest])}) if rest else quoted


def _none(lead: str, record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """There is nothing of the kind: that is an answer, though one without evidence."""
    text = WORDING[record.language][f"no_{lead}"]
    return QuotedAnswer(text=text, evidence=(), call_type=wanted, certainty="none")


def _left_out(count: int, record: Record) -> list[str]:
    more = count - _SHOWN
    return [WORDING[record.language]["left_out"].format(count=more)] if more > 0 else []


def _task(each: Statement, quote: str, record: Record) -> str:
    wording = WORDING[record.language]
    until = f", {wording['due']} {each.due}" if each.due else ""
    return f"- {inert_name(each.owner or '') or wording['nobody']}{until} · {quote}"


def _noted(record: Record) -> list[tuple[str, Summary]]:
    """Each topic's name and summary, what no summary covers yet summarised on the spot."""
    notes: list[tuple[str, Summary]] = []
    for segment, fresh in record.by_topic(record.unsummarised()):
        if segment is not None:
            read = segment.written_until > 0
            whole = with_rest(segment.notes, fresh, read=read) if fresh else segment.notes
            notes.append((title_of(segment, record.utterances), whole))
        elif fresh:
            notes.append((WORDING[record.language]["latest"], summarise(Summary(), fresh)))
    return notes


def _lines(statement: Statement, record: Record, evidence: set[int]) -> list[str]:
    """One statement as quotes; their utterances are added to `evidence`."""
    label = f"[{WORDING[record.language]['decision']}] " if statement.status == "decided" else ""
    said = record.said_by(statement)
    evidence |= {utterance.id for _, utterance in said}
    return [f"- {label}{record.quote(text, utterance)}" for text, utterance in said]
