"""Erasing: the event that takes words out of a meeting, and the record rewritten for it.

An `Erased` carries the meeting's state as it is without the words. Folding blanked events would give another
state (an announcement without its words opens no topic), so whoever replays the record takes over the state
that the event carries, and all later events follow as ever. That state holds nothing that was made of the
words; from the events before it `rewritten` takes it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from context.corrections import StatementFix, TermFix, TopicFix, UtteranceFix, replaced
from context.effects import PublishCorrected, Published, PublishReply, PublishTopic, PublishUtterance
from context.erasure.blanking import NOTHING, Blanking
from context.erasure.questions import Questions
from context.erasure.traces import Traces
from context.erasure_target import Target
from context.events import Corrected, Event, UtteranceSpoken
from context.ports import RecordedEvent
from context.privacy_events import Erased
from context.topics.topics import titled
from context.values import changed

if TYPE_CHECKING:
    from context.meeting import Meeting


def erased(
    meeting: Meeting, target: Target, *, id_: str, by: str, at_ms: int
) -> tuple[Erased, Blanking] | None:
    """Make the event that takes `target` out of the meeting, and what blanks events that are not folded yet.

    None where there is nothing to do (`is_done`). Of a person who said nothing so far there is an event, too:
    its mark withholds words that are still under way.
    """
    if is_done(meeting, target, id_=id_):
        return None
    said = meeting.utterances
    people = meeting.corrections.ids_of(target.person) if target.person is not None else ()
    words = {each.id: f"{each.text} {each.heard}" if each.heard else each.text for each in said}
    gone = {each.id: words[each.id] for each in said if target.holds(each, people)}
    keys = tuple(said[number - 1].key or "" for number in gone)
    event = Erased(
        id=id_, by=by, at_ms=at_ms, target=target, utterances=tuple(gone), keys=keys, people=people
    )
    kept = {number: text for number, text in words.items() if number not in gone}
    traces = Traces(gone, kept, everything=target.what == "meeting")
    blanking = Blanking(traces, Questions.of_meeting(meeting, event.mark, keys))
    state = blanking.state(meeting)
    state["erasures"].append(event.mark.model_dump(mode="json"))
    return changed(event, {"state": state}), blanking


def is_done(meeting: Meeting, target: Target, *, id_: str) -> bool:
    """Whether erasure `id_` was carried out before, or all the single turns that `target` names are empty."""
    if any(mark.id == id_ for mark in meeting.erasures):
        return True
    if target.what != "utterances":
        return False
    return not any((each.text or each.heard) and target.holds(each, ()) for each in meeting.utterances)


def rewritten(
    events: Iterable[RecordedEvent], erasure: Erased, numbers: Mapping[int, int]
) -> list[RecordedEvent]:
    """The events before an erasure that hold something of what it erases, each without that; no others.

    `events`: all before the erasure, in order. `numbers`: utterance numbers by the numbers of their events;
    a turn that the fold refused (off the record, a known key, behind the end) has none, but has words.
    """
    before, taken_back = list(events), frozenset(erasure.utterances)
    spoken: dict[int, str] = {}
    keys: list[str] = []
    for each in before:
        match each.event:
            case UtteranceSpoken(text=text, key=key) if (number := numbers.get(each.seq)) is not None:
                spoken[number] = text
                if number in taken_back:
                    keys.append(key)
    for each in before:  # what people wrote in the place of what was heard was said, too
        match each.event:
            case Corrected(fix=UtteranceFix(utterance=number, text=text)):
                spoken[number] = f"{spoken.get(number, '')} {text}"
            case Corrected(fix=TermFix(heard=heard, meant=meant)):
                spoken |= {
                    number: f"{text} {put}"
                    for number, text in spoken.items()
                    if (put := replaced(text, heard, meant)) != text
                }
    gone = {number: spoken.get(number, "") for number in erasure.utterances}
    kept = {number: text for number, text in spoken.items() if number not in gone}
    traces = Traces(gone, kept, everything=erasure.target.what == "meeting")
    blanking = Blanking(traces, Questions.of_events((each.event for each in before), erasure.mark, keys))

    def blanked(each: RecordedEvent) -> Event:
        number = numbers.get(each.seq)
        match each.event:
            case UtteranceSpoken(key=key, speaker_id=who, end_ms=end_ms) if number is None:
                goes = key in keys or erasure.mark.means_turn(who, end_ms)
                return changed(each.event, {"text": ""}) if goes else each.event
            case event:
                return blanking.event(event, number)

    news = [RecordedEvent(each.seq, blanked(each)) for each in before]
    return [new for new, old in zip(news, before, strict=True) if new.event != old.event]


def as_it_is_now(meeting: Meeting, effect: Published) -> Published:
    """An effect as it may be shown now: one from before an erasure is shown without what was erased."""
    if not meeting.erasures:
        return effect
    match effect:
        case PublishUtterance(utterance=said) | PublishCorrected(utterance=said):
            if not meeting.utterances[said.id - 1].text:
                return changed(effect, {"utterance": changed(said, {"text": "", "heard": None})})
        case PublishTopic(segment=segment):
            if (now := meeting.topics.get(segment.id)) is not None:
                return changed(effect, {"segment": titled(now, meeting.utterances)})
        case PublishReply(reply=reply):
            now_said = next((each for each in meeting.replies if each.id == reply.id), None)
            if now_said is not None:
                return changed(effect, {"reply": now_said})
        case _:
            pass
    return effect


def withheld(meeting: Meeting, event: UtteranceSpoken) -> UtteranceSpoken:
    """The turn, without its words where an erasure meant it that the meeting had before the turn arrived."""
    ids = meeting.corrections.ids_of(event.speaker_id)
    if any(mark.withholds(id_, event.start_ms, event.end_ms) for mark in meeting.erasures for id_ in ids):
        return changed(event, {"text": ""})
    return event


def without_erased(meeting: Meeting, event: Corrected) -> Corrected:
    """The correction as it may be recorded: one of erased words, or of what they made, changes nothing."""
    gone = {number for mark in meeting.erasures for number in mark.utterances}
    match event.fix:
        case UtteranceFix(utterance=number) if number in gone:
            return changed(event, {"fix": NOTHING})
        case StatementFix(evidence=evidence) if not gone.isdisjoint(evidence):
            return changed(event, {"fix": NOTHING})
        case TopicFix() as fix if gone:  # its old name may have been made of what went
            return changed(event, {"fix": changed(fix, {"was": ""})})
        case _:
            return event
