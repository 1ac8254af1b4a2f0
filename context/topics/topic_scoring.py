"""`ScoreTopics` carried out: what has not been heard yet is heard, and what is found becomes events.

Beside the fold, so that no utterance waits for it. Each step hears one utterance and is followed at once
by the fold of what it found, if anything: a snapshot never knows more than the record. Whoever goes on
after a crash hears again what came after the snapshot; what the fold has taken in already it takes once.
"""

from __future__ import annotations

from collections.abc import Iterator

from context.events import FoundBoundary, TopicsScored
from context.meeting import Meeting


def scored(meeting: Meeting) -> Iterator[TopicsScored | None]:
    """One item per utterance heard, until all are; fold each event before the next step."""
    detector = meeting.changes.boundaries.detector
    while meeting.ended is None and detector.heard < len(meeting.utterances):
        utterance = meeting.utterances[detector.heard]
        found = _wanted(meeting, detector.hear(utterance.text, utterance.speaker_id))
        yield TopicsScored(heard=utterance.id, found=found) if found else None
    if meeting.changes.settling:
        yield TopicsScored(heard=detector.heard, found=_wanted(meeting, detector.rest()), rest=True)


def _wanted(meeting: Meeting, found: list[FoundBoundary]) -> tuple[FoundBoundary, ...]:
    """Without suspicions where nobody judges: they would only fill the record."""
    return tuple(each for each in found if meeting.judge or each.kind != "suspicion")
