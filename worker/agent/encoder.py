"""The port by which an answer compares a question with what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from context.meeting import Meeting
from context.plain.asking import QuestionVectors
from context.vectors import Vectors


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
