"""The record from which answers quote: a meeting's utterances, topics, and what was decided or left open."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from weakref import WeakKeyDictionary

from context.evidence.facts import normal
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.edits import edit_mark
from context.language.korean import language_of
from context.language.questions import sentences
from context.language.spoken_sentences import split_utterances
from context.models import Statement, TopicSegment, Utterance
from context.people.attendance import Attendee
from context.plain.dialogue import dialogue_of
from context.plain.statements import add_statements
from context.primitives.text import inert_name, inert_quote
from context.primitives.undated import local
from context.prompts.answer_prompts import WORDING
from context.retrieval.index_terms import terms
from context.retrieval.lexical import LexicalIndex
from context.statements.contradictions import of_decision, said_against
from context.statements.ledger import Ledger, each_once, related, settled_by

_UNSUMMARISED_UTTERANCES: Final = 200
"""So many of the newest utterances are read for statements that no summary has yet."""
_CONTEXT_UTTERANCES: Final = 12
"""So many utterances before them are read with them, for what they answer."""
_STANDING_DECISIONS: Final = 200
"""So many of the newest decisions may be superseded by them."""
_Stretch = tuple[list[Utterance], list[Utterance]]
"""Utterances that no summary covers, one behind the other, after those before them."""
_ReadKey = tuple[tuple[Utterance, ...], tuple[str, ...]]
"""The utterances and the names from which statements were read."""
_LEDGERS_READ: Final[WeakKeyDictionary[LexicalIndex, tuple[_ReadKey, Ledger]]] = WeakKeyDictionary()
"""What was last read of each meeting: its index stands for it, and goes with it."""


@dataclass(slots=True)
class Record:
    """A meeting as answers quote it, for one question; made by `record_of`, which explains the fields."""

    utterances: Sequence[Utterance]
    segments: Sequence[TopicSegment]
    index: LexicalIndex
    names: tuple[str, ...]
    language: str
    """`ko` or `en`: the answer's."""
    zone: tzinfo
    wake_words: tuple[str, ...]
    people: tuple[Attendee, ...] = ()
    """Who is or was in the meeting."""
    _statements: Ledger | None = field(default=None)

    def name_of(self, id_: str) -> str:
        """How somebody who is or was in the meeting is called; "" for whoever was not."""
        return next((each.name for each in self.people if each.user_id == id_), "")

    def get(self, utterance_id: int) -> Utterance | None:
        """The utterance with this id, found fast where ids count from 1; None where there is none."""
        if 0 < utterance_id <= len(self.utterances):
            found = self.utterances[utterance_id - 1]
            if found.id == utterance_id:
                return found
        return next((u for u in self.utterances if u.id == utterance_id), None)

    def clock(self, utterance: Utterance) -> datetime:
        """When an utterance began, by the clock of the zone."""
        return local(utterance.absolute_timestamp, self.zone)

    def began(self, utterance: Utterance) -> datetime:
        """When the meeting began, by the clock of the zone: computed from the times of an utterance."""
        return self.clock(utterance) - timedelta(milliseconds=utterance.start_ms)

    def answers_nothing(self, place: int) -> bool:
        """Whether the utterance at a place (from 0) was said to the agent, or its words were erased."""
        text = self.utterances[place].text
        return not text or without_wake_word(text, self.wake_words) is not None

    def said_by(self, statement: Statement) -> list[tuple[str, Utterance]]:
        """What was said of a statement, each with the utterance that says so; nothing if none is known.

        What one proposed and another agreed to, or what was echoed, is two people's. For words that nobody
        said so (a model wrote them) stand those of the cited utterances that have most of them.
        """
        cited = self._cited(statement)
        if not cited:
            return []
        for utterance in cited:
            if normal(statement.text) in normal(utterance.text):
                return [(statement.text, utterance)]
        parts: dict[int, tuple[list[str], Utterance]] = {}
        for sentence in sentences(statement.text):
            by = next((u for u in cited if normal(sentence) in normal(u.text)), None)
            if by is None:
                return [_closest_sentence(statement.text, cited)]
            parts.setdefault(by.id, ([], by))[0].append(sentence)
        return [(" ".join(texts), utterance) for texts, utterance in parts.values()]

    def all_said(self, statement: Statement) -> str:
        """All that was said in the utterances that a statement rests on, also what is no part of it."""
        return " ".join(utterance.text for utterance in self._cited(statement))

    def _cited(self, statement: Statement) -> list[Utterance]:
        return [u for u in map(self.get, statement.evidence) if u is not None]

    def unsummarised(self) -> list[Utterance]:
        """The utterances among the newest 200 that their topic's summary does not cover, in order."""
        starts = [segment.start_utterance_id for segment in self.segments]

        def covered_until(utterance: Utterance) -> int:
            place = bisect_right(starts, utterance.id) - 1
            return self.segments[place].covered_until if place >= 0 else 0

        return [u for u in self.utterances[-_UNSUMMARISED_UTTERANCES:] if u.id > covered_until(u)]

    def by_topic(self, said: Sequence[Utterance]) -> list[tuple[TopicSegment | None, list[Utterance]]]:
        """Each topic with those of `said` that belong to it; last, under None, those of no topic yet."""
        last = max((segment.end_utterance_id for segment in self.segments), default=0)
        apart = {number: segment.id for segment in self.segments for number in segment.late}

        def own(segment: TopicSegment, number: int) -> bool:
            within = segment.start_utterance_id <= number <= segment.end_utterance_id
            return apart[number] == segment.id if number in apart else within

        within = [(segment, [u for u in said if own(segment, u.id)]) for segment in self.segments]
        return [*within, (None, [u for u in said if u.id > last])]

    def statements(self) -> Ledger:
        """All decisions and pending items: of the summaries, and of what was said after them; read once.

        What a model wrote stands as it is: the words of the rest supersede and settle only each other.
        """
        if self._statements is None:
            ledger, written = Ledger(), Ledger()
            for segment in self.segments:
                into = written if segment.written_until else ledger
                into.decisions.extend(segment.notes.decisions)
                into.pending.extend(segment.notes.pending)
            fresh = self._fresh()
            told = [*written.decisions, *ledger.decisions]  # also of later topics than what is fresh
            for decision in fresh.decisions:
                ledger.decide(decision)
            for item in fresh.pending:
                ledger.note(settled_by(item, told))
            ledger.decisions[:0], ledger.pending[:0] = written.decisions, written.pending
            ledger.decisions = related(each_once(ledger.decisions))
            notes = [segment.notes for segment in self.segments]
            ledger.contradictions = said_against(
                self.utterances, notes, ledger.decisions, ledger.pending, self.wake_words
            )
            self._statements = ledger
        return self._statements

    def _fresh(self) -> Ledger:
        """The statements that no summary has yet; read again only once something was said or changed."""
        stretches: list[_Stretch] = []
        for utterance in self.unsummarised():
            if not stretches or utterance.id > stretches[-1][1][-1].id + 1:
                before = range(max(1, utterance.id - _CONTEXT_UTTERANCES), utterance.id)
                stretches.append(([u for u in map(self.get, before) if u], []))
            stretches[-1][1].append(utterance)
        key = tuple(u for before, unread in stretches for u in (*before, *unread)), self.names
        known = _LEDGERS_READ.get(self.index)
        if known is None or known[0] != key:
            known = _LEDGERS_READ[self.index] = key, self._statements_in(stretches)
        return known[1]

    def _statements_in(self, stretches: Sequence[_Stretch]) -> Ledger:
        """The statements of what is unread, read with what was said before it and the decisions that stand.

        A decision that rests on two topics is left out: a day is no answer to the topic before.
        """
        fresh = {utterance.id for _, unread in stretches for utterance in unread}
        decided = [decision for segment in self.segments for decision in segment.notes.decisions]
        ledger = Ledger(standing=[each for each in decided if not each.superseded_by][-_STANDING_DECISIONS:])
        for before, unread in stretches:
            heard = split_utterances(before)
            dialogue = dialogue_of([*heard, *split_utterances(unread)])
            add_statements(ledger, dialogue, known=len(heard), names=self.names, wake_words=self.wake_words)
        ledger.decisions = [
            each
            for each in ledger.decisions
            if each.evidence[-1] in fresh and len({u.topic_id for u in self._cited(each)}) <= 1
        ]
        ledger.pending = [each for each in ledger.pending if each.evidence[-1] in fresh]
        return ledger

    def became_of(self, decision: Statement) -> str:
        """What became of a decision, as a note ("changed later, 14:32:10"); "" where it just stands."""
        later = self.statements().later(decision)
        if later is None and not decision.superseded_by:
            against = self.said_against(decision)
            return (
                f"{WORDING[self.language]['against_it']}, {self.clock(against[-1][1]):%H:%M:%S}"
                if against
                else ""
            )
        said = self.get(later.evidence[-1]) if later is not None else None
        words = WORDING[self.language]
        note = words["superseded" if decision.superseded_by else "taken_up"]
        return f"{note}, {self.clock(said):%H:%M:%S}" if said is not None else note

    def said_against(self, decision: Statement) -> list[tuple[str, Utterance]]:
        """What was said against a decision later, without deciding anew, each with its utterance."""
        found = of_decision(self.statements().contradictions, decision.evidence)
        return [(each.text, said) for each in found if (said := self.get(each.evidence[-1])) is not None]

    def quote(self, text: str, utterance: Utterance) -> str:
        """A quote as it is shown: "**name** (HH:MM:SS): text", and before the colon who edited it.

        Whatever `text` is, somebody's words stand there: where the utterance does not hold it, its own.
        """
        mark = edit_mark(utterance.corrected_by, self.language)
        at = self.clock(utterance)
        name = inert_name(utterance.speaker_name) or inert_name(utterance.speaker_id)
        said = text if normal(text).rstrip("…") in normal(utterance.text) else utterance.text
        return f"**{name}** ({at:%H:%M:%S}){mark}: {inert_quote(said)}"


def _closest_sentence(text: str, cited: Sequence[Utterance]) -> tuple[str, Utterance]:
    """The sentence of the cited utterances that shares most words with a text; of equal ones the last."""
    wanted = set(terms(text))
    said = [(sentence, utterance) for utterance in cited for sentence in sentences(utterance.text)]
    shared = [len(wanted & set(terms(sentence))) for sentence, _ in said]
    if not any(shared):
        return cited[-1].text, cited[-1]
    return said[max(range(len(said)), key=lambda place: (shared[place], place))]


def record_of(
    question: str,
    *,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment] = (),
    language: str = "auto",
    names: Iterable[str] = (),
    people: Sequence[Attendee] = (),
    index: LexicalIndex | None = None,
    zone: tzinfo = UTC,
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> Record:
    """The record for one question.

    `utterances` in order of id, with their topics `segments`. `language` `auto` means the question's own.
    `names`: the participants, by default whoever spoke. `people`: who is or was there. `index` holds the
    utterances; without one they are indexed here, which takes some 30 µs each. Times of day are told in
    `zone`. What is said to one of `wake_words` is said to the agent, and answers nothing.
    """
    return Record(
        utterances=utterances,
        segments=segments,
        index=index if index is not None else LexicalIndex(utterances),
        names=tuple(names) or tuple(dict.fromkeys(u.speaker_name for u in utterances[-1000:])),
        language=language_of(question, language),
        zone=zone,
        wake_words=tuple(wake_words),
        people=tuple(people),
    )
