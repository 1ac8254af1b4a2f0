"""The part of the fold that applies corrections. What is kept of them is `context.events.corrections`."""

from __future__ import annotations

from typing import assert_never

from context.events.corrections import PersonFix, StatementFix, TermFix, TopicFix, UtteranceFix, replaced
from context.events.effects import Effect, PublishCorrected, PublishStatus
from context.events.events import Corrected
from context.evidence.doubtful_figures import carried
from context.fold.meeting_state import MeetingState


def apply_correction(meeting: MeetingState, event: Corrected) -> list[Effect]:
    """Apply a correction; [] where what it corrects does not exist, or is so already."""
    effects = _changed(meeting, event)
    meeting.corrections.revision += bool(effects)
    return effects


def _changed(meeting: MeetingState, event: Corrected) -> list[Effect]:
    match event.fix:
        case UtteranceFix() as fix:
            return _reword(meeting, fix, event.by)
        case TermFix() as fix:
            return _put_everywhere(meeting, fix, event.by)
        case PersonFix(person=person, into=str(into)):
            return _merge(meeting, person, into)
        case PersonFix(person=person, name=name):
            if not name or not meeting.attendance.rename(person, name):
                return []
            meeting.show_corrected(1)
            shown = meeting.attendance.name_of(person)
            return [PublishStatus(status="renamed", detail=person, name=shown)]
        case TopicFix(topic=topic_id, name=name):
            return meeting.changes.rename(topic_id, name) if name else []
        case StatementFix() as fix:
            topic = meeting.topics.get(fix.topic)
            if topic is None or not fix.evidence:
                return []
            meeting.corrections.statements.append((fix, event.by))
            return meeting.summaries.make_again(topic, at=topic.end_utterance_id + 1)
        case _:
            assert_never(event.fix)


def _reword(meeting: MeetingState, fix: UtteranceFix, by: str) -> list[Effect]:
    number = fix.utterance
    if not 0 < number <= len(meeting.utterances):
        return []
    utterance = meeting.utterances[number - 1]
    if not fix.text:  # as nothing of it was to be seen
        return []
    moved = fix.speaker not in {None, utterance.speaker_id} and fix.speaker in meeting.attendance.people
    if (
        utterance.text == fix.text and not moved and not utterance.doubtful
    ):  # the same again says that it is right
        return []
    if fix.speaker is not None and moved:
        meeting.corrections.speakers[number] = fix.speaker
        meeting.corrections.movers[number] = by
    meeting.corrections.words[number] = fix.text, by
    meeting.corrections.doubtful.pop(number, None)
    meeting.show_corrected(number)
    effects: list[Effect] = [PublishCorrected(utterance=meeting.utterances[number - 1])]
    topic = meeting.topics.of(number)
    return effects if topic is None else [*effects, *meeting.summaries.make_again(topic, at=number)]


def _put_everywhere(meeting: MeetingState, fix: TermFix, by: str) -> list[Effect]:
    """Replace a term in all utterances so far; speech engines are told to expect it from now on."""
    if not (fix.heard and fix.meant):
        return []
    if fix.meant not in meeting.corrections.terms:
        meeting.corrections.terms.append(fix.meant)
    texts = {utterance.id: replaced(utterance.text, fix.heard, fix.meant) for utterance in meeting.utterances}
    changed_texts = {
        number: text for number, text in texts.items() if text != meeting.utterances[number - 1].text
    }
    if not changed_texts:
        return [PublishStatus(status="term", detail=fix.meant)]
    meeting.corrections.words |= {number: (text, by) for number, text in changed_texts.items()}
    for number, text in changed_texts.items():
        utterance = meeting.utterances[number - 1]
        meeting.corrections.doubtful.pop(number, None)
        if spans := carried(utterance.doubtful, utterance.text, text):
            meeting.corrections.doubtful[number] = spans
    meeting.show_corrected(min(changed_texts))
    effects: list[Effect] = [
        PublishCorrected(utterance=meeting.utterances[number - 1]) for number in changed_texts
    ]
    for topic in tuple(meeting.segments):
        if (at := meeting.summaries.first_of(topic, changed_texts)) is not None:
            effects += meeting.summaries.make_again(topic, at=at)
    return effects


def _merge(meeting: MeetingState, person: str, into: str) -> list[Effect]:
    """Make `person` count as `into` from now on, and in all utterances so far."""
    people = meeting.attendance.people
    if person == into or person not in people or into not in people or into in meeting.corrections.merged:
        return []
    before = [utterance.speaker_id for utterance in meeting.utterances]
    meeting.corrections.merge(person, into)
    meeting.show_corrected(1)
    now = zip(before, meeting.utterances, strict=True)
    shown = [
        PublishCorrected(utterance=utterance) for speaker, utterance in now if utterance.speaker_id != speaker
    ]
    return [*shown, PublishStatus(status="merged", detail=person)]
