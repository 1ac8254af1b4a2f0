"""Erasing: the event that takes words out of a meeting, and the record rewritten for it.

An `Erased` carries the meeting's state as it is without the words. Folding blanked events would give another
state (an announcement without its words opens no topic), so whoever replays the record takes over the state
that the event carries, and all later events follow as ever. That state holds nothing that was made of the
words; from the events before it `rewritten` takes it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from context.erasure.blanking import NOTHING, Blanking
from context.erasure.erased_questions import ErasedQuestions
from context.erasure.erasure_reach import demand, reach_of
from context.erasure.word_traces import Traces
from context.events.actors import Actor
from context.events.corrections import StatementFix, TermFix, TopicFix, UtteranceFix, replaced
from context.events.effects import PublishCorrected, Published, PublishReply, PublishTopic, PublishUtterance
from context.events.erasure_target import Target
from context.events.events import Corrected, Event, UtteranceSpoken
from context.events.privacy_events import Erased, HiddenWords
from context.ports import RecordedEvent
from context.primitives.values import changed
from context.topics.titles import titled

if TYPE_CHECKING:
    from context.fold.meeting import Meeting


def erased(
    meeting: Meeting, target: Target, *, id_: str, actor: Actor, at_ms: int, by: str = ""
) -> tuple[Erased, Blanking] | None:
    """Make the event that takes `target` out of the meeting, and what blanks events that are not folded yet.

    `by`: how the actor is shown to people; by default as they are known. None where there is nothing to do
    (`is_done`). Of a person who said nothing so far there is an event, too, whose mark withholds words that
    are under way; whether any may be is asked before (`anything.takes_out`). Raises `NotTheirs` where the
    actor may not take these words out.
    """
    if is_done(meeting, target, id_=id_):
        return None
    reach = reach_of(meeting, target)
    demand(actor, target, reach)
    words = {
        utterance.id: f"{utterance.text} {utterance.heard}" if utterance.heard else utterance.text
        for utterance in meeting.utterances
    }
    gone = {number: words[number] for number in sorted(reach.erased | reach.hidden)}
    keys = tuple(meeting.utterances[number - 1].key or "" for number in gone)
    event = Erased(
        id=id_, by=by or actor.shown, actor=actor, at_ms=at_ms, target=target, utterances=tuple(gone),
        hidden=tuple(sorted(reach.hidden)), keys=keys, people=target.everybody,
    )  # fmt: skip
    traces, asked = _traces(words, gone, reach.hidden, everything=target.what == "meeting")
    blanking = Blanking(traces, ErasedQuestions.of_meeting(meeting, event.mark, keys), asked)
    state = blanking.state(meeting)
    earlier = [mark.no_longer_hiding(reach.erased) for mark in meeting.erasures]
    state["erasures"] = [mark.model_dump(mode="json") for mark in (*earlier, event.mark)]
    return changed(event, {"state": state}), blanking


def is_done(meeting: Meeting, target: Target, *, id_: str) -> bool:
    """Whether erasure `id_` was carried out before, or all the single turns that `target` names are empty."""
    if any(mark.id == id_ for mark in meeting.erasures):
        return True
    if target.what != "utterances":
        return False
    wanted = frozenset(target.utterances)
    return not any(
        (utterance.text or utterance.hidden) and utterance.id in wanted for utterance in meeting.utterances
    )


def rewritten(
    events: Iterable[RecordedEvent], erasure: Erased, numbers: Mapping[int, int]
) -> list[RecordedEvent]:
    """The events before an erasure that hold something of what it erases, each without that; no others.

    `events`: all before the erasure, in order. `numbers`: utterance numbers by the numbers of their events;
    a turn that the fold refused (off the record, a known key, behind the end) has none, but has words.
    """
    before, taken_back = list(events), frozenset(erasure.utterances)
    hidden = words_to_hide(before, erasure, numbers)
    keys = [
        recorded.event.key
        for recorded in before
        if isinstance(recorded.event, UtteranceSpoken) and numbers.get(recorded.seq) in taken_back
    ]
    spoken = _as_said(before, numbers)
    everything = erasure.target.what == "meeting"
    traces, asked = _traces(spoken, taken_back, erasure.hidden, everything=everything)
    questions = ErasedQuestions.of_events((recorded.event for recorded in before), erasure.mark, keys)
    blanking = Blanking(traces, questions, asked)

    def blanked(recorded: RecordedEvent) -> Event:
        number = numbers.get(recorded.seq)
        match recorded.event:
            case UtteranceSpoken(key=key, speaker_id=who, end_ms=end_ms) if number is None:
                goes = key in keys or erasure.mark.means_turn(who, end_ms)
                return (
                    changed(recorded.event, {"text": "", "hidden": None, "doubtful": ()})
                    if goes
                    else recorded.event
                )
            case UtteranceSpoken() if number in hidden:
                return changed(recorded.event, {"text": "", "hidden": hidden[number], "doubtful": ()})
            case event:
                return blanking.event(event, number)

    news = [RecordedEvent(recorded.seq, blanked(recorded)) for recorded in before]
    return [new for new, old in zip(news, before, strict=True) if new.event != old.event]


def _as_said(events: Sequence[RecordedEvent], numbers: Mapping[int, int]) -> dict[int, str]:
    """What was said in each utterance: the words that were heard, and what people wrote in their place."""
    spoken: dict[int, str] = {}
    for recorded in events:
        if isinstance(recorded.event, UtteranceSpoken) and (number := numbers.get(recorded.seq)) is not None:
            utterance = recorded.event
            spoken[number] = utterance.hidden.text if utterance.hidden is not None else utterance.text
    for recorded in events:
        match recorded.event:
            case Corrected(fix=UtteranceFix(utterance=number, text=text)):
                spoken[number] = f"{spoken.get(number, '')} {text}"
            case Corrected(fix=TermFix(heard=heard, meant=meant)):
                spoken |= {
                    number: f"{text} {put}"
                    for number, text in spoken.items()
                    if (put := replaced(text, heard, meant)) != text
                }
            case _:
                pass
    return spoken


def _traces(
    words: Mapping[int, str], gone: Collection[int], hidden: Collection[int], *, everything: bool
) -> tuple[Traces, Traces]:
    """The traces of all words that go, and of those alone that are erased and not only hidden."""

    def of(numbers: Collection[int]) -> Traces:
        rest = {number: text for number, text in words.items() if number not in numbers}
        return Traces({number: words.get(number, "") for number in numbers}, rest, everything=everything)

    return of(gone), of([number for number in gone if number not in hidden])


def words_to_hide(
    events: Iterable[RecordedEvent], erasure: Erased, numbers: Mapping[int, int]
) -> dict[int, HiddenWords]:
    """The words of the utterances that an erasure only hides, with their corrections, from its record."""
    hidden: dict[int, HiddenWords] = {}
    for recorded in events:
        match recorded.event:
            case UtteranceSpoken() as utterance if (number := numbers.get(recorded.seq, 0)) in erasure.hidden:
                hidden[number] = utterance.hidden or HiddenWords(text=utterance.text)
            case Corrected(fix=UtteranceFix(utterance=number, text=text), by=by) if number in hidden:
                hidden[number] = HiddenWords(text=hidden[number].text, fixed=(text, by))
            case Corrected(fix=TermFix(heard=heard, meant=meant), by=by):
                for number, words in hidden.items():
                    shown = words.fixed[0] if words.fixed else words.text
                    if (put := replaced(shown, heard, meant)) != shown:
                        hidden[number] = HiddenWords(text=words.text, fixed=(put, by))
            case _:
                pass
    return hidden


def hidden_words(
    events: Iterable[RecordedEvent], numbers: Mapping[int, int], wanted: Collection[int]
) -> tuple[tuple[int, HiddenWords], ...]:
    """The words of those of the `wanted` utterances that are hidden, from the events that keep them."""
    return tuple(
        (number, recorded.event.hidden)
        for recorded in events
        if isinstance(recorded.event, UtteranceSpoken) and recorded.event.hidden is not None
        if (number := numbers.get(recorded.seq, 0)) in wanted
    )


def as_it_is_now(meeting: Meeting, effect: Published) -> Published:
    """An effect as it may be shown now: one from before an erasure is shown without what was erased."""
    if not meeting.erasures:
        return effect
    match effect:
        case PublishUtterance(utterance=utterance) | PublishCorrected(utterance=utterance):
            if not meeting.utterances[utterance.id - 1].text:
                hidden = meeting.utterances[utterance.id - 1].hidden
                emptied = {"text": "", "heard": None, "hidden": hidden, "doubtful": ()}
                return changed(effect, {"utterance": changed(utterance, emptied)})
        case PublishTopic(segment=segment):
            if (now := meeting.topics.get(segment.id)) is not None:
                return changed(effect, {"segment": titled(now, meeting.utterances)})
        case PublishReply(reply=reply):
            now_said = next((one for one in meeting.replies if one.id == reply.id), None)
            if now_said is not None:
                return changed(effect, {"reply": now_said})
        case _:
            pass
    return effect


def withheld(meeting: Meeting, event: UtteranceSpoken) -> UtteranceSpoken:
    """The turn as an erasure leaves it that the meeting had before the turn arrived: without its words, or
    with its words hidden.
    """
    turn = event.speaker_id, event.start_ms, event.end_ms
    if any(mark.withholds(*turn) for mark in meeting.erasures):
        return changed(event, {"text": "", "hidden": None, "doubtful": ()})
    return as_hidden(event) if any(mark.hides(*turn) for mark in meeting.erasures) else event


def as_hidden(event: UtteranceSpoken) -> UtteranceSpoken:
    """The turn with its words hidden; itself where it has none, or they are hidden."""
    if not event.text:
        return event
    return changed(event, {"text": "", "hidden": HiddenWords(text=event.text), "doubtful": ()})


def without_erased(meeting: Meeting, event: Corrected) -> Corrected:
    """The correction as it may be recorded: one of erased words, or of what they made, changes nothing."""
    gone = {number for mark in meeting.erasures for number in mark.utterances}
    # A turn that came after its erasure is empty, too, and in no mark.
    gone |= (
        {utterance.id for utterance in meeting.utterances if not utterance.text}
        if meeting.erasures
        else set()
    )
    match event.fix:
        case UtteranceFix(utterance=number) if number in gone:
            return changed(event, {"fix": NOTHING})
        case StatementFix(evidence=evidence) if not gone.isdisjoint(evidence):
            return changed(event, {"fix": NOTHING})
        case TopicFix() as fix if gone:  # its old name may have been made of what went
            return changed(event, {"fix": changed(fix, {"was": ""})})
        case _:
            return event
