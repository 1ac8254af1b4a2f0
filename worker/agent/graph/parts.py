"""What the steps of an answer work with beside the meeting, each of which may be absent.

A part that is None is left out: its step passes the state on unchanged and says so in its record. None
of these may raise for a part of theirs that is away.
"""

from __future__ import annotations

from dataclasses import dataclass

from context.corpora.passage import Retriever
from worker.agent.answer_memory import CachedAnswers
from worker.agent.compressing import PassageCompressor
from worker.agent.earlier import EarlierMeetings
from worker.agent.remembering import EntityPacks, ThreadMemory


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The parts that a process has."""

    retriever: Retriever | None = None
    """Passages of documents and of earlier meetings."""
    answers: CachedAnswers | None = None
    """Answers that were given before."""
    slots: EntityPacks | None = None
    """What a text names, by kind."""
    memory: ThreadMemory | None = None
    """The agent's memory of its own exchanges."""
    compressor: PassageCompressor | None = None
    """Makes passages shorter with regard to a question."""
    earlier: EarlierMeetings | None = None
    """What earlier meetings of the same room left behind."""
