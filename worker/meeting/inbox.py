"""The events of one session that wait to be folded, and what an erasure has to know of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from context.events.erasure_target import Target
from context.events.events import Event, QuestionAsked, UtteranceSpoken
from context.models import Utterance
from context.primitives.guest_identity import is_one_of


class Inbox:
    """Events in the order in which they are folded."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[Event] = asyncio.Queue()

    def put(self, event: Event) -> None:
        """Put an event behind the others."""
        self._events.put_nowait(event)

    async def get(self) -> Event:
        """Take the first event out, waiting for one."""
        return await self._events.get()

    def change(self, how: Callable[[Event], Event]) -> list[Event]:
        """Put what `how` makes of it in the place of each event that waits; gives them."""
        waiting = [how(self._events.get_nowait()) for _ in range(self._events.qsize())]
        for event in waiting:
            self._events.put_nowait(event)
        return waiting

    def waiting(self) -> list[Event]:
        """The events that wait, first to last."""
        return self.change(lambda event: event)

    def holds_words_of(self, target: Target) -> bool:
        """Whether words that an erasure may mean wait, which have no number yet."""
        if target.what in {"utterances", "answers"}:
            return False
        speaks = (_by(event) for event in self.waiting())
        return any(who is not None and _means(target, who, also_others=True) for who in speaks)

    def after_words_of(self, target: Target, said: list[Utterance]) -> int:
        """The moment behind all words of those whom an erasure means, of what was `said` and of what waits.

        Times of what programs feed may run ahead of the clock, and what has come by now was said before.
        """
        spoken: list[Utterance | UtteranceSpoken] = [*said]
        spoken += [event for event in self.waiting() if isinstance(event, UtteranceSpoken)]
        times = (one.start_ms for one in spoken if _means(target, one.speaker_id))
        return max(times, default=-1) + 1


def _by(event: Event) -> str | None:
    match event:
        case UtteranceSpoken(speaker_id=who):
            return who
        case QuestionAsked(question=asked):
            return asked.by
        case _:
            return None


def _means(target: Target, who: str, *, also_others: bool = False) -> bool:
    """Whether an erasure is of somebody's words; `also_others`: or of whoever spoke at that time."""
    if target.what == "meeting" or (also_others and target.what != "person"):
        return True
    return is_one_of(who, target.everybody)
