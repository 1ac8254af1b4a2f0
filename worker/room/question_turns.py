"""Questions and commands to the agent are taken in turns: nobody's many keep another's one waiting.

An asker has some questions at once and then one in a while. What comes faster waits, up to a bound, and is
put as time allows, one asker after the other; what is beyond the bound is not asked, and the asker is told so
once, until nothing of theirs waits any more. People have few; a program may ask for many of them.
Commands, and what people decide about their words, have turns of their own: no question keeps them
waiting.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final, Literal

import structlog

from context.language.closed_lists import in_words, wording
from context.language.korean import language_of
from context.models import QuestionChannel
from worker.room.tracks import Own

log = structlog.get_logger(__name__)


InTurn = Callable[[str, str, Callable[[], object]], None]
"""(who, their words, what to do) -> does it when their turn has come; see `QuestionTurns.carry_out`."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one asker's questions are put, and how many may wait."""

    at_once: int
    every_s: float
    """Behind those, one in so many seconds."""
    waiting: int


PEOPLE: Final = Pace(at_once=6, every_s=2.0, waiting=8)
PROGRAMS: Final = Pace(at_once=64, every_s=0.05, waiting=256)
_BY_PEOPLE: Final = frozenset({"chat", "voice"})
_Kind = Literal["people", "programs", "commands"]
_AT_ONCE_S: Final = 0.001
"""What is due within this is due: less than a timer can tell."""
_REMEMBERED_ASKERS: Final = 1_000
"""Askers who are known; one beyond them who has nothing waiting is forgotten."""

_TEXTS: Final = wording("commands")


def too_many(language: str, *, commands: bool = False) -> str:
    """What somebody is told whose questions or commands are left out; `language`: `ko` or `en`, else both."""
    return in_words(_TEXTS, language, "too_many_commands" if commands else "too_many_questions")


@dataclass(slots=True)
class _Asker:
    """One asker's questions: how many may be put now, and those that wait."""

    pace: Pace
    left: float
    """How many may be put at once, as of `at_s`."""
    at_s: float
    waiting: deque[Callable[[], object]] = field(default_factory=deque)
    told: bool = False

    def due_in_s(self, now_s: float) -> float:
        """How long until the next one may be put; 0: now."""
        self.left = min(self.pace.at_once, self.left + (now_s - self.at_s) / self.pace.every_s)
        self.at_s = now_s
        in_s = (1 - self.left) * self.pace.every_s
        return in_s if in_s > _AT_ONCE_S else 0.0


class QuestionTurns:
    """The questions and commands of one meeting that wait for their turn."""

    def __init__(self, own: Own, say: Callable[[str, str], Coroutine[None, None, None]]) -> None:
        """`own` runs work beside the meeting; `say` tells a text to somebody (their id) alone."""
        self._own, self._say = own, say
        self._askers: dict[tuple[str, _Kind], _Asker] = {}
        self._putting: asyncio.Task[None] | None = None

    def admit(self, by: str, via: QuestionChannel, text: str, put: Callable[[], object]) -> bool:
        """Tell whether a question may be put now. Else `put` is called when its turn comes, or never."""
        return self._admit(by, "people" if via in _BY_PEOPLE else "programs", text, put)

    def carry_out(self, by: str, text: str, put: Callable[[], object]) -> None:
        """Have somebody's command carried out by `put`: now, when its turn comes, or never."""
        if self._admit(by, "commands", text, put):
            put()

    def _admit(self, by: str, kind: _Kind, text: str, put: Callable[[], object]) -> bool:
        asker = self._asker(by, kind)
        now_s = asyncio.get_running_loop().time()
        if not asker.waiting and not asker.due_in_s(now_s):
            asker.left -= 1
            asker.told = False
            return True
        if len(asker.waiting) >= asker.pace.waiting:
            if not asker.told:
                asker.told = True
                log.warning("questions_left_out", participant=by, kind=kind)
                told = too_many(language_of(text), commands=kind == "commands")
                self._own(self._say(told, by), name="too-many-questions")
            return False
        asker.waiting.append(put)
        if self._putting is None or self._putting.done():
            self._putting = self._own(self._put_in_turns(), name="question-turns")
        return False

    def _asker(self, by: str, kind: _Kind) -> _Asker:
        if len(self._askers) > _REMEMBERED_ASKERS:
            self._askers = {key: each for key, each in self._askers.items() if each.waiting}
        pace = PROGRAMS if kind == "programs" else PEOPLE
        if (asker := self._askers.get((by, kind))) is None:
            asker = _Asker(pace, pace.at_once, asyncio.get_running_loop().time())
            self._askers[by, kind] = asker
        return asker

    async def _put_in_turns(self) -> None:
        """Put what waits, one question of each asker in a round, until nothing waits."""
        loop = asyncio.get_running_loop()
        while waiting := [asker for asker in self._askers.values() if asker.waiting]:
            await asyncio.sleep(min(asker.due_in_s(loop.time()) for asker in waiting))
            for asker in waiting:
                if not asker.due_in_s(loop.time()):
                    asker.left -= 1
                    asker.waiting.popleft()()
                    asker.told = asker.told and bool(asker.waiting)
                    await asyncio.sleep(0)  # whatever else is due goes first
