"""Notices that a language model's replies are of no use, and says for which purpose.

A model that answers each request with 200 and nonsense fails nowhere: what it is asked for is done without
it, and nobody would know. Whoever reads a reply notes here how it fared in a check. `TROUBLE_AFTER_USELESS`
failures in a row for one purpose in one check are trouble, until a reply passes or none has failed for
`STALE_S` seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from worker.agent.calls.missed_work import NAMES
from worker.clock import monotonic_s
from worker.monitoring.metric_labels import Check, MissedReason

TROUBLE_AFTER_USELESS: Final = 3
"""Useless replies in a row that are trouble."""
STALE_S: Final = 1800.0
"""A summary is asked for every ten minutes at least while somebody talks."""

_FAILED_CHECKS: Final[dict[Check, str]] = {
    "json": "are no valid JSON",
    "evidence": "are not borne out by what they cite",
    "verdicts": "judge nothing",
}


@dataclass(frozen=True, slots=True)
class ReplyListener:
    """Functions that are told of a model's requests and replies; by default nobody is."""

    called: Callable[[str], None] = lambda _purpose: None
    """Told each request that is sent."""
    done: Callable[[str, float], None] = lambda _purpose, _took_s: None
    """Told each request that came to its end, and its seconds."""
    failed: Callable[[str], None] = lambda _reason: None
    """Told each request that failed: `refused` or `unavailable`."""

    useless: Callable[[str, Check], None] = lambda _purpose, _check: None
    """Told each reply that failed in a check."""
    repaired: Callable[[str, bool], None] = lambda _purpose, _well: None
    """Told each repair that was asked for, and whether it gave what was wanted."""
    missed: Callable[[str, MissedReason], None] = lambda _purpose, _why: None
    """Told each piece of work that was asked of the model and is done without it."""


class Usefulness:
    """Counts how one model's replies fare at each check, and says what is wrong where many in a row fail."""

    def __init__(self, listener: ReplyListener, clock: Callable[[], float] = monotonic_s) -> None:
        self._listener, self._clock = listener, clock
        self._failing: dict[tuple[str, Check], tuple[int, float]] = {}
        """How many failures there were in a row, and when the last one was, by purpose and check."""

    def checked(self, purpose: str, check: Check, *, passed: bool) -> None:
        """Note how a reply fared in a check."""
        key = (purpose, check)
        if passed:
            self._failing.pop(key, None)
            return
        self._failing[key] = self._failing.get(key, (0, 0.0))[0] + 1, self._clock()
        self._listener.useless(purpose, check)

    @property
    def trouble(self) -> str:
        """What is wrong with the replies, in a few words; "" where nothing is, as far as is known."""
        since_s = self._clock() - STALE_S
        wrong = (
            f"its {NAMES.get(purpose, purpose)} {_FAILED_CHECKS[check]}"
            for (purpose, check), (count, at_s) in self._failing.items()
            if count >= TROUBLE_AFTER_USELESS and at_s > since_s
        )
        return ", ".join(wrong)
