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

from context.language.since import Depth, Missed
from context.models import Statement, Summary, TopicSegment, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.record import Record
from context.plain.summary import summarise, with_rest
from context.text import inert_name
from context.topics.topics import title_of

_POINTS: Final[dict[Depth, int]] = {"brief": 0, "normal": 3, "full": 10}
_TOPICS_SHOWN: Final = 12
_WORDS: Final = {
    "ko": {
        "away": "자리를 비우신 동안({span}, 발언 {count}개) 나온 내용입니다 (인용):",
        "here": "최근 내용입니다({span}, 발언 {count}개, 인용):",
        "nothing": "놓치신 발언이 없습니다.",
        "decided": "결정",
        "task": "할 일",
        "open": "미정",
        "against": "결정과 어긋남",
        "latest": "최근 발언",
        "talked": "이야기만 나온 주제",
    },
    "en": {
        "away": "While you were away ({span}, {count} utterances), quoted:",
        "here": "The last minutes ({span}, {count} utterances), quoted:",
        "nothing": "You missed nothing: nobody spoke.",
        "decided": "decided",
        "task": "task",
        "open": "open",
        "against": "against a decision",
        "latest": "Most recent",
        "talked": "Talked about, nothing settled",
    },
}


def catch_up(depth: Depth, missed: Missed, record: Record) -> QuotedAnswer:
    """The missed part, and nothing from outside it."""
    words = _WORDS[record.language]
    said = [u for u in record.utterances if missed.start_ms <= u.start_ms < missed.end_ms]
    if not said:
        return QuotedAnswer(text=words["nothing"], evidence=(), call_type="SUMMARY")
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
    return QuotedAnswer(text="\n".join(lines), evidence=tuple(sorted(evidence)), call_type="SUMMARY")


def _span(said: Sequence[Utterance], record: Record) -> str:
    first = said[0].absolute_timestamp.astimezone(record.zone)
    took = timedelta(milliseconds=said[-1].end_ms - said[-1].start_ms)
    last = said[-1].absolute_timestamp.astimezone(record.zone) + took
    return f"{first:%H:%M:%S}–{last:%H:%M:%S}"


def _missed_notes(said: Sequence[Utterance], record: Record) -> list[tuple[str, Summary]]:
    """Each topic that was talked about in the missed part, with what its notes say of that part alone."""
    ids = {utterance.id for utterance in said}
    covered = 0
    found: list[tuple[str, Summary]] = []
    for segment in record.segments:
        within = [u for u in said if segment.start_utterance_id <= u.id <= segment.end_utterance_id]
        covered = max(covered, segment.end_utterance_id)
        if within:
            found.append((title_of(segment, record.utterances), _of_the_part(segment, within, ids)))
    if rest := [u for u in said if u.id > covered]:
        found.append((_WORDS[record.language]["latest"], summarise(Summary(), rest)))
    return found


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
