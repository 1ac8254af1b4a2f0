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
from context.models import Statement, Summary, TopicSegment, Utterance
from context.plain.answer import QuotedAnswer, answer_of_lines
from context.plain.catch_up_depth import Depth
from context.plain.record import Record
from context.plain.summary import summarise, with_rest
from context.primitives.text import inert_name
from context.time_spans import Absence
from context.topics.titles import title_of

_MAX_POINTS: Final[dict[Depth, int]] = {"brief": 0, "normal": 3, "full": 10}
_MAX_TOPICS: Final = 12
_WORDS: Final = wording("catch_up")


def catch_up(depth: Depth, missed: Absence, record: Record) -> QuotedAnswer:
    """Tell the missed part of a meeting, and nothing from outside it, or that nothing was said in it."""
    words = _WORDS[record.language]
    said = [u for u in record.utterances if missed.start_ms <= u.start_ms < missed.end_ms]
    if not said:
        return answer_of_lines([words["nothing"]], "SUMMARY")
    ended = record.clock(said[-1]) + timedelta(milliseconds=said[-1].end_ms - said[-1].start_ms)
    span = f"{record.clock(said[0]):%H:%M:%S}–{ended:%H:%M:%S}"
    lines = [words["away" if missed.away else "here"].format(span=span, count=len(said))]
    evidence, only_named = set[int](), list[str]()
    ids = {utterance.id for utterance in said}
    noted = [
        (words["latest"], summarise(Summary(), within))
        if segment is None
        else (title_of(segment, record.utterances), _summary_of_missed(segment, within, ids))
        for segment, within in record.by_topic(said)
        if within
    ]
    for name, notes in noted[-_MAX_TOPICS:]:
        shown = _summary_lines(notes, depth, record, evidence)
        if shown:
            lines += ["", f"**{inert_name(name)}**", *shown]
        else:
            only_named.append(inert_name(name))
    if only_named:
        lines += ["", f"{words['talked']}: {', '.join(only_named)}"]
        if not evidence:
            evidence.add(said[-1].id)
    return answer_of_lines(lines, "SUMMARY", evidence)


def _summary_of_missed(segment: TopicSegment, within: Sequence[Utterance], ids: set[int]) -> Summary:
    """What a topic's summary says of the missed utterances (`ids`); `within` are those of the topic."""
    fields = ("key_points", "decisions", "pending", "contradictions", "sentences")
    missed = {
        name: tuple(
            each for each in getattr(segment.notes, name) if each.evidence and each.evidence[-1] in ids
        )
        for name in fields
    }
    part = segment.notes.model_copy(update=missed)
    fresh = [u for u in within if u.id > segment.covered_until]
    return with_rest(part, fresh, read=segment.written_until > 0) if fresh else part


def _summary_lines(notes: Summary, depth: Depth, record: Record, evidence: set[int]) -> list[str]:
    """The lines that show a topic's summary; the utterances that they quote are added to `evidence`."""
    words = _WORDS[record.language]
    told = _labelled_statements(notes, depth, words)
    quotes = [(label, text, said) for label, statement in told for text, said in record.said_by(statement)]
    quotes += [
        (words["against"], conflict.text, against)
        for conflict in (notes.contradictions if depth == "full" else ())
        if (against := record.get(conflict.evidence[-1])) is not None
    ]
    evidence |= {said.id for _, _, said in quotes}
    return [f"- {f'[{label}] ' if label else ''}{record.quote(text, said)}" for label, text, said in quotes]


def _labelled_statements(
    notes: Summary, depth: Depth, words: Mapping[str, str]
) -> list[tuple[str, Statement]]:
    """The statements of a topic's summary that are told at this depth, each behind its label or ""."""
    pending = [each for each in notes.pending if each.status not in ("done", "superseded")]
    found = [
        (words["changed" if each.status == "superseded" else "decided"], each) for each in notes.decisions
    ]
    found += [(words["task"], each) for each in pending if each.kind != "open"]
    found += [(words["open"], each) for each in pending if each.kind == "open" and depth == "full"]
    known = {statement.text for _, statement in found}
    points = [point for point in notes.key_points if point.text not in known]
    return found + [("", point) for point in points[: _MAX_POINTS[depth]]]
