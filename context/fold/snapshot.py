"""A meeting's state without its utterances, and back.

A snapshot holds what is not taken from the archive of utterances: topics, summary jobs, speaker
statistics, attendance, coverage, invocations, and where the windows begin. The windows themselves,
the seen keys and the topic detector's recent words are taken from the
archive on restore, by id; nothing is tokenised or counted again but the windows. So restoring and
going on gives exactly the uninterrupted meeting, and costs little even at 20,000 utterances.

Topics are nine tenths of a long meeting's state, and few of them change between two snapshots. So
whoever saves one after the other saves the state without them, and those that changed (`changed_topics`); the
store puts them together again (`with_topics`). What is loaded always has everything in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import repeat
from typing import Any, Final

from context.events.corrections import Corrections
from context.events.erasure_target import Erasure
from context.events.events import MeetingEnded, MeetingOpened
from context.events.older_records import CANONICAL, STATE_VERSION, newer_state, state_as_today
from context.fold.meeting_state import MeetingState
from context.models import TopicSegment, Utterance
from context.people.attendance import Coverage
from context.primitives.text import clean_name, one_line
from context.primitives.values import changed

_WITHOUT_TOPICS: Final = 3
"""The version of a state whose topics are kept beside it: `load` takes it only after `with_topics`."""


def dump(meeting: MeetingState, *, topics: bool = True) -> dict[str, Any]:
    """The JSON-able state of a meeting; without `topics` it holds only their number."""
    return {
        "version": STATE_VERSION if topics else _WITHOUT_TOPICS,
        CANONICAL: True,
        "opened": meeting.opened.model_dump(mode="json") if meeting.opened else None,
        "started_at": meeting.started_at.isoformat() if meeting.started_at else None,
        "closing": meeting.closing,
        "ended": meeting.ended.model_dump(mode="json") if meeting.ended else None,
        "utterances": len(meeting.utterances),
        "late": list(meeting.late),
        "doubtful": {
            str(utterance.id): list(map(list, utterance.doubtful))
            for utterance in meeting.utterances
            if utterance.doubtful
        },
        "window": len(meeting.window),
        "buffer": len(meeting.buffer),
        "last_summarised": meeting.last_summarised,
        "attendance": meeting.attendance.dump(),
        "coverage": meeting.coverage.model_dump(mode="json"),
        "speech": meeting.speech.dump(),
        "speakers": meeting.speakers.dump(),
        "topics": meeting.topics.dump(segments=topics),
        "summaries": meeting.summaries.dump(),
        "invocations": meeting.invocations.dump(),
        "thread": meeting.thread.dump(),
        "corrections": meeting.corrections.model_dump(mode="json"),
        "prompts": meeting.prompts.dump(),
        "erasures": [mark.model_dump(mode="json") for mark in meeting.erasures],
        **meeting.changes.dump(),
    }


def changed_topics(topics: Sequence[TopicSegment], saved: Sequence[TopicSegment] = ()) -> dict[int, Any]:
    """The topics that are new or changed since `saved`, JSON-able, by their place from 0.

    A topic is unchanged if it is the very same object.
    """
    return {
        place: topic.model_dump(mode="json")
        for place, topic in enumerate(topics)
        if place >= len(saved) or topic is not saved[place]
    }


def with_topics(state: Mapping[str, Any], topics: Sequence[Any]) -> dict[str, Any]:
    """A state of `dump` without topics, with all of its topics (JSON-able, in order) put back in.

    Where their number is wrong, or the state a newer worker's, it stays as it is, and `load` refuses it.
    """
    if state.get("version") != _WITHOUT_TOPICS or state["topics"]["count"] != len(topics):
        return dict(state)
    held = {"segments": list(topics), "firm": state["topics"]["firm"]}
    return {**state, "version": STATE_VERSION, "topics": held}


def load(meeting: MeetingState, state: dict[str, Any], utterances: Sequence[Utterance]) -> None:
    """Fill a fresh meeting from its state and all utterances up to then, as they were heard, by id.

    Raises `ValueError` where the two do not fit together, or a newer worker wrote the state.
    """
    if state.get("version") == _WITHOUT_TOPICS:
        raise ValueError("the topics beside the snapshot are not all of its own: replay the events")
    try:
        _fill(meeting, state_as_today(state), utterances)
    except KeyError as error:
        raise newer_state(f"without {error}") from error


def _fill(meeting: MeetingState, state: dict[str, Any], utterances: Sequence[Utterance]) -> None:
    count = state["utterances"]
    if len(utterances) != count or (count and utterances[-1].id != count):
        raise ValueError(
            f"the snapshot knows {count} utterances, {len(utterances)} were given: replay the events"
        )
    archive = [_in_form(utterance) for utterance in utterances]
    meeting.topics.load(state["topics"])
    meeting.erasures = [Erasure.model_validate(mark) for mark in state["erasures"]]
    meeting.late = list(state["late"])
    for number in meeting.late:
        archive[number - 1] = changed(archive[number - 1], {"late": True})
    for name, spans in state["doubtful"].items():
        doubtful = {"doubtful": tuple((start, end) for start, end in spans)}
        archive[int(name) - 1] = changed(archive[int(name) - 1], doubtful)
    archive = _stamped(_without_erased(archive, meeting.erasures), meeting.topics.segments)
    meeting.speakers.load(state["speakers"], archive)  # as long as there are no utterances to be counted
    meeting.utterances = archive
    meeting.keys.update((u.key, None) for u in archive if u.key is not None)
    meeting.opened = MeetingOpened.model_validate(state["opened"]) if state["opened"] else None
    meeting.started_at = datetime.fromisoformat(state["started_at"]) if state["started_at"] else None
    meeting.closing = state["closing"]
    meeting.ended = MeetingEnded.model_validate(state["ended"]) if state["ended"] else None
    meeting.last_summarised = state["last_summarised"]
    meeting.attendance.load(state["attendance"])
    meeting.coverage = Coverage.model_validate(state["coverage"])
    meeting.changes.load(state, archive)
    meeting.summaries.load(state["summaries"])
    meeting.invocations.load(state["invocations"])
    meeting.thread.load(state["thread"], meeting.invocations.all)
    meeting.speech.load(state["speech"])
    meeting.corrections = Corrections.model_validate(state["corrections"])
    meeting.prompts.load(state["prompts"])
    meeting.show_corrected(1)
    meeting.window.refill(archive[len(archive) - state["window"] :])
    meeting.buffer.refill(archive[len(archive) - state["buffer"] :])


def stamps(state: Mapping[str, Any]) -> Iterator[tuple[str | None, str | None]]:
    """(name, id) of each utterance's topic, from the first utterance on; behind the last topic (None, None).

    For stores that build the utterances to be restored: adding the topic to a finished one takes a copy. Of a
    state that `load` refuses there is none.
    """
    segments = state["topics"]["segments"] if state.get("version") == STATE_VERSION else ()
    for segment in segments:
        count = segment["end_utterance_id"] - segment["start_utterance_id"] + 1
        yield from repeat((segment["name"], segment["id"]), count)
    yield from repeat((None, None))


def _in_form(utterance: Utterance) -> Utterance:
    """An utterance with its text and its speaker's name in their canonical form; itself where they are."""
    text, name = one_line(utterance.text), clean_name(utterance.speaker_name)
    if text is utterance.text and name is utterance.speaker_name:
        return utterance
    return changed(utterance, {"text": text, "speaker_name": name})


def _without_erased(utterances: Sequence[Utterance], marks: Sequence[Erasure]) -> Sequence[Utterance]:
    """The utterances, those erased without text: the store may not have been rewritten yet."""
    gone = {number for mark in marks for number in mark.utterances}
    if not gone:
        return utterances
    hidden = {number for mark in marks for number in mark.hidden}
    emptied = {"text": "", "heard": None, "corrected_by": None, "doubtful": ()}
    return [
        changed(utterance, {**emptied, "hidden": utterance.id in hidden})
        if utterance.id in gone
        else utterance
        for utterance in utterances
    ]


def _stamped(utterances: Sequence[Utterance], segments: Sequence[TopicSegment]) -> list[Utterance]:
    """The utterances with the topics of the snapshot, which a store need not have added."""
    archive = list(utterances)
    for segment in segments:
        stamp = {"topic": segment.name, "topic_id": segment.id}
        stretch = slice(segment.start_utterance_id - 1, segment.end_utterance_id)
        if any(u.topic_id != segment.id or u.topic != segment.name for u in archive[stretch]):
            archive[stretch] = [changed(utterance, stamp) for utterance in archive[stretch]]
    for segment in segments:
        for number in segment.late:
            stamp = {"topic": segment.name, "topic_id": segment.id}
            archive[number - 1] = changed(archive[number - 1], stamp)
    return archive
