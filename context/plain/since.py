"""What changed since a moment: decisions that were changed, new ones and new tasks, each with its witness.

"뭐가 바뀌었어?" alone asks for everything that ever changed (`all_changes`); with a moment only what was said from
then on counts. Since the last meeting is since this one began: what an earlier meeting had decided otherwise
stands beside it, where its passages are at hand.
"""  # noqa: E501 - a text reads better unbroken

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from context.corpora.passage import Passage
from context.language.closed_lists import closed_lists, wording
from context.language.since import Since, moment_ms
from context.models import AgentCallType, Statement, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.elsewhere import earlier_lines
from context.plain.record import Record
from context.reading.replacing import SURE, replaces
from context.retrieval.questions import coverage, nouns

_LEAST: Final = 0.5
_SHOWN: Final = 20
_GENERIC: Final = frozenset(closed_lists("subjects")["no_change"])
_WORDS: Final = wording("since")


def changed_since(
    since: Since,
    record: Record,
    wanted: AgentCallType,
    *,
    now_ms: int | None = None,
    earlier: Sequence[Passage] = (),
) -> QuotedAnswer:
    """What was decided, changed and given as a task from the moment on; an honest "nothing" where that is so.

    `now_ms`: when it is asked, in meeting time; by default the last word. `earlier`: of earlier meetings.
    """
    words = _WORDS[record.language]
    if not record.utterances:
        return QuotedAnswer(text=words["nothing_start"], evidence=(), call_type=wanted)
    last = record.utterances[-1]
    began = (last.absolute_timestamp - timedelta(milliseconds=last.start_ms)).astimezone(record.zone)
    from_ms = moment_ms(since, began=began, now_ms=now_ms if now_ms is not None else last.end_ms)
    head = "start" if since.last_meeting else "since"
    at = (
        f"{began + timedelta(milliseconds=from_ms):%H:%M}"
        if since.hour is None
        else f"{since.hour:02}:{since.minute:02}"
    )
    lines: dict[str, None] = {}
    evidence: set[int] = set()
    sources: dict[str, None] = {}
    for label, text, said in _news(since, record, from_ms):
        before = _before(text, earlier, record) if label == "new" else {}
        lines |= dict.fromkeys(f"- [{words['before']}] {line}" for line in before)
        sources |= dict.fromkeys(before.values())
        lines[f"- [{words['after' if before else label]}] {record.quote(text, said)}"] = None
        evidence.add(said.id)
        if len(lines) >= _SHOWN:
            break
    if not lines:
        nothing = words["nothing_start" if since.last_meeting else "nothing"].format(at=at)
        return QuotedAnswer(text=nothing, evidence=(), call_type=wanted)
    return QuotedAnswer(
        text="\n".join([words[head].format(at=at), *lines]),
        evidence=tuple(sorted(evidence)),
        call_type=wanted,
        sources=tuple(sources),
    )


def _before(decision: str, earlier: Sequence[Passage], record: Record) -> dict[str, str]:
    """What earlier meetings had said otherwise, as it is quoted, and what it is cited as."""
    return {
        line: source
        for line, sentence, source in earlier_lines(earlier, record.zone)
        if replaces(decision, sentence) >= SURE
    }


def decided_here(record: Record) -> str:
    """What to look for in earlier meetings: what this one has decided."""
    return " ".join(each.text for each in record.statements().decisions if not each.superseded_by)[:600]


def _news(since: Since, record: Record, from_ms: int) -> Iterator[tuple[str, str, Utterance]]:
    """Label, words and witness, in order: changed decisions as pairs, new ones, new tasks, newly open items."""  # noqa: E501 - a text reads better unbroken
    ledger = record.statements()
    fresh = _Fresh(since, record, from_ms)
    later = ledger.by_last_word()
    told: set[int] = set()
    for old in ledger.decisions:
        now = later.get(old.superseded_by or "")
        if now is not None and fresh(now, old):
            told |= {id(old), id(now)}
            yield from _witnessed(record, "before", old)
            yield from _witnessed(record, "after", now)
    for decision in ledger.decisions:
        if id(decision) not in told and not decision.superseded_by and fresh(decision):
            yield from _witnessed(record, "new", decision)
    for item in ledger.pending:
        if item.status not in ("done", "superseded") and fresh(item):
            yield from _witnessed(record, _kind(item), item)


class _Fresh:
    """Whether a statement came from the moment on, and is on what is asked about."""

    def __init__(self, since: Since, record: Record, from_ms: int) -> None:
        self._record, self._from_ms = record, from_ms
        self._subject = [word for word in nouns(since.rest) if word not in _GENERIC]

    def __call__(self, statement: Statement, *others: Statement) -> bool:
        """`others`: what may name the subject in its place."""
        said = self._record.get(statement.evidence[-1]) if statement.evidence else None
        if said is None or said.start_ms < self._from_ms:
            return False
        text = " ".join(each.text for each in (statement, *others))
        return not self._subject or coverage(self._subject, text) >= _LEAST


def _witnessed(record: Record, label: str, statement: Statement) -> Iterator[tuple[str, str, Utterance]]:
    return ((label, text, said) for text, said in record.said_by(statement))


def _kind(item: Statement) -> str:
    return "task" if item.owner or item.due or item.kind == "action" else "open"
