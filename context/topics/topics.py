"""The topics of a meeting: segments that partition its utterances, without gap or overlap.

Exactly one segment is open, the last one, from the first utterance on. A change of topic closes it
and opens the next; the utterance that announces the change belongs to the new one. A change that is
only understood later splits the open segment, or the one before it, at an earlier utterance, and what
a summary already said about the part behind the split is taken out of it again, by its evidence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from context.events.topic_events import SummaryFailed, SummaryReady
from context.models import Statement, Summary, TopicReason, TopicSegment, Utterance
from context.primitives.text import one_line
from context.primitives.values import changed, sharing
from context.statements.ledger import superseded
from context.topics.boundaries import earlier_topic
from context.topics.titles import FIRST_NAME

_MAX_STANDING_DECISIONS: Final = 100
"""So many of the newest decisions are looked at, of each topic and of all together."""


class _Deciding(NamedTuple):
    """A topic whose decisions stand."""

    start: int
    """The topic's first utterance, which stays: its place in the list may not."""
    topic_id: str
    standing: tuple[Statement, ...]


class Topics:
    """A meeting's topics in order. The topic of an utterance is found in logarithmic time."""

    def __init__(self) -> None:
        self.segments: list[TopicSegment] = []
        self.firm: set[str] = set()
        """Ids of topics whose name the participants said themselves: no summary renames these."""
        self.apart: dict[int, str] = {}
        """Late utterance → id of the topic of its time, where it lies within a later topic (`late`)."""
        self._deciding: list[_Deciding] = []
        """Topics with decisions that stand, in order: looking through all topics would cost more and more."""

    @property
    def current_name(self) -> str:
        """The name of the open topic; `FIRST_NAME` before anybody has spoken."""
        return self.segments[-1].name if self.segments else FIRST_NAME

    def get(self, topic_id: str) -> TopicSegment | None:
        """The topic with this id; None where there is none."""
        return next((segment for segment in reversed(self.segments) if segment.id == topic_id), None)

    def of(self, utterance_id: int) -> TopicSegment | None:
        """The topic that an utterance belongs to; None for one that has not been heard."""
        if utterance_id in self.apart:
            return self.get(self.apart[utterance_id])
        place = self._place(utterance_id)
        if place < 0 or utterance_id > self.segments[place].end_utterance_id:
            return None
        return self.segments[place]

    def extend(self, utterance_id: int) -> TopicSegment:
        """Add the next utterance to the open topic and return that; the very first one opens a topic."""
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

    def own(self, topic: TopicSegment, utterances: Sequence[Utterance]) -> list[Utterance]:
        """A topic's utterances in the order in which they were spoken; `utterances`: the meeting's, all."""
        first, last = topic.start_utterance_id, topic.end_utterance_id
        within = [utterance for utterance in utterances[first - 1 : last] if utterance.id not in self.apart]
        late = [utterances[number - 1] for number in topic.late]
        return sorted([*within, *late], key=lambda turn: (turn.start_ms, turn.id)) if late else within

    def set_apart(self, utterance_id: int, topic: TopicSegment) -> TopicSegment:
        """Have the newest utterance belong to an earlier topic, that of its time; return that topic."""
        self.apart[utterance_id] = topic.id
        newest = self.segments[-1]
        if newest.covered_until == utterance_id - 1:
            self._replace(newest, covered_until=utterance_id)  # nothing of its own is left to be summarised
        return self._replace(topic, late=(*topic.late, utterance_id))

    def part(
        self, late: Sequence[Utterance], closed: TopicSegment, opened: TopicSegment, from_ms: int
    ) -> None:
        """Give late utterances to that part of a split topic to whose time they belong."""
        first, last = opened.start_utterance_id, opened.end_utterance_id
        for utterance in late:
            number, within = utterance.id, first <= utterance.id <= last
            if utterance.start_ms >= from_ms and number in closed.late:
                closed = self._replace(closed, late=tuple(n for n in closed.late if n != number))
                del self.apart[number]
                if not within:
                    self.apart[number] = opened.id
                    opened = self._replace(opened, late=(*opened.late, number))
            elif utterance.start_ms < from_ms and within and number not in self.apart:
                self.apart[number] = closed.id
                closed = self._replace(closed, late=(*closed.late, number))

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
        if old is None or old.start_utterance_id == at or place < len(self.segments) - 1 or at in self.apart:
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
        """Give a topic a better name, and give it back; None where nothing changes.

        `firm`: the participants said the name. Only a firm name replaces a firm one.
        """
        topic = self.get(topic_id)
        if topic is None or not name or (topic_id in self.firm and not firm):
            return None
        if firm:
            self.firm.add(topic_id)
        return None if topic.name == name else self._replace(topic, name=name)

    def link(self, topic: TopicSegment) -> TopicSegment:
        """Note to which earlier topic this one returns, now that its name is known; return it.

        Nobody returns to the topic just before it, for nobody has left that for another one.
        """
        place = self._place(topic.start_utterance_id)
        earlier = earlier_topic(topic.name, self.segments, place - 1) if place > 1 else None
        return topic if earlier is None or topic.returns_to else self._replace(topic, returns_to=earlier.id)

    def merge(self, event: SummaryReady, name_of: Callable[[str], str]) -> TopicSegment | None:
        """Put a completed summary in the place of the topic's last one, and give the topic.

        None where the topic is unknown, the version is not the next one, or the summary covers utterances
        that are not the topic's, or fewer than the last one. `name_of` gives a participant's name by id.
        """
        topic = self.get(event.topic_id)
        if topic is None or event.version != topic.version + 1:
            return None
        earliest = max(topic.start_utterance_id, topic.covered_until)
        if not earliest <= event.covered_until <= topic.end_utterance_id:
            return None
        changes = summary_fields(_whole(event, topic.notes), name_of)
        read = topic.written_until if event.engine == "extractive" else event.covered_until
        covered_until = event.covered_until
        while covered_until < topic.end_utterance_id and covered_until + 1 in self.apart:
            covered_until += 1  # these belong to earlier topics
        changes |= {"version": event.version, "covered_until": covered_until, "written_until": read}
        return self._replace(topic, **changes)

    def reopen(self, topic: TopicSegment, at: int) -> TopicSegment:
        """Take out of a topic's summary what rests on utterance `at` or later ones, to be made anew.

        The version counts on, so that a summary that is being made of the old words is ignored.
        """
        cut = _cut(topic, at) if topic.covered_until >= at else {}
        return self._replace(topic, version=topic.version + 1, **cut)

    def edit(self, topic: TopicSegment, notes: Summary) -> TopicSegment:
        """Put `notes` in the place of the topic's summary."""
        return topic if notes == topic.notes else self._replace(topic, **summary_fields(notes))

    def standing(self, besides: str) -> tuple[Statement, ...]:
        """The newest decisions that stand in topics other than `besides`, oldest first, at most 100."""
        newest_first: list[Statement] = []
        for topic in reversed(self._deciding[-_MAX_STANDING_DECISIONS:]):
            if topic.topic_id != besides:
                newest_first += reversed(topic.standing)
            if len(newest_first) >= _MAX_STANDING_DECISIONS:
                break
        return tuple(reversed(newest_first[:_MAX_STANDING_DECISIONS]))

    def supersede(self, merged: TopicSegment, before: Summary) -> list[TopicSegment]:
        """Mark the decisions of other topics that `merged` has changed since its summary was `before`.

        Gives the topics that hold them. An earlier decision is never lost: it is marked, with the utterance
        that changed it.
        """
        known = {decision.text for decision in before.decisions[-_MAX_STANDING_DECISIONS:]}
        fresh = [
            decision
            for decision in merged.notes.decisions[-_MAX_STANDING_DECISIONS:]
            if _changes_another(decision) and decision.status != "superseded" and decision.text not in known
        ]
        if not fresh:
            return []
        others = [
            self.segments[self._place(topic.start)] for topic in self._deciding[-_MAX_STANDING_DECISIONS:]
        ]
        marked: list[TopicSegment] = []
        for segment in others:
            decisions = superseded(segment.notes.decisions, fresh) if segment.id != merged.id else None
            if decisions is not None:
                notes = changed(segment.notes, {"decisions": decisions})
                marked.append(self._replace(segment, **summary_fields(notes)))
        return marked

    def mark_changed_since(self, merged: TopicSegment) -> TopicSegment:
        """Mark the decisions of `merged` that later topics have changed, and give the topic.

        A summary that is made again, as words were corrected or a model has read them, knows nothing of that.
        """
        later = self.segments[self._place(merged.start_utterance_id) + 1 :]
        newest = [
            decision for topic in later for decision in topic.notes.decisions[-_MAX_STANDING_DECISIONS:]
        ]
        changing = [decision for decision in newest if _changes_another(decision)]
        decisions = superseded(merged.notes.decisions, changing) if changing else None
        notes = merged.notes if decisions is None else changed(merged.notes, {"decisions": decisions})
        return self.edit(merged, notes)

    def close(self) -> TopicSegment | None:
        """The meeting is over: close the open topic, and give it; None where nobody has spoken."""
        return self._replace(self.segments[-1], closed=True) if self.segments else None

    def _place(self, utterance_id: int) -> int:
        """Find the place of the last topic that begins at an utterance or before it; -1 where none does."""
        return bisect_right(self.segments, utterance_id, key=lambda segment: segment.start_utterance_id) - 1

    def _replace(self, segment: TopicSegment, **changes: Any) -> TopicSegment:
        replaced = changed(segment, {name: sharing(value) for name, value in changes.items()})
        start = segment.start_utterance_id
        self.segments[self._place(start)] = replaced
        if replaced.notes is not segment.notes:
            place = bisect_left(self._deciding, start, key=lambda topic: topic.start)
            known = place < len(self._deciding) and self._deciding[place].start == start
            self._deciding[place : place + 1 if known else place] = _deciding(replaced)
        return replaced

    def dump(self, *, segments: bool = True) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; without `segments`, only how many there are of them."""
        held: dict[str, Any] = {"count": len(self.segments)}
        if segments:
            held = {"segments": [segment.model_dump(mode="json") for segment in self.segments]}
        return {**held, "firm": sorted(self.firm)}

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.segments = [sharing(TopicSegment.model_validate(segment)) for segment in dumped["segments"]]
        self.firm = set(dumped["firm"])
        self.apart = {number: segment.id for segment in self.segments for number in segment.late}
        self._deciding = [topic for segment in self.segments for topic in _deciding(segment)]


def _deciding(topic: TopicSegment) -> list[_Deciding]:
    """A topic with those of its newest decisions that nothing has changed since; empty where it has none."""
    newest = topic.notes.decisions[-_MAX_STANDING_DECISIONS:]
    standing = tuple(decision for decision in newest if decision.status != "superseded")
    return [_Deciding(topic.start_utterance_id, topic.id, standing)] if standing else []


def _changes_another(decision: Statement) -> bool:
    """Tell whether a decision replaces an earlier one, by words that were said."""
    return bool(decision.replaces and decision.evidence)


def _whole(event: SummaryReady, last: Summary) -> Summary:
    """The summary of an event, with the statements of the `last` one that it carries on by number only."""
    content = event.content
    carried = {
        "decisions": (*last.decisions[: event.carried_decisions], *content.decisions),
        "pending": (*last.pending[: event.carried_pending], *content.pending),
    }
    return changed(content, carried) if event.carried_decisions or event.carried_pending else content


def as_next_version(late: SummaryReady | SummaryFailed, topic: TopicSegment) -> SummaryReady | SummaryFailed:
    """The model's result that came too `late`, as the version behind the one that was quoted meanwhile.

    `topic` as the model was shown it. Where no model had read it, that version has failed.
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
    """The fields of a topic once what rests on utterance `at` and later ones is taken out of its summary.

    Where no sentence is left, the summary counts as covering nothing: all of it is to be made again.
    """
    old = topic.notes

    def standing(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        borne_out = []
        for statement in statements:
            evidence = tuple(number for number in statement.evidence if number < at)
            if len(evidence) == len(statement.evidence):
                borne_out.append(statement)
            elif evidence:
                borne_out.append(changed(statement, {"evidence": evidence}))
        return tuple(borne_out)

    sentences = standing(old.sentences)
    left = {
        "text": " ".join(sentence.text for sentence in sentences) if old.sentences else old.text,
        "sentences": sentences,
        "key_points": standing(old.key_points),
        "decisions": standing(old.decisions),
        "pending": standing(old.pending),
        "contradictions": tuple(
            conflict for conflict in old.contradictions if all(number < at for number in conflict.evidence)
        ),
    }
    until = topic.start_utterance_id - 1 if old.sentences and not sentences else at - 1
    return {
        **summary_fields(changed(old, left)),
        "covered_until": until,
        "written_until": min(topic.written_until, until),
    }


def summary_fields(notes: Summary, name_of: Callable[[str], str] | None = None) -> dict[str, Any]:
    """The fields of a topic that its summary fills: `notes`, and seed 000's plain lists drawn from it.

    With `name_of` (a participant's name by id) also the names of the participants.
    """
    fields: dict[str, Any] = {
        "notes": notes,
        "summary": one_line(notes.text),
        "key_points": [one_line(s.text) for s in notes.key_points],
        "key_decisions": [one_line(s.text) for s in notes.decisions],
        "pending_items": [one_line(s.text) for s in notes.pending],
        "keywords": list(notes.keywords),
    }
    if name_of is not None:
        fields["participants"] = [name_of(speaker) for speaker in notes.participants]
    return fields
