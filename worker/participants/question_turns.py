"""Questions and commands to the agent are taken in turns: nobody's many keep another's one waiting.

An asker has some turns at once and then one in a while. Who comes faster waits for theirs, up to a bound, and
gets it as time allows, one asker after the other; beyond the bound there is none, and the asker is told so
once, until nothing of theirs waits any more. People have few; a program may have many of them.
Commands, and what people decide about their words, have turns of their own: no question keeps them
waiting. A turn is a future: whoever asks for it goes on when it has come.
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
from worker.participants.tracks import Own

log = structlog.get_logger(__name__)


Turn = asyncio.Future[None]
"""One asker's turn: done when it has come, as it has at once for whoever does not ask too fast."""
InTurn = Callable[[str, str, Callable[[], object]], None]
"""(who, their words, what to do) -> does it when their turn has come; see `QuestionTurns.carry_out`."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one asker's questions are put, and how many may wait."""

    at_once: int
    every_s: float
    """The seconds until there is one more, behind those."""
    waiting: int


PEOPLE_PACE: Final = Pace(at_once=6, every_s=2.0, waiting=8)
PROGRAMS_PACE: Final = Pace(at_once=64, every_s=0.05, waiting=256)
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
    waiting: deque[Turn] = field(default_factory=deque)
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
        self._giving: asyncio.Task[None] | None = None

    def take(self, by: str, via: QuestionChannel, text: str) -> Turn | None:
        """The turn of a question; None: its asker has too many that wait, and it is left out."""
        return self._take(by, "people" if via in _BY_PEOPLE else "programs", text)

    def carry_out(self, by: str, text: str, command: Callable[[], object]) -> None:
        """Have somebody's command carried out: now, when its turn comes, or never."""
        turn = self._take(by, "commands", text)
        if turn is not None and turn.done():
            command()
        elif turn is not None:
            self._own(_later(turn, command), name="command-turn")

    def _take(self, by: str, kind: _Kind, text: str) -> Turn | None:
        asker, loop = self._asker(by, kind), asyncio.get_running_loop()
        turn: Turn = loop.create_future()
        if not asker.waiting and not asker.due_in_s(loop.time()):
            asker.left -= 1
            asker.told = False
            turn.set_result(None)
            return turn
        if len(asker.waiting) >= asker.pace.waiting:
            if not asker.told:
                asker.told = True
                log.warning("questions_left_out", participant=by, kind=kind)
                notice = too_many(language_of(text), commands=kind == "commands")
                self._own(self._say(notice, by), name="too-many-questions")
            return None
        asker.waiting.append(turn)
        if self._giving is None or self._giving.done():
            self._giving = self._own(self._give_turns(), name="question-turns")
        return turn

    def _asker(self, by: str, kind: _Kind) -> _Asker:
        if len(self._askers) > _REMEMBERED_ASKERS:
            self._askers = {key: other for key, other in self._askers.items() if other.waiting}
        pace = PROGRAMS_PACE if kind == "programs" else PEOPLE_PACE
        if (asker := self._askers.get((by, kind))) is None:
            asker = _Asker(pace, pace.at_once, asyncio.get_running_loop().time())
            self._askers[by, kind] = asker
        return asker

    async def _give_turns(self) -> None:
        """Give those who wait their turns, one to each asker in a round, until nobody waits."""
        loop = asyncio.get_running_loop()
        while waiting := [asker for asker in self._askers.values() if asker.waiting]:
            await asyncio.sleep(min(asker.due_in_s(loop.time()) for asker in waiting))
            for asker in waiting:
                if not asker.due_in_s(loop.time()):
                    asker.left -= 1
                    if not (turn := asker.waiting.popleft()).done():  # who waited may be gone
                        turn.set_result(None)
                    asker.told = asker.told and bool(asker.waiting)
                    await asyncio.sleep(0)  # whatever else is due goes first


async def _later(turn: Turn, command: Callable[[], object]) -> None:
    await turn
    command()
