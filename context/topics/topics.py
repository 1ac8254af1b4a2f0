"""The topics of a meeting: segments that partition its utterances, without gap or overlap.

Exactly one segment is open, the last one, from the first utterance on. A change of topic closes it
and opens the next; the utterance that announces the change belongs to the new one. A change that is
only understood later splits the open segment, or the one before it, at an earlier utterance, and what
a summary already said about the part behind the split is taken out of it again, by its evidence.

What a topic is called where people read it: one without a name of its own is what its words repeat.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from context.events import SummaryFailed, SummaryReady
from context.language.korean import has_hangul
from context.ledger import superseded
from context.models import Statement, Summary, TopicReason, TopicSegment, Utterance
from context.topics.boundaries import earlier, name_for
from context.values import changed, sharing

_MOST_STANDING: Final = 100
"""Decisions of other topics that are looked at."""
FIRST_NAME: Final = "Intro"
"""The first topic's name until evidence names it (seed 000 §10.2.3)."""
_FIRST_KO: Final = "시작"
_NUMBERED: Final = re.compile(r"Topic (?P<number>\d+)")
"""As topics are called in which nothing was repeated when they began."""


class _Deciding(NamedTuple):
    start: int
    """The topic's first utterance, which stays: its place in the list may not."""
    topic_id: str
    standing: tuple[Statement, ...]


class Topics:
    """The segments in order; found in logarithmic time by utterance."""

    def __init__(self) -> None:
        self.segments: list[TopicSegment] = []
        self.firm: set[str] = set()
        """Topics whose name the participants said themselves: no summary renames these."""
        self._deciding: list[_Deciding] = []
        """In order, the topics whose decisions stand: looking through all topics would cost more and more."""

    @property
    def current_name(self) -> str:
        """Name the open topic."""
        return self.segments[-1].name if self.segments else FIRST_NAME

    def get(self, topic_id: str) -> TopicSegment | None:
        """A topic by its id."""
        return next((segment for segment in reversed(self.segments) if segment.id == topic_id), None)

    def of(self, utterance_id: int) -> TopicSegment | None:
        """The topic that an utterance belongs to."""
        place = self._place(utterance_id)
        if place < 0 or utterance_id > self.segments[place].end_utterance_id:
            return None
        return self.segments[place]

    def extend(self, utterance_id: int) -> TopicSegment:
        """The next utterance belongs to the open topic; the very first one opens the first topic."""
        if self.segments:
            self.segments[-1] = changed(self.segments[-1], {"end_utterance_id": utterance_id})
        else:
            self.segments.append(
                TopicSegment(
                    id="t1",
                    name=FIRST_NAME,
                    start_utterance_id=utterance_id,
                    end_utterance_id=utterance_id,
                    decided_after=utterance_id,
                )
            )
        return self.segments[-1]

    def split(
        self,
        at: int,
        name: str,
        *,
        reason: TopicReason,
        decided_after: int,
        returns_to: str | None = None,
        firm: bool = False,
    ) -> tuple[TopicSegment, TopicSegment] | None:
        """Close the open topic before utterance `at` and open the next one there.

        Gives the closed and the new topic, or None where `at` does not lie inside the open topic or the one
        before it, which an announcement may have closed before it was known that it was two.
        """
        old, place = self.of(at), self._place(at) + 1
        if old is None or old.start_utterance_id == at or place < len(self.segments) - 1:
            return None
        changes: dict[str, Any] = {"end_utterance_id": at - 1, "closed": True}
        if old.covered_until >= at:
            changes |= _cut(old, at)
        closed = self._replace(old, **changes)
        opened = TopicSegment(
            id=f"t{len(self.segments) + 1}",
            name=name,
            start_utterance_id=at,
            end_utterance_id=old.end_utterance_id,
            closed=old.closed,
            reason=reason,
            decided_after=decided_after,
            returns_to=returns_to,
        )
        self.segments.insert(place, opened)
        if firm:
            self.firm.add(opened.id)
        return closed, opened

    def rename(self, topic_id: str, name: str, *, firm: bool) -> TopicSegment | None:
        """Give a topic a better name; None where nothing changes. Only a firm name replaces a firm one."""
        topic = self.get(topic_id)
        if topic is None or not name or (topic_id in self.firm and not firm):
            return None
        if firm:
            self.firm.add(topic_id)
        return None if topic.name == name else self._replace(topic, name=name)

    def link(self, topic: TopicSegment) -> TopicSegment:
        """A topic that has got its name may turn out to be a return to one before it.

        The one just before it is none: nobody went away from it.
        """
        place = self._place(topic.start_utterance_id)
        found = earlier(topic.name, self.segments[: place - 1]) if place > 1 else None
        return topic if found is None or topic.returns_to else self._replace(topic, returns_to=found.id)

    def merge(self, event: SummaryReady, name_of: Callable[[str], str]) -> TopicSegment | None:
        """Put a completed summary in the place of the last one; None where it is stale or foreign."""
        topic = self.get(event.topic_id)
        if topic is None or event.version != topic.version + 1:
            return None
        earliest = max(topic.start_utterance_id, topic.covered_until)
        if not earliest <= event.covered_until <= topic.end_utterance_id:
            return None
        changes = drawn(_whole(event, topic.notes), name_of)
        read = topic.written_until if event.engine == "extractive" else event.covered_until
        changes |= {"version": event.version, "covered_until": event.covered_until, "written_until": read}
        return self._replace(topic, **changes)

    def reopen(self, topic: TopicSegment, at: int) -> TopicSegment:
        """Take what a summary says from utterance `at` on out of it again: it is to be made anew.

        Its version counts on, so that a summary that is being made of the old words is passed over.
        """
        cut = _cut(topic, at) if topic.covered_until >= at else {}
        return self._replace(topic, version=topic.version + 1, **cut)

    def edit(self, topic: TopicSegment, notes: Summary) -> TopicSegment:
        """Put `notes` in the place of the topic's summary."""
        return topic if notes == topic.notes else self._replace(topic, **drawn(notes))

    def standing(self, besides: str) -> tuple[Statement, ...]:
        """The newest decisions that stand in other topics, in order of topics, at most 100."""
        found: list[Statement] = []
        for each in reversed(self._deciding[-_MOST_STANDING:]):
            if each.topic_id != besides:
                found += reversed(each.standing)
            if len(found) >= _MOST_STANDING:
                break
        return tuple(reversed(found[:_MOST_STANDING]))

    def supersede(self, merged: TopicSegment, before: Summary) -> list[TopicSegment]:
        """What `merged` has decided since `before` may change decisions of other topics: those, changed.

        An earlier decision is never lost: it is marked, with the utterance that changed it.
        """
        known = {decision.text for decision in before.decisions[-_MOST_STANDING:]}
        fresh = [
            each
            for each in merged.notes.decisions[-_MOST_STANDING:]
            if each.replaces and each.status != "superseded" and each.text not in known and each.evidence
        ]
        return [
            self._replace(segment, **drawn(changed(segment.notes, {"decisions": decisions})))
            for segment in [
                self.segments[self._place(each.start)] for each in self._deciding[-_MOST_STANDING:] if fresh
            ]
            if segment.id != merged.id
            and (decisions := superseded(segment.notes.decisions, fresh)) is not None
        ]

    def close(self) -> TopicSegment | None:
        """The meeting is over: the open topic ends."""
        return self._replace(self.segments[-1], closed=True) if self.segments else None

    def _place(self, utterance_id: int) -> int:
        return bisect_right(self.segments, utterance_id, key=lambda each: each.start_utterance_id) - 1

    def _replace(self, segment: TopicSegment, **changes: Any) -> TopicSegment:
        replaced, start = sharing(changed(segment, changes)), segment.start_utterance_id
        self.segments[self._place(start)] = replaced
        if replaced.notes is not segment.notes:
            place = bisect_left(self._deciding, start, key=lambda each: each.start)
            known = place < len(self._deciding) and self._deciding[place].start == start
            self._deciding[place : place + known] = _deciding(replaced)
        return replaced

    def dump(self, *, segments: bool = True) -> dict[str, Any]:
        """For the snapshot; without `segments`, how many there are."""
        held: dict[str, Any] = {"count": len(self.segments)}
        if segments:
            held = {"segments": [segment.model_dump(mode="json") for segment in self.segments]}
        return {**held, "firm": sorted(self.firm)}

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.segments = [sharing(TopicSegment.model_validate(each)) for each in dumped["segments"]]
        self.firm = set(dumped["firm"])
        self._deciding = [each for segment in self.segments for each in _deciding(segment)]


def _deciding(topic: TopicSegment) -> list[_Deciding]:
    """A topic with those of its newest decisions that nothing has changed since; where it has one."""
    newest = topic.notes.decisions[-_MOST_STANDING:]
    standing = tuple(each for each in newest if each.status != "superseded")
    return [_Deciding(topic.start_utterance_id, topic.id, standing)] if standing else []


def _whole(event: SummaryReady, last: Summary) -> Summary:
    """The summary of an event, with what it only carries on of the last one."""
    content = event.content
    carried = {
        "decisions": (*last.decisions[: event.carried_decisions], *content.decisions),
        "pending": (*last.pending[: event.carried_pending], *content.pending),
    }
    return changed(content, carried) if event.carried_decisions or event.carried_pending else content


def instead(late: SummaryReady | SummaryFailed, topic: TopicSegment) -> SummaryReady | SummaryFailed:
    """What a model made of `topic` too late, as the version behind the one that was made by rules meanwhile.

    Where no model made anything, that version has failed.
    """
    version = late.version + 1
    if isinstance(late, SummaryFailed):
        return late.model_copy(update={"version": version})
    if late.engine == "extractive":
        return SummaryFailed(topic_id=topic.id, version=version, error="no model had read it")
    whole = {"content": _whole(late, topic.notes), "carried_decisions": 0, "carried_pending": 0}
    return late.model_copy(update={"version": version, **whole})


def uncovered_from(topic: TopicSegment) -> int:
    """The first utterance of a topic that no completed summary covers."""
    return max(topic.start_utterance_id, topic.covered_until + 1)


def _cut(topic: TopicSegment, at: int) -> dict[str, Any]:
    """What changes of a topic whose summary is taken out from utterance `at` on.

    Where no sentence is left it says nothing of what went before either: it is to be made again.
    """
    old = topic.notes

    def standing(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        kept = []
        for statement in statements:
            evidence = tuple(number for number in statement.evidence if number < at)
            if len(evidence) == len(statement.evidence):
                kept.append(statement)
            elif evidence:
                kept.append(changed(statement, {"evidence": evidence}))
        return tuple(kept)

    sentences = standing(old.sentences)
    kept = {
        "text": " ".join(each.text for each in sentences) if old.sentences else old.text,
        "sentences": sentences,
        "key_points": standing(old.key_points),
        "decisions": standing(old.decisions),
        "pending": standing(old.pending),
        "contradictions": tuple(
            each for each in old.contradictions if all(number < at for number in each.evidence)
        ),
    }
    until = topic.start_utterance_id - 1 if old.sentences and not sentences else at - 1
    return {
        **drawn(changed(old, kept)),
        "covered_until": until,
        "written_until": min(topic.written_until, until),
    }


def drawn(notes: Summary, name_of: Callable[[str], str] | None = None) -> dict[str, Any]:
    """The fields of a topic that a summary fills: the seed's plain lists, drawn from it, beside it."""
    fields: dict[str, Any] = {
        "notes": notes,
        "summary": notes.text,
        "key_points": [s.text for s in notes.key_points],
        "key_decisions": [s.text for s in notes.decisions],
        "pending_items": [s.text for s in notes.pending],
        "keywords": list(notes.keywords),
    }
    if name_of is not None:
        fields["participants"] = [name_of(speaker) for speaker in notes.participants]
    return fields


def title_of(segment: TopicSegment, utterances: Sequence[Utterance]) -> str:
    """Its name; where it has none, what its words repeat. `utterances`: the meeting's, all."""
    numbered = _NUMBERED.fullmatch(segment.name)
    if segment.name != FIRST_NAME and numbered is None:
        return segment.name
    first, last = segment.start_utterance_id, segment.end_utterance_id
    guess = name_for(utterances, first, last)
    if guess or not any(has_hangul(each.text) for each in utterances[first - 1 : last]):
        return guess or segment.name
    return f"안건 {numbered.group('number')}" if numbered else _FIRST_KO


def titled(segment: TopicSegment, utterances: Sequence[Utterance]) -> TopicSegment:
    """The segment as people read it: called by its title."""
    title = title_of(segment, utterances)
    return segment if title == segment.name else changed(segment, {"name": title})
