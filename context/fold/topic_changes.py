"""The part of the fold that begins new topics and renames them.

That a topic begins is known in three ways: from an announcement in the newest utterance, from what the
detector has found about earlier ones (`context.topics.boundary.detector`, beside the fold or within it), and
from a judge's verdict on a suspicion. A new topic splits the open one, is stamped on its utterances wherever
they are shown, and the topic that it closes is summarised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from context.events.effects import Effect, JudgeTopic, PublishTopic, ScoreTopics
from context.events.topic_events import FoundBoundary, TopicJudged, TopicsScored
from context.models import TopicReason, TopicSegment, Utterance
from context.primitives.values import changed
from context.topics.boundaries import (
    ECHO_LINES,
    LATEST_DECISION_UTTERANCES,
    Boundaries,
    earlier_topic,
    name_for,
    named_at,
)
from context.topics.phrases import continuations
from context.topics.titles import FIRST_NAME, titled

if TYPE_CHECKING:
    from context.fold.meeting_state import MeetingState

_SHOWN_LINES: Final = 6
"""A judge is shown so many utterances before the suspected one, and as many behind it."""
MOST_QUESTIONS_AN_HOUR: Final = 40
"""Questions to a judge in an hour of the meeting, at most. Long meetings bring some ten, brisk ones forty."""
_HOUR_MS: Final = 3_600_000


class TopicChanges:
    """The changes of topic of one meeting: what decides them, and what still waits for a decision."""

    def __init__(self, meeting: MeetingState) -> None:
        self.boundaries = Boundaries(meeting.config)
        self.judging: dict[int, JudgeTopic] = {}
        """Suspected beginnings that wait for a verdict, by utterance."""
        self._asked: list[int] = []
        """The newest utterance at each question to a judge."""
        self._turns_a_question = meeting.config.l1_topic_check_interval_turns
        self.settling = False
        """Whether the meeting closes and `settle` has asked for what is still undecided."""
        self._meeting = meeting

    def hear(self, utterance: Utterance) -> list[Effect]:
        """Hear the newest utterance, which is in the archive and in no window yet: what it begins or names.

        In a meeting that scores topics within the fold it may also bring a beginning further back to light.
        What comes late begins and names nothing.
        """
        topics, effects = self._meeting.topics, list[Effect]()
        announced = None
        if not utterance.late:
            announced = self.boundaries.announced(self._meeting.utterances, topics.segments)
        if announced is not None and announced.begins:
            effects = self._open_topic(announced.at, announced.name or "", reason="keyword")
        elif announced is not None:
            effects = self.rename(topics.segments[-1].id, announced.name or "")
        if not self._meeting.topics_beside:
            boundaries = self.boundaries.detector.hear(_at_its_place(utterance), utterance.speaker_id)
            effects += self._act_on(boundaries, all_of_them=False)
        return effects

    def scored(self, event: TopicsScored) -> list[Effect]:
        """Act on what was found beside the fold; what comes late, again or unasked for changes nothing."""
        if event.rest:
            fresh, self.settling = self.settling, False
        elif fresh := self.boundaries.scored < event.heard <= len(self._meeting.utterances):
            self.boundaries.scored = event.heard
        return self._act_on(event.found, all_of_them=event.rest) if fresh else []

    def score(self) -> Iterator[TopicsScored | None]:
        """Carry out `ScoreTopics`: a step per utterance that the detector has not heard yet.

        Each step gives the event to be folded before the next one, or None where nothing was found. It runs
        beside the fold, so that no utterance waits for it, and a snapshot never knows more than the record.
        Whoever goes on after a crash hears again what came after the snapshot; findings that the fold has
        taken in already it ignores (`scored`). Suspicions are left out where nobody judges: they would only
        fill the record.
        """
        meeting = self._meeting

        def wanted(boundaries: Sequence[FoundBoundary]) -> tuple[FoundBoundary, ...]:
            return tuple(boundary for boundary in boundaries if meeting.judge or boundary.kind != "suspicion")

        # An erasure between two steps puts other changes, and another detector, in the place of these.
        while meeting.ended is None:
            detector = meeting.changes.boundaries.detector
            if detector.heard >= len(meeting.utterances):
                break
            utterance = meeting.utterances[detector.heard]
            boundaries = wanted(detector.hear(_at_its_place(utterance), utterance.speaker_id))
            yield TopicsScored(heard=utterance.id, found=boundaries) if boundaries else None
        if meeting.changes.settling:
            detector = meeting.changes.boundaries.detector
            yield TopicsScored(heard=detector.heard, found=wanted(detector.rest()), rest=True)

    def judged(self, event: TopicJudged) -> list[Effect]:
        """Act on a judge's verdict about a suspicion; what is late, or was not asked for, changes nothing."""
        asked = self.judging.pop(event.at_utterance, None)
        too_late = len(self._meeting.utterances) - event.at_utterance > LATEST_DECISION_UTTERANCES
        if asked is None or not event.changed or too_late:
            return []
        return self._open_topic(event.at_utterance, event.name or "", reason="llm")

    def settle(self) -> list[Effect]:
        """The meeting closes: decide what is undecided, now or as soon as the scores come (`settling`)."""
        if not self._meeting.segments:
            return []
        if self._meeting.topics_beside:
            self.settling = True
            return [ScoreTopics(until=len(self._meeting.utterances), rest=True)]
        return self._act_on(self.boundaries.detector.rest(), all_of_them=True)

    def outstanding(self) -> list[Effect]:
        """The verdicts and scores that were asked for and have not come, for whoever restores the meeting."""
        effects: list[Effect] = [*self.judging.values()]
        newest = len(self._meeting.utterances)
        behind = self._meeting.topics_beside and self.boundaries.detector.heard < newest
        if self._meeting.ended is None and (behind or self.settling):
            effects.append(ScoreTopics(until=newest, rest=self.settling))
        return effects

    def close(self) -> None:
        """The meeting is over: forget what was asked for and has not come."""
        self.judging.clear()
        self.settling = False

    def _act_on(self, boundaries: Sequence[FoundBoundary], *, all_of_them: bool) -> list[Effect]:
        """Act on the first of the findings with which a topic may begin, or on each of them in turn."""
        utterances, effects = self._meeting.utterances, list[Effect]()
        for boundary in boundaries:
            at = boundary.at
            if 0 < at <= len(utterances) and utterances[at - 1].late:
                continue  # what was said then was heard out of its turn
            if 1 < at <= len(utterances):  # no topic begins in the middle of a sentence
                at = continuations.pieces(utterances[max(0, at - continuations.MAX_TURNS) : at])[0].id
            name = self.boundaries.accepted_name(
                changed(boundary, {"at": at}), utterances, self._meeting.segments
            )
            if name is None:
                continue
            if boundary.kind == "suspicion":
                effects += self._ask_judge(at)
            else:
                name = name or named_at(utterances[at - 1])
                reason: TopicReason = "keyword" if boundary.kind == "cue" else "semantic"
                effects += self._open_topic(at, name, reason=reason)
            if not all_of_them:
                break
        return effects

    def _ask_judge(self, at: int) -> list[Effect]:
        if at in self.judging or not self._meeting.judge or not self._may_ask():
            return []
        utterances, topic = self._meeting.utterances, self._meeting.segments[-1]
        self._asked.append(utterances[-1].id)
        ask = _question(at, utterances, at + _SHOWN_LINES, topic.summary or topic.name)
        self.judging[at] = ask
        return [ask]

    def _may_ask(self) -> bool:
        """Whether a judge may be asked: less than `MOST_QUESTIONS_AN_HOUR`, and once in each few turns."""
        utterances, asked = self._meeting.utterances, self._asked
        if (len(asked) + 1) * self._turns_a_question > len(utterances):
            return False
        since_ms = (
            utterances[asked[-MOST_QUESTIONS_AN_HOUR] - 1].start_ms
            if len(asked) >= MOST_QUESTIONS_AN_HOUR
            else None
        )
        return since_ms is None or utterances[-1].start_ms - since_ms >= _HOUR_MS

    def _open_topic(self, at: int, given_name: str, *, reason: TopicReason) -> list[Effect]:
        """Begin a topic at utterance `at`; no effects where none can begin there.

        `given_name`: its name as people said it, or as a judge proposes it; "" where it has none.
        """
        meeting, utterances = self._meeting, self._meeting.utterances
        old = meeting.topics.of(at) or meeting.segments[-1]
        start, until = old.start_utterance_id, old.end_utterance_id
        firm = bool(given_name) and reason != "llm"
        if firm and given_name == old.name and at - start <= ECHO_LINES:  # it was named by what ends it
            own = meeting.topics.rename(old.id, name_for(utterances, start, at - 1) or FIRST_NAME, firm=True)
            self.stamp(own or old, since=start)
        name = given_name or name_for(utterances, at, until)
        returns_to = earlier_topic(name, meeting.segments, len(meeting.segments) - old.closed)
        split = meeting.topics.split(
            at,
            name or f"Topic {len(meeting.segments) + 1}",
            reason=reason,
            decided_after=len(utterances),
            returns_to=returns_to.id if returns_to is not None else None,
            firm=firm,
        )
        if split is None:
            return []
        closed, opened = split
        closed, opened = self._late_parted(closed, opened)
        self.judging = {i: ask for i, ask in self.judging.items() if i > at}
        meeting.summaries.cut(closed)
        self.stamp(opened, since=at)
        effects = self.published(closed, opened)
        if old.covered_until >= at:
            meeting.last_summarised = at - 1
        if not old.closed:
            meeting.buffer.refresh(utterances, at)
        for topic in (closed, opened) if old.closed else (closed,):
            effects += meeting.summaries.trigger(topic, "topic_change")
            effects += meeting.summaries.heard_late(topic)
        return effects

    def _late_parted(self, closed: TopicSegment, opened: TopicSegment) -> tuple[TopicSegment, TopicSegment]:
        """Give the late lines of two topics that were one to the topic of their time, and give both back."""
        meeting, utterances = self._meeting, self._meeting.utterances
        if not meeting.late:
            return closed, opened
        late = [utterances[number - 1] for number in meeting.late]
        meeting.topics.part(late, closed, opened, utterances[opened.start_utterance_id - 1].start_ms)
        closed = meeting.topics.get(closed.id) or closed
        self.stamp(closed, since=closed.start_utterance_id)
        return closed, meeting.topics.get(opened.id) or opened

    def rename(self, topic_id: str, name: str) -> list[Effect]:
        """Call a topic what people have said that it is called; no effects where it is called so already."""
        renamed = self._meeting.topics.rename(topic_id, name, firm=True)
        if renamed is None:
            return []
        self.stamp(renamed, since=renamed.start_utterance_id)
        return self.published(renamed)

    def published(self, *topics: TopicSegment) -> list[Effect]:
        """The effects that show these topics outside, under the titles that the document shows."""
        return [PublishTopic(segment=titled(topic, self._meeting.utterances)) for topic in topics]

    def stamp(self, topic: TopicSegment, *, since: int) -> None:
        """Write the topic's name and id on its utterances from `since` on, wherever they are shown."""
        stamp = {"topic": topic.name, "topic_id": topic.id}
        stretch = slice(max(since, topic.start_utterance_id) - 1, topic.end_utterance_id)
        utterances, apart = self._meeting.utterances, self._meeting.topics.apart
        utterances[stretch] = [
            utterance if utterance.id in apart else changed(utterance, stamp)
            for utterance in utterances[stretch]
        ]
        for number in topic.late:
            utterances[number - 1] = changed(utterances[number - 1], stamp)
        self._meeting.restamp(since)

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "settling": self.settling,
            "asked": list(self._asked),
            "boundaries": self.boundaries.dump(),
            "judging": [
                {"at": ask.at_utterance, "until": ask.recent[-1].id, "summary": ask.previous_topic_summary}
                for ask in self.judging.values()
            ],
        }

    def load(self, state: Mapping[str, Any], archive: Sequence[Utterance]) -> None:
        """Take the state from a snapshot, as `dump` gave it; `archive` are the utterances up to it."""
        self.settling = state["settling"]
        self._asked = list(state["asked"])
        heard = [
            utterance.model_copy(update={"text": ""}) if utterance.late else utterance
            for utterance in archive
        ]
        self.boundaries.load(state["boundaries"], heard)
        self.judging = {
            ask["at"]: _question(ask["at"], archive, ask["until"], ask["summary"]) for ask in state["judging"]
        }


def _question(at: int, utterances: Sequence[Utterance], until: int, summary: str) -> JudgeTopic:
    """Ask a judge whether a topic begins at utterance `at`, and show what is around it, up to `until`."""
    shown = utterances[max(0, at - 1 - _SHOWN_LINES) : until]
    return JudgeTopic(at_utterance=at, recent=tuple(shown), previous_topic_summary=summary)


def _at_its_place(utterance: Utterance) -> str:
    """What the detector hears of an utterance: of a late one no word, since it was not said here."""
    return "" if utterance.late else utterance.text
