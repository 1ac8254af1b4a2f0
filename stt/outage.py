"""How long an engine that gives no text is waited for: one that is behind, and one that is away.

Behind (`EngineProgress`): an engine that works through others' requests is given more time, within a bound.
A stretch that waits in the queue of an overloaded engine is no worse off than its neighbours, and a
fresh attempt would only send it to the back: better late than lost. An engine that has finished
nothing for anybody for a while is taken for hung.

Away (`Outage`): what one stretch learns of the engine counts for all; one asks, the rest wait.
A server that is down, or whose channels are all taken, has nothing to do with a stretch: its sound is
kept (`stt.backlog`) and it waits. While it does, one stretch after the other asks again, every
half second for all tracks of a meeting together; the first answer of any kind, an interim or a refusal,
sends all of them off at once. Those that have ended ask first: one that still grows may send the engine
nothing before its end, and all would lose the half second of its turn. So text comes back within a second,
and a server in trouble is not stormed.

A server that takes the sound and then says nothing to anybody is away too. There an attempt does not end
by itself, so it is ended: after two seconds at first, then after half of what the silence has lasted, eight
seconds at most; and several ask beside each other, as the one that came back may answer new questions only.
One attempt at a time may take half of all the silence: so a server that is merely slow, on a machine whose
cores others have taken, gets its answer out in the end. From that answer on it is known how slow it is
(`slow_answer_s`), and every attempt gets its time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Final, Protocol, runtime_checkable

import structlog

from stt.segment import SpeechEngine

_STEP_S: Final = 5.0
"""More time for each sign of progress; also how often the engine is asked for one."""
_HUNG_AFTER_S: Final = 15.0
"""An engine that has finished nothing for so long is hung. A busy machine may need this for one stretch."""
_ASK_S: Final = 1.0
"""How long before the deadline the engine is asked for its progress."""


@runtime_checkable
class Progressing(Protocol):
    """Port of an engine that tells how far it has come with everybody's requests."""

    async def done(self) -> int | None:
        """How many requests the engine has finished so far, anybody's; None where it does not say."""


class EngineProgress:
    """Prolongs one stretch's attempts while its engine finishes requests, whoever's they are."""

    def __init__(self, engine: SpeechEngine, most_s: float) -> None:
        """`most_s` is what may be added to the stretch's deadline altogether."""
        self._engine = engine if isinstance(engine, Progressing) else None
        self._left_s = most_s
        self._seen: int | None = None
        self._moved_s = -inf
        """When the engine was last seen to have finished something."""
        self.advances = False
        """Whether at the last look the engine had finished something within `_HUNG_AFTER_S`."""

    async def prolong(self, limit: asyncio.Timeout) -> None:
        """Move `limit` on while the engine advances; runs beside the attempt, returns when that may end."""
        loop = asyncio.get_running_loop()
        while self._engine is not None and self._left_s > 0 and (at_s := limit.when()) is not None:
            while (ahead_s := at_s - _ASK_S - loop.time()) > 0:
                await asyncio.sleep(min(_STEP_S, ahead_s))
                if ahead_s > _STEP_S:
                    await self._look()  # for the next look to compare with
            if not await self._look():
                return
            step_s = min(_STEP_S, self._left_s)
            self._left_s -= step_s
            limit.reschedule(at_s + step_s)

    async def _look(self) -> bool:
        """Ask the engine for its count, and update and return `advances`."""
        assert self._engine is not None
        before, now_s = self._seen, asyncio.get_running_loop().time()
        self.advances = False
        try:
            async with asyncio.timeout(_ASK_S / 2):
                self._seen = await self._engine.done()
        except Exception:  # noqa: BLE001 - an engine may raise anything, and so tells nothing
            return False
        if self._seen is None:
            return False
        if before is not None and self._seen > before:
            self._moved_s = now_s
        self.advances = now_s - self._moved_s <= _HUNG_AFTER_S
        return self.advances


_log = structlog.get_logger(__name__)

ASK_EVERY_S: Final = 0.5
"""How often an engine that is away is asked, by all tracks of a meeting together."""
LONGEST_ASK_S: Final = 10.0
"""A server that wants to be left alone for longer (`Retry-After`) is asked after this all the same."""
SHORT_ATTEMPT_S: Final = 2.0
"""What an attempt may take at first where the server is silent, beside the length of its sound."""
LONGEST_ATTEMPT_S: Final = 8.0
"""What it may take in the end, but for one attempt at a time."""
LONGEST_WAIT_S: Final = 600.0
"""What that one may take: a machine on which an answer takes longer than this has none."""
_SLOWER_TIMES: Final = 3.0
"""An attempt may take so many times what the slowest of the last answers took, by the length of its sound."""
_COUNTED_ANSWERS: Final = 8
"""So many of the last answers count."""
_TOLD_FAILURES: Final = 3
"""After so many failures without a text between them, it is told that the engine fails."""
_SILENT_ASK_EVERY_S: Final = 2.0
"""The longest pause between two attempts at a silent server."""

_ROUNDING_S: Final = 1e-6
"""A moment that is a sum of seconds may be reached a little early."""


class Outage:
    """Whether a meeting's speech engine can be reached, shared by all the tracks that use it.

    Attempts note what they find (`note_…`), and wait their turn while it is away (`wait_to_ask`).
    """

    def __init__(self, *, ask_every_s: float = ASK_EVERY_S) -> None:
        self._ask_every_s = ask_every_s
        self.why = ""
        """Why it is away, as the last attempt said; empty while it answers."""
        self.since_s: float | None = None
        """The moment since which it is away, on the event loop's clock; None while it answers."""
        self.answers = 0
        """How often it has answered anybody: unchanged since a moment, it has answered nobody since then."""
        self.texts = 0
        """How many stretches have become text, or turned out to hold no words."""
        self._paces: deque[float] = deque(maxlen=_COUNTED_ANSWERS)
        """What the last answers took, in seconds per second of sound (and one more)."""
        self._failures, self._failure = 0, ""
        self._long: object | None = None
        """Whose attempt may take half of the silence, however long that is."""
        self._silent = False
        """Whether it takes sound and gives no result; if not, it is out of reach or full."""
        self._ask_at_s = 0.0
        """When the next attempt may be made, on the event loop's clock."""
        self._changed = asyncio.Event()
        self._waiting: list[Callable[[], bool]] = []
        """One function for each stretch that waits its turn: whether its sound has ended."""

    @property
    def lasts(self) -> bool:
        """Whether the engine is away: out of reach, full, or silent to everybody."""
        return self.since_s is not None

    @property
    def trouble(self) -> str:
        """What keeps the engine from giving text to anybody now; empty where nothing does."""
        return self.why or (self._failure if self._failures >= _TOLD_FAILURES else "")

    @contextmanager
    def attempt(self, whose: object) -> Iterator[float | None]:
        """Give what an attempt may take beyond its sound's length; None: the engine is not silent."""
        limit_s = self._short_s
        if limit_s is not None and self._long is None and self.since_s is not None:
            self._long = whose
            silent_s = asyncio.get_running_loop().time() - self.since_s
            limit_s = max(limit_s, min(LONGEST_WAIT_S, silent_s / 2))
        try:
            yield limit_s
        finally:
            if self._long is whose:
                self._long = None

    @property
    def _short_s(self) -> float | None:
        if self.since_s is None or not self._silent:
            return None
        silent_s = asyncio.get_running_loop().time() - self.since_s
        return min(LONGEST_ATTEMPT_S, max(SHORT_ATTEMPT_S, silent_s / 2))

    def slow_answer_s(self, sound_s: float) -> float:
        """What an answer to so much sound may take, by what the last ones took; 0 where there were none."""
        return _SLOWER_TIMES * max(self._paces, default=0.0) * (1.0 + sound_s)

    def note_text(self, took_s: float, sound_s: float) -> None:
        """Note that a stretch of `sound_s` is text, or holds no words, `took_s` after it was asked for."""
        self.texts += 1
        self._failures = 0
        self._paces.append(took_s / (1.0 + sound_s))

    def note_failure(self, why: str, *, there: bool) -> None:
        """Note that an attempt failed; `there`: by the engine's own answer, so that an outage is over."""
        self._failures += 1
        self._failure = why
        if there:
            self.note_answer()

    def note_away(self, why: str, *, ask_after_s: float | None = None) -> None:
        """Note that an attempt found the engine out of reach or full; `ask_after_s`: if it says so."""
        now_s = asyncio.get_running_loop().time()
        pause_s = min(LONGEST_ASK_S, max(self._ask_every_s, ask_after_s or 0.0))
        known = self.lasts and not self._silent
        self._note(why, now_s, silent=False)
        self._ask_at_s = max(self._ask_at_s, now_s + pause_s) if known else now_s + pause_s
        self._wake()

    def note_silence(self, why: str) -> None:
        """Note that an attempt got no answer in time, and that nobody else has had one meanwhile."""
        now_s = asyncio.get_running_loop().time()
        if not self.lasts:
            self._ask_at_s = now_s
        self._note(why, now_s, silent=True)

    def note_answer(self) -> None:
        """Note that the engine has answered somebody, even by refusing: an outage is over."""
        self.answers += 1
        if self.since_s is None:
            return
        away_s = asyncio.get_running_loop().time() - self.since_s
        _log.info("stt_back", away_s=round(away_s, 1))
        self.since_s, self.why = None, ""
        self._wake()

    async def wait_to_ask(self, ended: Callable[[], bool] = lambda: True) -> None:
        """Wait until it makes sense to ask: the engine is there, or it is our turn to find out.

        `ended` says whether the stretch's sound has ended; one that grows lets those that have go first.
        """
        self._waiting.append(ended)
        try:
            await self._wait_to_ask(ended)
        finally:
            self._waiting.remove(ended)
            self._wake()  # who let us go first

    async def _wait_to_ask(self, ended: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        while self.lasts:
            left_s: float | None = self._ask_at_s - loop.time()
            due = left_s is not None and left_s <= _ROUNDING_S
            if due and not ended() and any(has() for has in self._waiting):
                left_s = None  # it is the turn of one that has ended
            elif due:
                # when the next one asks, should our attempt take long
                pause_s = min(_SILENT_ASK_EVERY_S, (self._short_s or 0.0) / 2)
                self._ask_at_s = loop.time() + max(self._ask_every_s, pause_s)
                return
            try:
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _note(self, why: str, now_s: float, *, silent: bool) -> None:
        if self.since_s is None:
            self.since_s = now_s
            _log.warning("stt_away", reason=why)
        self.why, self._silent = why, silent

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
