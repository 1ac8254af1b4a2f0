"""Long meetings lived through at once, to measure on: what is asked for comes back in the same breath."""

from __future__ import annotations

from context.budgets.tokens import ExactTokenizer
from context.config import ContextConfig
from context.events import effects, events
from context.events.topic_events import SummaryReady
from context.fold.meeting import Meeting
from context.plain.facade import summarise
from tests.bench.corpus import spoken
from worker.clock import now_utc


def grown(count: int, tokenizer: ExactTokenizer) -> Meeting:
    """A meeting of `count` utterances."""
    meeting = Meeting("bench", ContextConfig(), tokenizer=tokenizer)
    life(meeting, count)
    return meeting


def life(meeting: Meeting, count: int) -> list[events.Event]:
    """Fold a meeting of `count` utterances; its events, in order."""
    happened: list[events.Event] = []

    def take(event: events.Event) -> None:
        happened.append(event)
        for effect in meeting.receive(event):
            if isinstance(effect, effects.Summarise):
                take(summary(effect))
            elif isinstance(effect, effects.ScoreTopics):
                for found in meeting.changes.score():
                    if found is not None:
                        take(found)

    take(events.MeetingOpened(meeting_id=meeting.meeting_id, topics_beside=True))
    take(events.MeetingStarted(at=now_utc()))
    for event in spoken(count):
        take(event)
    return happened


def summary(effect: effects.Summarise) -> SummaryReady:
    """The extractive engine's, at once."""
    return SummaryReady(
        topic_id=effect.topic.id,
        version=effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        content=summarise(effect.topic.notes, effect.utterances, before=effect.before),
        engine="extractive",
    )
