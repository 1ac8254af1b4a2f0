"""A circuit breaker: a language model that keeps failing is left alone for a while.

Own lines and not `purgatory`: that one brings its own event bus, stores and (for the default) a
wall clock; what we need is one counter, one moment and the injected monotonic clock.

States: closed (calls pass; `threshold` failures in a row open it) → open (nothing passes for
`cooldown_s`) → half-open (one trial call passes: success closes, failure opens again). A server that says
how long it wants to be left alone (429 with `Retry-After`) is left alone for so long, whatever the state.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from worker.clock import monotonic_s

LONGEST_REST_S: Final = 60.0


class Breaker:
    """Counts consecutive failures of one outside part. One per endpoint, shared by its callers."""

    def __init__(
        self, *, threshold: int = 5, cooldown_s: float = 30.0, clock: Callable[[], float] = monotonic_s
    ) -> None:
        self._threshold = threshold
        self._cooldown_s = cooldown_s
        self._clock = clock
        self._failures = 0
        self._opened_at_s: float | None = None
        self._trial_at_s: float | None = None
        self._rests_until_s = -inf

    @property
    def is_open(self) -> bool:
        """True while a call would be turned away; asking changes nothing."""
        now_s = self._clock()
        if now_s < self._rests_until_s:
            return True
        if self._opened_at_s is None:
            return False
        if now_s - self._opened_at_s < self._cooldown_s:
            return True
        return self._trial_at_s is not None and now_s - self._trial_at_s < self._cooldown_s

    def admit(self) -> bool:
        """May a call go out now? In the half-open state the first asker gets the trial.

        A trial whose end was never told (a cancelled caller) blocks for one cool-down at most.
        """
        if self.is_open:
            return False
        if self._opened_at_s is not None:
            self._trial_at_s = self._clock()
        return True

    def rest(self, seconds: float) -> None:
        """The part asks to be left alone; believed for a minute at most."""
        self._rests_until_s = self._clock() + min(seconds, LONGEST_REST_S)

    def succeeded(self) -> None:
        """The part works: closed."""
        self._rests_until_s = -inf
        self._failures = 0
        self._opened_at_s = self._trial_at_s = None

    def failed(self) -> None:
        """The part did not do it; enough of these in a row, or one in a trial, open the circuit."""
        self._failures += 1
        if self._trial_at_s is not None or self._failures >= self._threshold:
            self._opened_at_s = self._clock()
            self._trial_at_s = None
