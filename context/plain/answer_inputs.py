"""What the engine without a model takes beside a question and the record: vectors, and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.primitives.vectors import Vectors

SURE_ANSWER: Final = 0.62
"""From this probability on what was found is given as the answer. Cross-validated, at most 1 in 20 questions
is then answered wrongly, also of those that another meeting answers.
"""
CLOSEST_ANSWER: Final = 0.06
"""Below it nothing is quoted. It is low because what comes closest is shown as that, and as no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionVectors:
    """The embeddings of the question and of the meeting's utterances: unit vectors by one encoder."""

    question: Vectors
    """The question's vector [dimensions]."""
    lines: Vectors
    """The utterances' vectors by place from 0 [utterances, dimensions]; zeros where there is none yet."""

    def has_vector(self) -> NDArray[np.bool_]:
        """Whether each utterance has a vector [utterances]."""
        return np.asarray(np.any(self.lines[:, :8] != 0, axis=1), dtype=np.bool_)

    def padded(self, count: int) -> QuestionVectors:
        """The same vectors with rows of zeros for the newest of `count` utterances, which have none yet."""
        since = max(0, count - len(self.lines))
        return QuestionVectors(self.question, np.pad(self.lines, ((0, since), (0, 0)))) if since else self


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The probabilities, 0 to 1, from which on what was found is quoted."""

    sure: float = SURE_ANSWER
    """From this one on it is the answer."""
    closest: float = CLOSEST_ANSWER
    """From this one on it is quoted as what comes closest."""


DEFAULT_THRESHOLDS: Final = Thresholds()
