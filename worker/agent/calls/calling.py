"""The one retry layer around a language model, and its breaker.

A call that fails in a way that may pass is tried once more, at once, unless the server asks for a longer
wait than anybody here has. Deadlines (`worker.agent.calls.deadlines`) stay with the caller, who calls
`gave_up` when one has run out: from inside, a call that is cut off looks the same as one whose question was
withdrawn. Whether a reply is of any use only its reader knows, who calls `checked`.

The breaker leaves a model alone for a while that keeps failing. States: closed (calls pass; `threshold`
failures in a row open it) → open (nothing passes for `cooldown_s`) → half-open (one trial call passes:
success closes, failure opens again). A server that says how long it wants to be left alone (429 with
`Retry-After`) is left alone for so long, whatever the state. Own lines and not `purgatory`: that one brings
its own event bus, stores and a wall clock; what we need is one counter, one moment and the injected clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from math import inf
from typing import Any, Final, cast

import structlog

from context.ports import Adapting, ChatMessage, CutOff, LanguageModel, PortError, Refused, Unavailable
from worker.agent.calls.missed_work import MissedWork
from worker.agent.calls.usefulness import ReplyListener, Usefulness
from worker.clock import monotonic_s
from worker.monitoring.metric_labels import Check, MissedReason

log = structlog.get_logger(__name__)

_TROUBLE_AFTER_FAILURES: Final = 2
"""So many failures in a row, of whatever kind, are reported as `trouble`."""
RETRY_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 2.0
"""A server that wants more than this is not waited for, and not asked again before."""


class Resting(Unavailable):
    """The model is left alone for a while after failures: no request was sent."""


class CalledModel:
    """A `LanguageModel` with one quick retry and a breaker before it: `Resting` is raised while that is open.

    A `purpose` is what a request is for, as in `PromptRecord`; the `listener` is told what came of it.
    """

    def __init__(
        self, model: LanguageModel, breaker: Breaker | None = None, listener: ReplyListener | None = None
    ) -> None:
        self.name = model.name
        self._model = model
        self.breaker = breaker or Breaker()
        self._listener = listener or ReplyListener()
        self._usefulness = Usefulness(self._listener)
        self._failures, self._last_error = 0, ""
        self._missed_work = MissedWork()

    @property
    def is_resting(self) -> bool:
        """Whether the breaker lets nothing through now, so that no prompt need be built."""
        return self.breaker.is_open

    @property
    def trouble(self) -> str:
        """What is wrong with the model, in one line; "" where it works as far as is known."""
        if self.is_resting:
            return f"{self.name} rests after failures ({self._last_error or 'no answer'})"
        if self._failures >= _TROUBLE_AFTER_FAILURES:
            return f"{self.name} fails ({self._last_error})"
        useless = self._usefulness.trouble
        return f"{self.name}: {useless}" if useless else ""

    @property
    def given_up(self) -> Mapping[str, str]:
        """See `Adapting.given_up`; empty for a model that gives nothing up."""
        return self._model.given_up if isinstance(self._model, Adapting) else {}

    @property
    def missed_work(self) -> list[str]:
        """What was done without this model so far, and why, in full: for whoever may know the settings."""
        return [f"{self.name}: {line}" for line in self._missed_work.lines]

    def gave_up(self, purpose: str = "answer") -> None:
        """Note that the caller's deadline passed before the model was done: a failure, and work missed."""
        self._failures, self._last_error = self._failures + 1, "late"
        self.breaker.failed()
        self.missed(purpose, "late")

    def checked(self, purpose: str, check: Check, *, passed: bool) -> None:
        """Note how a reply fared in a check by whoever read it."""
        self._usefulness.checked(purpose, check, passed=passed)

    def repaired(self, purpose: str, *, well: bool) -> None:
        """Note that a reply was sent back to be put right, and whether what came then was (`well`)."""
        self._listener.repaired(purpose, well)

    def missed(self, purpose: str, why: MissedReason) -> None:
        """Note that a piece of work is done without this model; what the port raises is noted by itself."""
        self._listener.missed(purpose, why)
        self._missed_work.note(purpose, why)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncGenerator[str]:
        """See `LanguageModel.stream`. The request is repeated only while nothing has come yet."""
        begun = False
        with self._noting_missed(name):
            for last_try in (False, True):
                try:
                    with self._request(name):
                        pieces = self._model.stream(messages, max_tokens=max_tokens, name=name)
                        # The port's iterator is an async generator: closing it ends the request.
                        async with aclosing(cast("Any", pieces)):
                            async for piece in pieces:
                                begun = True
                                yield piece
                except Unavailable as error:
                    await self._pause(error, give_up=begun or last_try)
                else:
                    return

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """See `LanguageModel.structured`."""
        with self._noting_missed(name):
            for last_try in (False, True):
                try:
                    with self._request(name):
                        return await self._model.structured(
                            messages, schema=schema, name=name, max_tokens=max_tokens
                        )
                except Unavailable as error:
                    await self._pause(error, give_up=last_try)
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _noting_missed(self, purpose: str) -> Iterator[None]:
        """Whatever the port raises in the end is work that is done without the model."""
        try:
            yield
        except CutOff:
            raise  # it has said something
        except PortError as error:
            why: MissedReason = "refused" if isinstance(error, Refused) else "unavailable"
            self.missed(purpose, "resting" if isinstance(error, Resting) else why)
            raise

    @contextmanager
    def _request(self, purpose: str) -> Iterator[None]:
        """One request: let through by the breaker, counted, and its end remembered."""
        if not self.breaker.admit():
            raise Resting(f"{self.name} failed repeatedly and is left alone for a while")
        self._listener.called(purpose)
        began_s = monotonic_s()
        try:
            yield
        except PortError as error:
            self._listener.failed("refused" if isinstance(error, Refused) else "unavailable")
            if isinstance(error, CutOff):
                self._succeeded()
                raise
            if not isinstance(error, Resting):
                self._missed_work.error = str(error)
            # Without what the server said: it is shown where no key is asked for.
            self._failures, self._last_error = self._failures + 1, str(error).partition(":")[0]
            if isinstance(error, Unavailable):  # what is refused opens no circuit
                self.breaker.failed()
                if (wait_s := error.retry_after_s or 0.0) > LONGEST_PAUSE_S:
                    self.breaker.rest(wait_s)
            raise
        self._listener.done(purpose, monotonic_s() - began_s)
        self._succeeded()

    def _succeeded(self) -> None:
        self._failures = 0
        self.breaker.succeeded()

    async def _pause(self, error: Unavailable, *, give_up: bool) -> None:
        """Wait for the second try; raises where there is none."""
        pause_s = max(RETRY_PAUSE_S, error.retry_after_s or 0.0)
        if give_up or isinstance(error, Resting) or pause_s > LONGEST_PAUSE_S or self.breaker.is_open:
            raise error
        log.info("llm_retry", model=self.name, error=str(error), pause_s=pause_s)
        await asyncio.sleep(pause_s)


LONGEST_REST_S: Final = 60.0
"""A server that wants to be left alone for longer is asked again after this."""


class Breaker:
    """A circuit breaker (its states are told above): one per endpoint, shared by its callers."""

    def __init__(
        self, *, threshold: int = 5, cooldown_s: float = 30.0, clock: Callable[[], float] = monotonic_s
    ) -> None:
        """`threshold`: so many failures in a row open it, for `cooldown_s` seconds of `clock`."""
        self._threshold = threshold
        self._cooldown_s = cooldown_s
        self._clock = clock
        self._failures = 0
        self._opened_at_s: float | None = None
        self._trial_at_s: float | None = None
        self._rests_until_s = -inf

    @property
    def is_open(self) -> bool:
        """Whether a call would be turned away now; asking changes nothing."""
        now_s = self._clock()
        if now_s < self._rests_until_s:
            return True
        if self._opened_at_s is None:
            return False
        if now_s - self._opened_at_s < self._cooldown_s:
            return True
        return self._trial_at_s is not None and now_s - self._trial_at_s < self._cooldown_s

    def admit(self) -> bool:
        """Whether a call may go out now. In the half-open state the first caller who asks gets the trial.

        A trial whose end was never told (a cancelled caller) blocks for one cool-down at most.
        """
        if self.is_open:
            return False
        if self._opened_at_s is not None:
            self._trial_at_s = self._clock()
        return True

    def rest(self, seconds: float) -> None:
        """Let nothing through for so many seconds, as the server asked; for `LONGEST_REST_S` at most."""
        self._rests_until_s = self._clock() + min(seconds, LONGEST_REST_S)

    def succeeded(self) -> None:
        """Close the circuit: a call has succeeded."""
        self._rests_until_s = -inf
        self._failures = 0
        self._opened_at_s = self._trial_at_s = None

    def failed(self) -> None:
        """Count a call that failed: enough of them in a row, or one in a trial, open the circuit."""
        self._failures += 1
        if self._trial_at_s is not None or self._failures >= self._threshold:
            self._opened_at_s = self._clock()
            self._trial_at_s = None
