"""How long the agent waits: for models, and for what an answer looks up on its way.

This is the one place of these figures. Each limit covers all of the work that it names, retries and repairs
included. What is late is gone without, and noted. How long a *room* may take for the words of an answer
stands beside its stream (`worker.agent.reply.speaking`), and how long a failing model is left alone beside
its breaker (`worker.agent.calls.calling`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from context.events.topic_events import UpdateReason
from worker.clock import monotonic_s
from worker.configuration.setting_groups import VERIFY_S

VECTORS_S: Final = 0.1
"""The time for all that vectors say of a question in a room, from when its answer begins."""
VECTORS_OF_THE_RECORD_S: Final = 1.0
"""The same about a meeting that is over, of which nobody has made vectors of lines as they were spoken.

They are kept, so what is late for one question is there for the next (`worker.passages.vector_cache`).
"""
VECTORS_IN_A_COMMAND_S: Final = 0.4
"""The same in a command, which has to load the embedding model first, but waits for no vectors of lines."""
VECTOR_GIVEN_UP_S: Final = 1.5
"""One question's vector: nobody waits for it any more, and what comes by then is for the next question."""
TEXTS_S: Final = 60.0
"""The vectors of many texts, for which nobody waits with a question."""

_VERIFY_SUMMARY_S: Final[Mapping[UpdateReason, float]] = MappingProxyType(
    {"turn_limit": 10.0, "time_limit": 10.0, "correction": 10.0, "topic_change": 5.0, "closing": 3.5}
)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long each thing that the agent waits for may take, in seconds."""

    encoder_s: float | None = VECTORS_S
    """The time for what vectors say of a question; then words alone decide. None: as long as it takes."""

    first_token_s: float = 8.0
    """The time until the asker sees an answer's first words, or that it will be a lesser one."""
    look_up_s: float = 0.5
    """The part of `first_token_s` until the cache has found a kept answer; a later one saves nothing."""
    plan_s: float = 2.5
    """The part of `first_token_s` until a model has chosen the topics that a prompt shows in full."""
    retrieve_s: float = 2.0
    """The part of `first_token_s` until one search of other meetings and documents is done."""
    search_again_s: float = 4.0
    """What must be left of `first_token_s` for another search: it may take two, and the model needs some."""
    abstract_s: float = 4.0
    """The part of `first_token_s` until a model has shortened what was found; later it is extracted."""

    answer_s: float = 30.0
    """The time until the answer is complete."""
    grade_s: float = 5.0
    """The part of `answer_s` until a model has graded the answer."""
    correct_s: float = 4.0
    """What must be left of `answer_s` for a second answer to be begun."""
    verify_s: float = VERIFY_S
    """The time from an answer's last word until what does not stand is taken back; later it is unverified."""
    keep_s: float = 0.5
    """The time until the cache has kept the answer: the asker has it, but the record waits for this."""

    summary_s: float = 60.0
    """The time until a model's summary of a topic, or of the agent's thread, is complete."""
    verify_summary_s: Mapping[UpdateReason, float] = field(default_factory=lambda: _VERIFY_SUMMARY_S)
    """The part of `summary_s` until a summary is verified, by what asked for it.

    Everybody waits for the closing summary: its draft stands unverified rather than late.
    """
    judge_s: float = 10.0
    """The time until a model has said whether the topic changed."""


class Deadline:
    """A moment on the monotonic clock after which nobody waits any more."""

    def __init__(self, after_s: float, clock: Callable[[], float] = monotonic_s) -> None:
        self._clock = clock
        self._at_s = clock() + after_s

    @property
    def remaining_s(self) -> float:
        """Seconds left; 0 when it has passed."""
        return max(0.0, self._at_s - self._clock())
