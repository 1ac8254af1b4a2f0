"""What a correction changes in the meeting: part of the fold. What is kept of it is `context.corrections`."""

from __future__ import annotations

from typing import assert_never

from context.corrections import PersonFix, StatementFix, TermFix, TopicFix, UtteranceFix, replaced
from context.effects import Effect, PublishCorrected, PublishStatus
from context.events import Corrected
from context.meeting_state import MeetingState
from context.meeting_summaries import MeetingSummaries
from context.topics.topic_changes import TopicChanges


class MeetingCorrections:
    """One meeting's; part of its fold."""

    def __init__(self, meeting: MeetingState, changes: TopicChanges, summaries: MeetingSummaries) -> None:
        self._meeting = meeting
        self._changes = changes
        self._summaries = summaries

    def put_right(self, event: Corrected) -> list[Effect]:
        """What a correction changes: nothing where there is no such thing, or it is so already."""
        effects = self._changed(event)
        self._meeting.corrections.revision += bool(effects)
        return effects

    def _changed(self, event: Corrected) -> list[Effect]:
        meeting = self._meeting
        match event.fix:
            case UtteranceFix() as fix:
                return self._reword(fix, event.by)
            case TermFix(heard=heard, meant=meant):
                return self._put_everywhere(heard, meant, event.by)
            case PersonFix(person=person, into=str(into)):
                return self._merge(person, into)
            case PersonFix(person=person, name=name):
                if not meeting.attendance.rename(person, name):
                    return []
                meeting.show_corrected(1)
                return [PublishStatus(status="renamed", detail=person)]
            case TopicFix(topic=topic_id, name=name):
                renamed = meeting.topics.rename(topic_id, name, firm=True)
                if renamed is None:
                    return []
                self._changes.stamp(renamed, since=renamed.start_utterance_id)
                return self._changes.published(renamed)
            case StatementFix() as fix:
                topic = meeting.topics.get(fix.topic)
                if topic is None or not fix.evidence:
                    return []
                meeting.corrections.statements.append((fix, event.by))
                return self._summaries.make_again(topic, at=topic.end_utterance_id + 1)
            case _:
                assert_never(event.fix)

    def _reword(self, fix: UtteranceFix, by: str) -> list[Effect]:
        meeting = self._meeting
        number = fix.utterance
        if not 0 < number <= len(meeting.utterances):
            return []
        said = meeting.utterances[number - 1]
        moved = fix.speaker not in {None, said.speaker_id} and fix.speaker in meeting.attendance.people
        if said.text == fix.text and not moved:
            return []
        if fix.speaker is not None and moved:
            meeting.corrections.speakers[number] = fix.speaker
        meeting.corrections.words[number] = fix.text, by
        meeting.show_corrected(number)
        topic = meeting.topics.of(number)
        effects: list[Effect] = [PublishCorrected(utterance=meeting.utterances[number - 1])]
        return effects if topic is None else [*effects, *self._summaries.make_again(topic, at=number)]

    def _put_everywhere(self, heard: str, meant: str, by: str) -> list[Effect]:
        """A term, wherever it stands so far; from now on it is one that the speech engine may expect."""
        meeting = self._meeting
        told = {
            said.id: text
            for said in meeting.utterances
            if (text := replaced(said.text, heard, meant)) != said.text
        }
        if meant not in meeting.corrections.terms:
            meeting.corrections.terms.append(meant)
        if not told:
            return [PublishStatus(status="term", detail=meant)]
        meeting.corrections.words |= {number: (text, by) for number, text in told.items()}
        meeting.show_corrected(min(told))
        effects: list[Effect] = [
            PublishCorrected(utterance=meeting.utterances[number - 1]) for number in told
        ]
        for topic in tuple(meeting.segments):
            if within := [n for n in told if topic.start_utterance_id <= n <= topic.end_utterance_id]:
                effects += self._summaries.make_again(topic, at=within[0])
        return effects

    def _merge(self, person: str, into: str) -> list[Effect]:
        """Two participants are one."""
        meeting = self._meeting
        people = meeting.attendance.people
        if person == into or person not in people or into not in people or into in meeting.corrections.merged:
            return []
        theirs = [said.id for said in meeting.utterances if said.speaker_id == person]
        meeting.corrections.merge(person, into)
        meeting.show_corrected(1)
        shown = [PublishCorrected(utterance=meeting.utterances[number - 1]) for number in theirs]
        return [*shown, PublishStatus(status="merged", detail=person)]
