"""How long things may take, and how much of it is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worker.clock import monotonic_s


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The agent's limits; each covers everything that its job does, retries and repairs included."""

    encoder_s: float | None = 4.0
    """For what vectors say of a question; then words alone decide. None: as long as it takes."""
    first_token_s: float = 8.0
    """Until the asker sees the first words of an answer, or that it will be a lesser one."""
    answer_s: float = 30.0
    """Until the answer is complete."""
    summary_s: float = 60.0
    judge_s: float = 10.0
    verify_s: float = 2.0
    """Behind an answer's last word: until what does not stand in it is taken back, or it is unverified."""


class Deadline:
    """A moment on the monotonic clock after which nobody waits any more."""

    def __init__(self, after_s: float, clock: Callable[[], float] = monotonic_s) -> None:
        self._clock = clock
        self._at_s = clock() + after_s

    @property
    def remaining_s(self) -> float:
        """Seconds left; 0 when it has passed."""
        return max(0.0, self._at_s - self._clock())
