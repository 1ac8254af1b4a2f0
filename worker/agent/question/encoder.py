"""The port by which an answer compares a question with what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from context.fold.meeting import Meeting
from context.plain.answer_inputs import QuestionVectors
from context.primitives.vectors import Vectors


class Encoder(Protocol):
    """Compares a question with what was said by their vectors. Never raises.

    What waits may be cancelled at any time; what it has made by then is there.
    """

    async def question_vector(self, meeting: Meeting, question: str) -> Vectors | None:
        """The vector of a question; None where there is none."""
        ...

    async def embed_lines(self, meeting: Meeting, wanted: Sequence[int]) -> None:
        """Have vectors of the utterances at the places `wanted`, before all others; some may stay without."""
        ...

    def want_lines(self, meeting: Meeting, wanted: Sequence[int]) -> None:
        """The same for a later question: these are made next, and nobody waits for them."""
        ...

    def meaning(self, meeting: Meeting, asked: Vectors) -> QuestionVectors:
        """A question's vector, and those of the utterances that are there by now."""
        ...

    def closeness(self, meeting: Meeting, asked: Vectors) -> Vectors | None:
        """How close each utterance's passage is to a question's vector, as far as passages have one by now.

        It is told in standard deviations from the meeting's mean.
        """
        ...


_DIM: Final = 384
"""The length of the local model's vectors."""


class SameVectors:
    """An encoder to which all texts are the same: what ranks by vectors runs, and learns nothing."""

    async def question_vector(self, _meeting: Meeting, _question: str) -> Vectors:
        """See `Encoder.question_vector`."""
        return np.full(_DIM, _DIM**-0.5, dtype=np.float32)

    async def embed_lines(self, _meeting: Meeting, _wanted: Sequence[int]) -> None:
        """See `Encoder.embed_lines`: they have theirs."""

    def want_lines(self, _meeting: Meeting, _wanted: Sequence[int]) -> None:
        """See `Encoder.want_lines`: they have theirs."""

    def meaning(self, meeting: Meeting, asked: Vectors) -> QuestionVectors:
        """See `Encoder.meaning`."""
        return QuestionVectors(asked, np.tile(asked, (len(meeting.utterances), 1)))

    def closeness(self, meeting: Meeting, _asked: Vectors) -> Vectors:
        """See `Encoder.closeness`."""
        return np.zeros(len(meeting.utterances), dtype=np.float32)
