"""What is known about where topics begin, made into changes of the meeting.

It comes in three ways: an announcement in the newest utterance, what was found about earlier ones
(`context.topics.boundary.detector`, beside the fold or within it), and a judge's verdict on a suspicion. A
change splits the open topic, stamps the archive and whatever shows it, and has the closed topic summarised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from context.effects import Effect, JudgeTopic, PublishTopic, ScoreTopics
from context.events import FoundBoundary, TopicJudged, TopicsScored
from context.meeting_state import MeetingState
from context.models import TopicSegment, Utterance
from context.topics import going_on
from context.topics.boundaries import ECHO, LATEST_DECISION, Boundaries, Boundary
from context.topics.topics import FIRST_NAME, titled
from context.values import all_changed, changed

_SHOWN_TO_JUDGE: Final = 5
"""Utterances (seed 000 §10.2.5), two of them before the suspected one, which lies some thirty back."""
_SHOWN_BEHIND: Final = 2


class TopicChanges:
    """One meeting's; part of its fold."""

    def __init__(self, meeting: MeetingState) -> None:
        self.boundaries = Boundaries(meeting.config)
        self.judging: dict[int, JudgeTopic] = {}
        """Suspected changes that wait for a verdict, by utterance."""
        self.settling = False
        """The meeting closes, and what is still undecided has been asked for."""
        self._meeting = meeting

    def hear(self, text: str, speaker: str) -> list[Effect]:
        """The newest utterance, which is in the archive and in no window yet."""
        boundary = self.boundaries.announced(self._meeting.utterances, self._meeting.topics.segments)
        effects = self._decide(boundary) if boundary is not None else []
        if self._meeting.topics_beside:
            return effects
        return [*effects, *self._found(self.boundaries.detector.hear(text, speaker), all_of_them=False)]

    def scored(self, event: TopicsScored) -> list[Effect]:
        """What was found beside the fold; late, again or unasked for it changes nothing."""
        if event.rest:
            fresh, self.settling = self.settling, False
        else:
            fresh = self.boundaries.fresh(event, len(self._meeting.utterances))
        return self._found(event.found, all_of_them=event.rest) if fresh else []

    def score(self) -> Iterator[TopicsScored | None]:
        """`ScoreTopics` carried out: an item per utterance that was not heard yet, until all are.

        Each is an event where something was found, else None; fold it before the next step. It runs beside
        the fold, so that no utterance waits for it, and a snapshot never knows more than the record. Whoever
        goes on after a crash hears again what came after the snapshot; what the fold has taken in already it
        takes once.
        """
        meeting, detector = self._meeting, self.boundaries.detector
        while meeting.ended is None and detector.heard < len(meeting.utterances):
            utterance = meeting.utterances[detector.heard]
            found = self._wanted(detector.hear(utterance.text, utterance.speaker_id))
            yield TopicsScored(heard=utterance.id, found=found) if found else None
        if self.settling:
            yield TopicsScored(heard=detector.heard, found=self._wanted(detector.rest()), rest=True)

    def _wanted(self, found: Sequence[FoundBoundary]) -> tuple[FoundBoundary, ...]:
        """Without suspicions where nobody judges: they would only fill the record."""
        return tuple(each for each in found if self._meeting.judge or each.kind != "suspicion")

    def judged(self, event: TopicJudged) -> list[Effect]:
        """A judge has spoken about a suspicion."""
        asked = self.judging.pop(event.at_utterance, None)
        too_late = len(self._meeting.utterances) - event.at_utterance > LATEST_DECISION
        if asked is None or not event.changed or too_late:
            return []
        return self._open_topic(event.at_utterance, event.name, reason="llm", firm=False)

    def settle(self) -> list[Effect]:
        """Decide what is still open, from what has been heard: now, or as soon as it comes (`settling`)."""
        if self._meeting.topics.current is None:
            return []
        if self._meeting.topics_beside:
            self.settling = True
            return [ScoreTopics(until=len(self._meeting.utterances), rest=True)]
        return self._found(self.boundaries.detector.rest(), all_of_them=True)

    def outstanding(self) -> list[Effect]:
        """What was asked for and has not come back."""
        effects: list[Effect] = [*self.judging.values()]
        newest = len(self._meeting.utterances)
        behind = self._meeting.topics_beside and self.boundaries.detector.heard < newest
        if self._meeting.ended is None and (behind or self.settling):
            effects.append(ScoreTopics(until=newest, rest=self.settling))
        return effects

    def close(self) -> None:
        """The meeting is over: nothing is waited for any more."""
        self.judging.clear()
        self.settling = False

    def _decide(self, boundary: Boundary) -> list[Effect]:
        """Act on what the boundary finder found: a name, a change, or a suspicion."""
        topic = self._meeting.topics.segments[-1]
        if boundary.kind == "name":
            return self._rename(topic.id, boundary.name or "", firm=True)
        if boundary.kind == "suspicion":
            return self._ask_judge(boundary) if self._meeting.judge else []
        reason = "keyword" if boundary.kind == "cue" else "semantic"
        name = boundary.name
        if boundary.raised and name is None:
            name = self.boundaries.raised_by(self._meeting.utterances, boundary.at)
        return self._open_topic(
            boundary.at, name, reason=reason, firm=boundary.firm and boundary.name is not None
        )

    def _found(self, found: Sequence[FoundBoundary], *, all_of_them: bool) -> list[Effect]:
        """Act on all that fits the open topic, or on the first that does."""
        effects: list[Effect] = []
        for each in found:
            boundary = self.boundaries.fitting(
                self._whole(each), self._meeting.utterances, self._meeting.topics.segments
            )
            if boundary is not None:
                effects += self._decide(self._named(boundary))
                if not all_of_them:
                    break
        return effects

    def _whole(self, found: FoundBoundary) -> FoundBoundary:
        """No topic begins in the middle of a sentence: one that goes on over several turns is one."""
        if not 1 < found.at <= len(self._meeting.utterances):
            return found
        turns = going_on.pieces(self._meeting.utterances[max(0, found.at - going_on.MOST) : found.at])
        return found if len(turns) == 1 else changed(found, {"at": turns[0].id})

    def _named(self, boundary: Boundary) -> Boundary:
        """With the name that is said where the topic begins, even if the one before it has been given it."""
        if boundary.kind not in {"cue", "drop"} or boundary.name is not None:
            return boundary
        name = self.boundaries.named_at(self._meeting.utterances[boundary.at - 1])
        return replace(boundary, name=name, firm=True) if name else boundary

    def _ask_judge(self, boundary: Boundary) -> list[Effect]:
        if boundary.at in self.judging:
            return []
        topic = self._meeting.topics.segments[-1]
        ask = JudgeTopic(
            at_utterance=boundary.at,
            recent=tuple(_shown_to_judge(self._meeting.utterances, max(1, boundary.at + _SHOWN_BEHIND))),
            previous_topic_summary=topic.summary or topic.name,
        )
        self.judging[boundary.at] = ask
        return [ask]

    def _open_topic(self, at: int, name: str | None, *, reason: Any, firm: bool) -> list[Effect]:
        old = self._meeting.topics.of(at) or self._meeting.topics.segments[-1]
        if firm and name == old.name and at - old.start_utterance_id <= ECHO:  # it was named by what ends it
            own = self._meeting.topics.rename(old.id, self._own_name(old, until=at - 1), firm=True)
            self.stamp(own or old, since=old.start_utterance_id)
        said, until = self._meeting.utterances, old.end_utterance_id
        name = name or self.boundaries.name_for(said, at, until) or self.boundaries.raised_by(said, at)
        before = self._meeting.segments[:-1] if old.closed else self._meeting.segments
        split = self._meeting.topics.split(
            at,
            name or f"Topic {len(self._meeting.segments) + 1}",
            reason=reason,
            decided_after=len(said),
            returns_to=self.boundaries.earlier(name, before) if name else None,
            firm=firm,
        )
        if split is None:
            return []
        return self._opened(at, old, *split)

    def _opened(self, at: int, old: TopicSegment, closed: TopicSegment, opened: TopicSegment) -> list[Effect]:
        """`old` was split before utterance `at`: what hangs on it follows."""
        said = self._meeting.utterances
        self.judging = {i: ask for i, ask in self.judging.items() if i > at}
        self._meeting.summaries.cut(closed)
        self.stamp(opened, since=at)
        effects = self.published(closed, opened)
        if old.covered_until >= at:
            self._meeting.last_summarised = at - 1
        if not old.closed:
            self._meeting.buffer.begin(at, said)
        for topic in (closed, opened) if old.closed else (closed,):
            effects += self._meeting.summaries.trigger(topic, "topic_change", said)
        return effects

    def _own_name(self, topic: TopicSegment, *, until: int) -> str:
        said = self._meeting.utterances
        return self.boundaries.name_for(said, topic.start_utterance_id, until) or FIRST_NAME

    def _rename(self, topic_id: str, name: str, *, firm: bool) -> list[Effect]:
        renamed = self._meeting.topics.rename(topic_id, name, firm=firm)
        if renamed is None:
            return []
        self.stamp(renamed, since=renamed.start_utterance_id)
        return self.published(renamed)

    def published(self, *topics: TopicSegment) -> list[Effect]:
        """Shown to followers, under the titles that the record shows."""
        return [PublishTopic(segment=titled(topic, self._meeting.utterances)) for topic in topics]

    def stamp(self, topic: TopicSegment, *, since: int) -> None:
        """Write the topic's name and id on its utterances from `since` on, wherever they are shown."""
        stamp = {"topic": topic.name, "topic_id": topic.id}
        stretch = slice(max(since, topic.start_utterance_id) - 1, topic.end_utterance_id)
        self._meeting.utterances[stretch] = all_changed(self._meeting.utterances[stretch], stamp)
        self._meeting.restamp(since)

    def dump(self) -> dict[str, Any]:
        """What belongs into a snapshot."""
        return {
            "settling": self.settling,
            "boundaries": self.boundaries.dump(),
            "judging": [
                {"at": ask.at_utterance, "until": ask.recent[-1].id, "summary": ask.previous_topic_summary}
                for ask in self.judging.values()
            ],
        }

    def load(self, state: Mapping[str, Any], archive: Sequence[Utterance]) -> None:
        """Back from a snapshot that knows the utterances of `archive`."""
        self.settling = state.get("settling", False)  # older ones do not say
        self.boundaries.load(state["boundaries"], archive)
        for ask in state["judging"]:
            until = ask["until"]
            self.judging[ask["at"]] = JudgeTopic(
                at_utterance=ask["at"],
                recent=tuple(_shown_to_judge(archive, until)),
                previous_topic_summary=ask["summary"],
            )


def _shown_to_judge(said: Sequence[Utterance], until: int) -> Sequence[Utterance]:
    return said[max(0, min(until, len(said)) - _SHOWN_TO_JUDGE) : until]
