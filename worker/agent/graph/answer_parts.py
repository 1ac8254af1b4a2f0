"""The parts that the steps of an answer work with beside the meeting; each may be absent.

The step of a part that is None passes the state on unchanged and notes that in the run's record. No part may
raise because a server that it needs is away.
"""

from __future__ import annotations

from dataclasses import dataclass

from context.corpora.passage import Retriever
from worker.agent.prompt.compressing import PassageCompressor
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.remembering import EntityPacks, ThreadMemory


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The parts of a process; by default it has none."""

    retriever: Retriever | None = None
    """Finds passages of this meeting, of earlier ones and of documents."""
    answers: CachedAnswers | None = None
    """The answers that were given before."""
    slots: EntityPacks | None = None
    """Finds what a text names, by kind."""
    memory: ThreadMemory | None = None
    """The agent's memory of its own exchanges."""
    compressor: PassageCompressor | None = None
    """Makes passages shorter with regard to the question."""
