"""Answers what changed since a moment: decisions that were changed, new ones, and new tasks.

"뭐가 바뀌었어?" alone asks for everything that ever changed (`lists.changes`); with a moment only what was
said from then on counts. Since the last meeting is since this one began: what an earlier meeting had decided
otherwise stands beside it, where its passages are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from context.corpora.passage import Passage
from context.language.closed_lists import closed_lists, wording
from context.language.since_moment import moment_ms
from context.models import AgentCallType, Statement
from context.plain.answer import QuotedAnswer, answer_of_lines
from context.plain.outside_quotes import earlier_lines
from context.plain.record import Record
from context.reading.replacing import SURE_CHANCE, revision_chance
from context.retrieval.question_subject import coverage, nouns
from context.time_spans import Since

_MIN_COVERAGE: Final = 0.5
"""A statement is about the subject that is asked about if it holds this share of its words."""
_MAX_LINES: Final = 20
"""So many lines are shown at most."""
_CHANGE_WORDS: Final = frozenset(closed_lists("subjects")["no_change"])
_WORDS: Final = wording("since")


def changed_since(
    since: Since,
    record: Record,
    call_type: AgentCallType,
    *,
    now_ms: int | None = None,
    earlier: Sequence[Passage] = (),
) -> QuotedAnswer:
    """Tell what was decided, changed and given as a task from the moment on, or that nothing was.

    `now_ms`: when it is asked, in milliseconds from the meeting's start; None: when the last utterance ends.
    `earlier`: passages of earlier meetings, among which a former decision may be.
    """
    words = _WORDS[record.language]
    if not record.utterances:
        return answer_of_lines([words["nothing_start"]], call_type)
    last = record.utterances[-1]
    began = record.began(last)
    from_ms = moment_ms(since, began=began, now_ms=now_ms if now_ms is not None else last.end_ms)
    at = f"{began + timedelta(milliseconds=from_ms):%H:%M}"
    if since.hour is not None:
        at = f"{since.hour:02}:{since.minute:02}"
    otherwise = earlier_lines(earlier, record.zone, record.language)
    lines, evidence, sources = dict[str, None](), set[int](), dict[str, None]()
    for label, statement in _new_statements(since, record, from_ms):
        for text, said in record.said_by(statement):
            if len(lines) >= _MAX_LINES:
                break
            before = {
                line: source
                for line, sentence, source in (otherwise if label == "new" else ())
                if revision_chance(text, sentence) >= SURE_CHANCE
            }
            lines |= dict.fromkeys(f"- [{words['first']}] {line}" for line in before)
            lines[f"- [{words['again' if before else label]}] {record.quote(text, said)}"] = None
            sources |= dict.fromkeys(before.values())
            evidence.add(said.id)
    if not lines:
        return answer_of_lines(
            [words["nothing_start" if since.last_meeting else "nothing"].format(at=at)], call_type
        )
    head = words["start" if since.last_meeting else "since"].format(at=at)
    return answer_of_lines([head, *lines], call_type, evidence).model_copy(update={"sources": tuple(sources)})


def decided_here(record: Record) -> str:
    """A query for earlier meetings: the decisions of this one that stand, at most 600 characters of them."""
    return " ".join(each.text for each in record.statements().decisions if not each.superseded_by)[:600]


def subject_of(text: str) -> list[str]:
    """The words of a question about changes, or of its part, that name what may have changed."""
    return [word for word in nouns(text) if word not in _CHANGE_WORDS]


def _new_statements(since: Since, record: Record, from_ms: int) -> Iterator[tuple[str, Statement]]:
    """The statements since `from_ms` about what is asked, each behind its label, a key of the wording."""
    ledger = record.statements()
    subject = subject_of(since.rest)

    def is_fresh(statement: Statement, *others: Statement) -> bool:
        """Whether it came from the moment on, and it or one of `others` names what is asked about."""
        said = record.get(statement.evidence[-1]) if statement.evidence else None
        if said is None or said.start_ms < from_ms:
            return False
        text = " ".join(each.text for each in (statement, *others))
        return not subject or coverage(subject, text) >= _MIN_COVERAGE

    paired: set[int] = set()
    for old in ledger.decisions:
        now = ledger.later(old)
        if now is not None and is_fresh(now, old) and id(now) not in paired:
            paired |= {id(old), id(now)}
            labels = ("before", "after") if old.superseded_by else ("first", "again")
            yield from zip(labels, (old, now), strict=True)
    for decision in ledger.decisions:
        if id(decision) not in paired and not decision.superseded_by and is_fresh(decision):
            yield "new", decision
    for item in ledger.pending:
        if item.status not in ("done", "superseded") and is_fresh(item):
            yield ("open" if item.kind == "open" else "task"), item
