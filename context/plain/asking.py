"""One question, with everything that its answer may depend on beside the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.answering.follow_up import FollowUp
from context.attendance import Attendee
from context.corpora.passage import Passage
from context.language.since import Missed
from context.models import AgentCallType
from context.vectors import Vectors

SURE: Final = 0.82
"""From here on what was found is given as the answer; cross-validated, 1 in 10 of these is wrong."""
LEAST: Final = 0.15
"""Below, nothing is quoted. What comes closest is shown rather too often: it says that it is no more."""


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """Unit vectors by one encoder."""

    question: Vectors
    """Of what is asked [dimensions]."""
    lines: Vectors
    """Of each utterance, by its place [utterances, dimensions]; a row of zeros where there is none yet."""

    def known(self) -> NDArray[np.bool_]:
        """Which utterances have a vector [utterances]."""
        return np.asarray(np.any(self.lines[:, :8] != 0, axis=1), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From how likely on, 0 to 1, what was found is the answer, and from where what comes closest."""

    sure: float = SURE
    closest: float = LEAST


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """What somebody asks of a meeting."""

    question: str
    call_type: AgentCallType | None = None
    """None: as the question says."""
    follows: FollowUp | None = None
    """What the question takes from the asker's turn before; None where it stands alone."""
    asker: str = ""
    """The name of whoever asks, for "my tasks"."""
    people: Sequence[Attendee] = ()
    """Who is or was in the meeting."""
    missed: Missed | None = None
    """The part that the asker was not there for; None: everything so far."""
    now_ms: int | None = None
    """When it is asked, in meeting time; None: with the last word."""
    earlier: Sequence[Passage] = ()
    """Passages of earlier meetings, for what changed since the last one."""
    meaning: Meaning | None = None
    """What vectors say of the question and the meeting's lines; None where there are none."""
    thresholds: Thresholds = Thresholds()
