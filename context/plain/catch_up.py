"""What somebody missed, at the depth they asked for: by topic, in the words in which it was said.

| depth | per topic |
|---|---|
| brief | decisions and tasks; topics without any only by name |
| normal | these, and up to three main points |
| full | these with up to ten main points, what was left open, and what speaks against a decision |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from context.language.closed_lists import wording
from context.language.since import Depth, Missed
from context.models import Statement, Summary, TopicSegment, Utterance
from context.plain.answer import QuotedAnswer, told
from context.plain.record import Record
from context.plain.summary import summarise, with_rest
from context.text import inert_name
from context.topics.topics import title_of

_POINTS: Final[dict[Depth, int]] = {"brief": 0, "normal": 3, "full": 10}
_TOPICS_SHOWN: Final = 12
_WORDS: Final = wording("catch_up")


def catch_up(depth: Depth, missed: Missed, record: Record) -> QuotedAnswer:
    """The missed part, and nothing from outside it."""
    words = _WORDS[record.language]
    said = [u for u in record.utterances if missed.start_ms <= u.start_ms < missed.end_ms]
    if not said:
        return told([words["nothing"]], "SUMMARY")
    head = words["away" if missed.away else "here"].format(span=_span(said, record), count=len(said))
    lines, evidence, only_named = [head], set[int](), list[str]()
    for name, notes in _missed_notes(said, record)[-_TOPICS_SHOWN:]:
        shown = _shown(notes, depth, record, evidence)
        if shown:
            lines += ["", f"**{inert_name(name)}**", *shown]
        else:
            only_named.append(name)
    if only_named:
        lines += ["", f"{words['talked']}: {', '.join(map(inert_name, only_named))}"]
        evidence |= {said[-1].id} if not evidence else set()
    return told(lines, "SUMMARY", evidence)


def _span(said: Sequence[Utterance], record: Record) -> str:
    first = said[0].absolute_timestamp.astimezone(record.zone)
    took = timedelta(milliseconds=said[-1].end_ms - said[-1].start_ms)
    last = said[-1].absolute_timestamp.astimezone(record.zone) + took
    return f"{first:%H:%M:%S}–{last:%H:%M:%S}"


def _missed_notes(said: Sequence[Utterance], record: Record) -> list[tuple[str, Summary]]:
    """Each topic that was talked about in the missed part, with what its notes say of that part alone."""
    ids = {utterance.id for utterance in said}
    return [
        (title_of(segment, record.utterances), _of_the_part(segment, within, ids))
        if segment is not None
        else (_WORDS[record.language]["latest"], summarise(Summary(), within))
        for segment, within in record.by_topic(said)
        if within
    ]


def _of_the_part(segment: TopicSegment, within: Sequence[Utterance], ids: set[int]) -> Summary:
    notes, fresh = segment.notes, [u for u in within if u.id > segment.covered_until]

    def missed(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(s for s in statements if s.evidence and s.evidence[-1] in ids)

    part = notes.model_copy(
        update={
            "key_points": missed(notes.key_points),
            "decisions": missed(notes.decisions),
            "pending": missed(notes.pending),
            "contradictions": tuple(c for c in notes.contradictions if c.evidence[-1] in ids),
            "sentences": missed(notes.sentences),
        }
    )
    return with_rest(part, fresh, read=segment.written_until > 0) if fresh else part


def _labelled(notes: Summary, depth: Depth, words: Mapping[str, str]) -> list[tuple[str, Statement]]:
    """What stands of a topic, each with what it is: decisions, tasks, open points, then the main points."""
    found = [(words["decided"], each) for each in notes.decisions if each.status != "superseded"]
    pending = [each for each in notes.pending if each.status not in ("done", "superseded")]
    found += [(words["task"], each) for each in pending if each.kind != "open"]
    found += [(words["open"], each) for each in pending if each.kind == "open" and depth == "full"]
    known = {statement.text for _, statement in found}
    points = [point for point in notes.key_points if point.text not in known]
    return found + [("", point) for point in points[: _POINTS[depth]]]


def _shown(notes: Summary, depth: Depth, record: Record, evidence: set[int]) -> list[str]:
    """A topic's lines; the utterances quoted are added to `evidence`."""
    words = _WORDS[record.language]
    lines = []
    for label, statement in _labelled(notes, depth, words):
        for text, utterance in record.said_by(statement):
            evidence.add(utterance.id)
            lines.append(f"- {f'[{label}] ' if label else ''}{record.quote(text, utterance)}")
    for conflict in notes.contradictions if depth == "full" else ():
        if (against := record.get(conflict.evidence[-1])) is not None:
            evidence.add(against.id)
            lines.append(f"- [{words['against']}] {record.quote(conflict.text, against)}")
    return lines
