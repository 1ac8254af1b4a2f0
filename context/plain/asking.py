"""One question, with everything that its answer may depend on beside the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context.answering.follow_up import FollowUp
from context.attendance import Attendee
from context.corpora import Passage
from context.language.since import Missed
from context.models import AgentCallType
from context.plain.meaning import Meaning
from context.plain.sureness import LEAST, SURE


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
