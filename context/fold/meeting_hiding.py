"""The part of the fold that hides words which somebody's /off covers, and shows hidden ones again.

What is hidden stands in marks (`MeetingState.erasures`), and the utterances keep their numbers. Hiding what
is there already is an erasure, whose event brings the state without the words; here are what comes late under
a mark that stands, and the way back.
"""

from __future__ import annotations

from context.events.effects import Effect, PublishCorrected, PublishStatus
from context.events.events import UtteranceSpoken
from context.events.privacy_events import WordsShown
from context.fold.meeting_state import MeetingState
from context.primitives.values import changed


def hide_late(meeting: MeetingState, number: int, event: UtteranceSpoken) -> None:
    """Add an utterance that came late, and hidden, to the mark that hides it."""
    turn = event.speaker_id, event.start_ms, event.end_ms
    for place in reversed(range(len(meeting.erasures))):
        if meeting.erasures[place].hides(*turn):
            meeting.erasures[place] = meeting.erasures[place].hiding(number)
            return


def show_again(meeting: MeetingState, event: WordsShown) -> list[Effect]:
    """Show hidden utterances as they were said and corrected; what rests on them is made again."""
    heard = {n: words for n, words in event.words if n <= len(meeting.utterances)}
    hidden = {n: words for n, words in heard.items() if meeting.utterances[n - 1].hidden}
    if not hidden:
        return []
    meeting.erasures = [mark.without(hidden) for mark in meeting.erasures]
    for number, words in hidden.items():
        utterance = meeting.utterances[number - 1]
        meeting.utterances[number - 1] = changed(utterance, {"text": words.text, "hidden": False})
        if words.fixed is not None:
            meeting.corrections.words[number] = words.fixed
    meeting.corrections.revision += 1
    meeting.show_corrected(min(hidden))
    meeting.show_anew()
    meeting.count_speakers_anew()
    effects: list[Effect] = [PublishCorrected(utterance=meeting.utterances[n - 1]) for n in hidden]
    for topic in tuple(meeting.segments):
        if (at := meeting.summaries.first_of(topic, hidden)) is not None:
            effects += meeting.summaries.make_again(topic, at=at)
    return [*effects, PublishStatus(status="shown", detail=event.by)]
