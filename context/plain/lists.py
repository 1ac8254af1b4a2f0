"""Answers that list all of a kind, in the words that were said: the newest thirty, the others are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.models import AgentCallType, Statement, Summary
from context.plain.answer import Quote, QuotedAnswer, answer_of_lines, answer_of_quotes, no_answer
from context.plain.record import Record
from context.plain.summary import summarise, with_rest
from context.primitives.person_names import called
from context.primitives.text import inert_name
from context.prompts.answer_prompts import WORDING
from context.retrieval.question_subject import coverage
from context.topics.titles import title_of

_MAX_ROWS: Final = 30
_MAX_POINTS_PER_TOPIC: Final = 3
_MIN_SUBJECT_SHARE: Final = 0.5
"""A change is of a subject if its decisions hold this share of the words that name it."""


def decisions(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """List all decisions; one that was changed or taken up again later says so, and when."""
    return _listed("decisions", record.statements().decisions, record, call_type)


def open_points(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """List what was put off or left open and has not been settled since."""
    left = [each for each in _pending(record) if each.kind == "open"]
    return _listed("open", left, record, call_type)


def changes(record: Record, call_type: AgentCallType, of: Sequence[str] = ()) -> QuotedAnswer:
    """List each decision that was changed, taken up again or said against, and behind it the later words.

    With `of`, the words of a subject, only those that name it.
    """
    ledger = record.statements()
    changed: list[Statement] = []
    for each in ledger.decisions:
        now = ledger.later(each)
        later = [now.text] if now is not None else [text for text, _ in record.said_against(each)]
        if later and (not of or coverage(of, " ".join([each.text, *later])) >= _MIN_SUBJECT_SHARE):
            changed += [old for old in (each, now) if old is not None and old not in changed]
    return _listed("changes", changed, record, call_type)


def tasks(record: Record, of: Sequence[str] = ()) -> QuotedAnswer:
    """List who does what until when; with `of`, a list of names, only the tasks of these people."""
    given = [
        each
        for each in _pending(record)
        if each.kind != "open" and (not of or any(called(name, each.owner or "") for name in of))
    ]
    if not given:
        return no_answer(record, "ACTION_EXTRACTION", "no_actions")
    wording = WORDING[record.language]
    lines, evidence = [wording["actions"]], set[int]()
    for each in given[-_MAX_ROWS:]:
        for text, utterance in record.said_by(each)[-1:]:
            evidence.add(utterance.id)
            who = inert_name(each.owner or "") or wording["nobody"]
            until = f", {wording['due']} {each.due}" if each.due else ""
            lines.append(f"- {who}{until} · {record.quote(text, utterance)}")
    return answer_of_lines([*lines, *_left_out(given, record)], "ACTION_EXTRACTION", evidence)


def main_points(record: Record) -> QuotedAnswer:
    """List the main points of every topic, at most three each, and what was decided in it."""
    wording = WORDING[record.language]
    lines, evidence, bare = [wording["summary"]], set[int](), list[str]()
    for name, notes in _topic_summaries(record):
        known = {each.text for each in notes.decisions}
        points = [each for each in notes.key_points if each.text not in known][:_MAX_POINTS_PER_TOPIC]
        shown = []
        for each in (*points, *notes.decisions):
            label = f"[{wording['decision']}] " if each.status in ("decided", "superseded") else ""
            became = record.became_of(each) if each in notes.decisions else ""
            for text, utterance in record.said_by(each):
                evidence.add(utterance.id)
                shown.append(f"- {label}{record.quote(text, utterance)}{f' ({became})' if became else ''}")
            for text, utterance in record.said_against(each):
                evidence.add(utterance.id)
                shown.append(f"- [{wording['against']}] {record.quote(text, utterance)}")
        if shown:
            lines += ["", f"**{inert_name(name)}**", *shown]
        else:
            bare.append(inert_name(name))
    if not evidence:
        return no_answer(record, "SUMMARY")
    if bare:
        lines += ["", f"{wording['also']}: {', '.join(bare)}"]
    return answer_of_lines(lines, "SUMMARY", evidence)


def _pending(record: Record) -> list[Statement]:
    return [each for each in record.statements().pending if each.status not in ("done", "superseded")]


def _listed(
    lead: str, statements: Sequence[Statement], record: Record, call_type: AgentCallType
) -> QuotedAnswer:
    """Quote the statements under the line `lead`; say that there are none where there are none.

    Behind a decision stands what was said against it later.
    """
    against = WORDING[record.language]["against"]
    quotes: list[Quote] = []
    for each in statements[-_MAX_ROWS:]:
        note = record.became_of(each) if each.kind is None else ""
        quotes += [Quote(text, said, note=note) for text, said in record.said_by(each)]
        quotes += [Quote(text, said, note=against) for text, said in record.said_against(each)]
    if not quotes:
        return no_answer(record, call_type, f"no_{lead}")
    quoted = answer_of_quotes(lead, quotes, record, call_type)
    return quoted.model_copy(update={"text": "\n".join([quoted.text, *_left_out(statements, record)])})


def _left_out(listed: Sequence[Statement], record: Record) -> list[str]:
    more = len(listed) - _MAX_ROWS
    return [WORDING[record.language]["left_out"].format(count=more)] if more > 0 else []


def _topic_summaries(record: Record) -> list[tuple[str, Summary]]:
    """Each topic's title and summary; what no summary covers yet is summarised on the spot."""
    notes: list[tuple[str, Summary]] = []
    for segment, fresh in record.by_topic(record.unsummarised()):
        if segment is not None:
            read = segment.written_until > 0
            whole = with_rest(segment.notes, fresh, read=read) if fresh else segment.notes
            notes.append((title_of(segment, record.utterances), whole))
        elif fresh:
            notes.append((WORDING[record.language]["latest"], summarise(Summary(), fresh)))
    return notes
