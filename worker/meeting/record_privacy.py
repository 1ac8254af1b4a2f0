"""Keeps out of the record what must not be there: words that were erased, and what is to be masked."""

from __future__ import annotations

from collections.abc import Callable

from context.erasure.erased_record import erased, withheld, without_erased
from context.erasure.erasure_reach import NotTheirs
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import Corrected, Event, ParticipantJoined, QuestionAsked, UtteranceSpoken
from context.events.privacy_events import Erased
from context.evidence.doubtful_figures import carried
from context.fold.meeting import Meeting


def recordable(event: Event, meeting: Meeting, mask: Callable[[str], str]) -> Event:
    """The event as it may be recorded: without erased words, and with what people say and ask masked."""
    match event:
        case UtteranceSpoken():
            # A known key's words are on the record already.
            if event.key not in meeting.keys and meeting.coverage.off_record(event.start_ms):
                return event.model_copy(update={"text": "", "doubtful": (), "hidden": None})
            name = _masked_name(event.speaker_name, event.speaker_id, mask)
            return withheld(meeting, masked(event, mask).model_copy(update={"speaker_name": name}))
        case ParticipantJoined():
            name = _masked_name(event.name, event.participant_id, mask)
            return event.model_copy(update={"name": name})
        case Corrected():
            return without_erased(meeting, event)
        case QuestionAsked(question=asked):
            since = asked.since and asked.since.model_copy(update={"rest": mask(asked.since.rest)})
            hidden = {"text": mask(asked.text), "matter": mask(asked.matter), "since": since}
            return event.model_copy(update={"question": asked.model_copy(update=hidden)})
        case _:
            return event


def masked(utterance: UtteranceSpoken, mask: Callable[[str], str]) -> UtteranceSpoken:
    """An utterance with its words masked; what stays of its figures in doubt keeps their place."""
    text = mask(utterance.text)
    return utterance.model_copy(
        update={"text": text, "doubtful": carried(utterance.doubtful, utterance.text, text)}
    )


def _masked_name(name: str, id_: str, mask: Callable[[str], str]) -> str:
    """Mask the number in the name of a caller; an id, and a mail address, stay what people are called."""
    return name if name == id_ or "@" in name else mask(name)


def erased_again(meeting: Meeting, event: Erased) -> Erased | None:
    """The erasure that a dead job made and could not record, made anew in the meeting as it is now.

    The state that the old event carries leaves out what came after it. None where nothing is left to erase.
    """
    target = event.target
    if target.what == "utterances" and event.keys:  # another holder may have counted on from there
        numbers = tuple(utterance.id for utterance in meeting.utterances if utterance.key in event.keys)
        if not numbers:
            return None
        target = Target(what="utterances", utterances=numbers)
    actor = event.actor or operator(event.by)  # of before there were actors: whoever did it might do so then
    try:
        made = erased(meeting, target, id_=event.id, actor=actor, by=event.by, at_ms=event.at_ms)
    except NotTheirs:  # the numbers mean other turns here
        return None
    return made[0] if made is not None else None
