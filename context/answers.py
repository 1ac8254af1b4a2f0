"""Answers in the meeting's own words: no model, only quotes, and "not found" where there are none.

What is found is ranked by how much of the question's subject it covers (by words, and by sound where
speech recognition garbled either side), by whether it holds the kind of answer that is asked for, and,
where a decision is asked for, by being one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Final

from context.addressing import DEFAULT_WAKE_WORDS, wake
from context.call_types import call_type as call_type_of
from context.extractive import summarise
from context.extractive.cues import kind_of
from context.extractive.sentences import said_in, split
from context.extractive.statements import Ledger, normal, statements_of
from context.extractive.subjects import subject_of
from context.korean import has_hangul, language_of
from context.models import AgentCallType, Frozen, Statement, Summary, TopicSegment, Utterance
from context.prompts.answering import WORDING
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import Asked, coverage, gives, take_apart
from context.retrieval.terms import terms

_UNSUMMARISED: Final = 200
"""So many of the newest utterances are read for statements that no summary has yet."""
_LEAST: Final = 0.5
"""Less of the subject covered is no answer."""
_LED_UP_BY: Final = 3
_LED_UP_LEAST: Final = 0.75
_LED_UP_SHARE: Final = 0.5
"""A decision often names its subject only in the turns before it, or was misheard: these count half."""
_TOPICS_SHOWN: Final = 12
_ITEMS_SHOWN: Final = 20


class ExtractiveAnswer(Frozen):
    """An answer made of quotes. `evidence`: the utterances quoted, in order of time."""

    text: str
    evidence: tuple[int, ...]
    declined: bool
    call_type: AgentCallType


@dataclass(slots=True)
class _Found:
    text: str
    utterance: Utterance
    score: float
    decision: bool = False
    superseded_by: str | None = None


@dataclass(slots=True)
class _Meeting:
    """What there is to quote from."""

    utterances: Sequence[Utterance]
    segments: Sequence[TopicSegment]
    index: LexicalIndex
    names: tuple[str, ...]
    language: str
    zone: tzinfo
    wake_words: tuple[str, ...]
    _open: Ledger | None = field(default=None)

    def get(self, utterance_id: int) -> Utterance | None:
        """An utterance by its id: at its place, where ids count from 1."""
        if 0 < utterance_id <= len(self.utterances):
            found = self.utterances[utterance_id - 1]
            if found.id == utterance_id:
                return found
        return next((u for u in self.utterances if u.id == utterance_id), None)

    def after(self, utterance: Utterance, count: int) -> list[Utterance]:
        """The next few utterances."""
        if 0 < utterance.id <= len(self.utterances) and self.utterances[utterance.id - 1].id == utterance.id:
            return list(self.utterances[utterance.id : utterance.id + count])
        ids = [u.id for u in self.utterances]
        place = ids.index(utterance.id) + 1 if utterance.id in ids else len(ids)
        return list(self.utterances[place : place + count])

    def leading_to(self, utterance: Utterance, text: str) -> str:
        """`text` with the last few utterances before its own, those of the same topic."""
        before = [self.get(utterance.id - step) for step in range(_LED_UP_BY, 0, -1)]
        said = (u.text for u in before if u is not None and u.topic_id == utterance.topic_id)
        return " ".join((*said, text))

    def unsummarised(self) -> list[Utterance]:
        """The newest utterances that no summary covers."""
        covered = max((segment.covered_until for segment in self.segments), default=0)
        return [u for u in self.utterances[-_UNSUMMARISED:] if u.id > covered]

    def statements(self) -> Ledger:
        """All decisions and pending items: of the summaries, and of what came after them."""
        if self._open is None:
            ledger = Ledger()
            for segment in self.segments:
                for (
                    decision
                ) in segment.notes.decisions:  # a later topic may change what an earlier one decided
                    if decision.superseded_by:
                        ledger.decisions.append(decision)
                    else:
                        ledger.decide(decision.model_copy(update={"status": "decided"}))
                ledger.pending.extend(segment.notes.pending)
            fresh = statements_of(said_in(self.unsummarised()), self.names)
            for decision in fresh.decisions:
                ledger.decide(decision)
            for item in fresh.pending:
                ledger.note(item)
            self._open = ledger
        return self._open

    def quote(self, text: str, utterance: Utterance) -> str:
        """**name** (HH:MM:SS): text."""
        at = utterance.absolute_timestamp.astimezone(self.zone)
        name = utterance.speaker_name.replace("*", "").strip() or utterance.speaker_id
        return f"**{name}** ({at:%H:%M:%S}): {text}"


def answer(
    question: str,
    *,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment] = (),
    call_type: AgentCallType | None = None,
    language: str = "auto",
    names: Iterable[str] = (),
    index: LexicalIndex | None = None,
    zone: tzinfo = UTC,
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> ExtractiveAnswer:
    """Answer `question` with quotes; `declined` where the meeting has none.

    `utterances` in order of id. `language` `auto` means the question's own. `names`: the participants,
    by default whoever spoke. `index` holds the utterances; without one they are indexed here, which
    takes some 30 µs each. Times of day are told in `zone`.
    """
    asked_text = wake(question, wake_words)
    asked_text = asked_text or question
    wanted = call_type or call_type_of(asked_text)
    meeting = _Meeting(
        utterances=utterances,
        segments=segments,
        index=index if index is not None else LexicalIndex(utterances),
        names=tuple(names) or tuple(dict.fromkeys(u.speaker_name for u in utterances[-1000:])),
        language=language_of(asked_text, language),
        zone=zone,
        wake_words=tuple(wake_words),
    )
    if wanted == "SUMMARY":
        return _summary(asked_text, meeting)
    if wanted == "ACTION_EXTRACTION":
        return _actions(meeting)
    return _look_up(asked_text, meeting, wanted, most=5 if wanted == "SEARCH" else 3)


# Look-ups


def _look_up(question: str, meeting: _Meeting, wanted: AgentCallType, most: int) -> ExtractiveAnswer:
    asked = take_apart(question)
    if asked.deciding and not asked.topic:
        return _decisions(meeting, wanted)
    found = _ranked(question, asked, meeting)
    if not found:
        return _nothing(meeting, wanted)
    decided = [each for each in found if each.decision]
    lead = "found"
    if asked.deciding:
        lead, found = ("decided", decided) if decided else ("undecided", found)
    best = found[0].score
    chosen = [each for each in found if each.score >= best - 0.2][: 2 if decided else most]
    chosen.sort(key=lambda each: each.utterance.id)
    return _quoting(lead, chosen, meeting, wanted)


def _ranked(question: str, asked: Asked, meeting: _Meeting) -> list[_Found]:
    """Every sentence that may answer, best first, none twice."""
    weights = [_weight(word, meeting.index) for word in asked.topic]
    found: dict[str, _Found] = {}

    def consider(each: _Found) -> None:
        key = normal(each.text)
        if key not in found or each.score > found[key].score:
            found[key] = each

    decisions = meeting.statements().decisions
    for decision in decisions:
        speaker = meeting.get(decision.evidence[-1]) if decision.evidence else None
        if speaker is None:
            continue
        covered = coverage(asked, decision.text, weights)
        if asked.deciding and (covered > 0 or _names_nothing(decision.text)):
            covered = _in_context(
                covered, coverage(asked, meeting.leading_to(speaker, decision.text), weights)
            )
        if covered >= _LEAST:
            score = (
                covered + (0.3 if asked.deciding else 0.1) + (0.15 if gives(asked, decision.text) else 0.0)
            )
            score -= 0.2 if decision.superseded_by else 0.0
            consider(_Found(decision.text, speaker, score, True, decision.superseded_by))
    settled = {normal(decision.text) for decision in decisions}
    for utterance_id, _score in meeting.index.search(asked.query or question, 12):
        utterance = meeting.get(utterance_id)
        if utterance is not None:
            for each in _in_utterance(asked, utterance, weights, meeting):
                if normal(each.text) not in settled:
                    consider(each)
    return sorted(found.values(), key=lambda each: (-each.score, -each.utterance.id))


def _names_nothing(decision: str) -> bool:
    """Does a decision leave its subject to the talk before it, as in 그러면 이십이일로 결정하겠습니다?"""
    return has_hangul(decision) and not subject_of(decision)


def _in_context(covered: float, with_context: float) -> float:
    """What a decision covers of the subject, given what it covers together with the talk that led to it."""
    if with_context < _LED_UP_LEAST:
        return covered
    return covered + _LED_UP_SHARE * (with_context - covered)


def _in_utterance(
    asked: Asked, utterance: Utterance, weights: Sequence[float], meeting: _Meeting
) -> Iterable[_Found]:
    whole = coverage(asked, utterance.text, weights)
    parts = split(utterance)
    kinds = [kind_of(part.text, meeting.names) for part in parts]
    for part, kind in zip(parts, kinds, strict=True):
        covered = max(coverage(asked, part.text, weights), whole - 0.15)
        if kind in {"question", "courtesy"} or covered < _LEAST:
            continue
        score = covered + (0.15 if gives(asked, part.text) else 0.0) + (0.1 if kind == "action" else 0.0)
        score += 0.3 if kind == "decision" and asked.deciding else 0.0
        yield _Found(part.text, utterance, score, kind == "decision")
    if "question" in kinds and whole >= _LEAST and wake(utterance.text, meeting.wake_words) is None:
        yield from _replies(asked, utterance, whole, meeting)


def _replies(asked: Asked, question: Utterance, covered: float, meeting: _Meeting) -> Iterable[_Found]:
    """What others said right after somebody asked the same in the meeting."""
    for distance, reply in enumerate(meeting.after(question, 2)):
        if reply.speaker_id == question.speaker_id:
            continue
        for part in split(reply):
            kind = kind_of(part.text, meeting.names)
            if kind in {"question", "courtesy"}:
                continue
            right_kind = gives(asked, part.text)
            if distance and not right_kind:
                continue
            score = covered - 0.15 - 0.1 * distance + (0.2 if right_kind else 0.0)
            yield _Found(part.text, reply, score, kind == "decision")


def _weight(word: str, index: LexicalIndex) -> float:
    """How much a topic word tells: rare ones more. A word that nobody said counts in full."""
    known = [index.frequency(term) for term in terms(word)]
    return math.log(2 + len(index) / (1 + max(known, default=0)))


def _decisions(meeting: _Meeting, wanted: AgentCallType) -> ExtractiveAnswer:
    """Everything that was decided and still stands, the newest last."""
    chosen = []
    for decision in meeting.statements().decisions:
        speaker = meeting.get(decision.evidence[-1]) if decision.evidence else None
        if speaker is not None and not decision.superseded_by:
            chosen.append(_Found(decision.text, speaker, 1.0, decision=True))
    if not chosen:
        return _nothing(meeting, wanted)
    return _quoting("decisions", chosen[-_ITEMS_SHOWN:], meeting, wanted)


def _quoting(
    lead: str, chosen: Sequence[_Found], meeting: _Meeting, wanted: AgentCallType
) -> ExtractiveAnswer:
    wording = WORDING[meeting.language]
    lines = [wording[lead]]
    for each in chosen:
        mark = f" ({wording['superseded']})" if each.superseded_by else ""
        lines.append(f"- {meeting.quote(each.text, each.utterance)}{mark}")
    evidence = tuple(sorted({each.utterance.id for each in chosen}))
    return ExtractiveAnswer(text="\n".join(lines), evidence=evidence, declined=False, call_type=wanted)


def _nothing(meeting: _Meeting, wanted: AgentCallType) -> ExtractiveAnswer:
    text = WORDING[meeting.language]["not_found"]
    return ExtractiveAnswer(text=text, evidence=(), declined=True, call_type=wanted)


# Summaries and tasks


def _summary(question: str, meeting: _Meeting) -> ExtractiveAnswer:
    notes = _noted(meeting)
    asked = take_apart(question)
    if asked.topic:  # 예산 부분만 요약해 줘
        about = [
            (name, summary)
            for name, summary in notes
            if coverage(asked, " ".join((name, *summary.keywords))) >= _LEAST
        ]
        notes = about or notes
    wording = WORDING[meeting.language]
    lines = [wording["summary"]]
    evidence: set[int] = set()
    for name, summary in notes[-_TOPICS_SHOWN:]:
        shown = [*summary.key_points[:3], *(d for d in summary.decisions if not d.superseded_by)]
        quoted = [line for line in (_line(statement, meeting, evidence) for statement in shown) if line]
        if quoted:
            lines += ["", f"**{name}**", *quoted]
    if not evidence:
        return _nothing(meeting, "SUMMARY")
    return ExtractiveAnswer(
        text="\n".join(lines), evidence=tuple(sorted(evidence)), declined=False, call_type="SUMMARY"
    )


def _noted(meeting: _Meeting) -> list[tuple[str, Summary]]:
    """Each topic's name and summary, the open part summarised on the spot."""
    fresh = meeting.unsummarised()
    notes: list[tuple[str, Summary]] = []
    for segment in meeting.segments:
        within = [u for u in fresh if segment.start_utterance_id <= u.id <= segment.end_utterance_id]
        notes.append((segment.name, summarise(segment.notes, within) if within else segment.notes))
    last = max((segment.end_utterance_id for segment in meeting.segments), default=0)
    rest = [u for u in fresh if u.id > last]
    if rest:
        notes.append((WORDING[meeting.language]["latest"], summarise(Summary(), rest)))
    return notes


def _line(statement: Statement, meeting: _Meeting, evidence: set[int]) -> str:
    """One statement as a quote; its utterance is added to `evidence`."""
    utterance = meeting.get(statement.evidence[-1]) if statement.evidence else None
    if utterance is None:
        return ""
    evidence.add(utterance.id)
    label = f"[{WORDING[meeting.language]['decision']}] " if statement.status == "decided" else ""
    return f"- {label}{meeting.quote(statement.text, utterance)}"


def _actions(meeting: _Meeting) -> ExtractiveAnswer:
    """Who does what until when, in the words in which it was promised or asked."""
    wording = WORDING[meeting.language]
    tasks: list[str] = []
    undone: list[str] = []
    evidence: set[int] = set()
    for item in meeting.statements().pending[-_ITEMS_SHOWN:]:
        utterance = meeting.get(item.evidence[-1]) if item.evidence else None
        if utterance is None or item.status == "done":
            continue
        evidence.add(utterance.id)
        quote = meeting.quote(item.text, utterance)
        if item.owner is None and kind_of(item.text, meeting.names) == "open":
            undone.append(f"- {quote}")
            continue
        due = f", {wording['due']} {item.due}" if item.due else ""
        tasks.append(f"- {item.owner or wording['nobody']}{due} · {quote}")
    if not evidence:
        return _nothing(meeting, "ACTION_EXTRACTION")
    lines = [wording["actions"], *tasks] if tasks else []
    lines += (
        ["", wording["open"], *undone] if tasks and undone else [wording["open"], *undone] if undone else []
    )
    return ExtractiveAnswer(
        text="\n".join(lines), evidence=tuple(sorted(evidence)), declined=False, call_type="ACTION_EXTRACTION"
    )
