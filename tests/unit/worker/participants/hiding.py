"""A room without sound in which words are taken out, and what is said there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from context.events.actors import Actor
from context.events.erasure_target import Target
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.store import FakeStore
from worker.meeting.erasing import TakenOut
from worker.participants.attendant import Attendant


class Room:
    """A room without sound, in which words are taken out at once, wait for a hold, or can't be taken out."""

    def __init__(self, world: World, *, held: bool) -> None:
        self.world, self.held, self.away = world, held, False
        self.asked: list[tuple[Target, Actor]] = []
        self.may_take_out = asyncio.Event()
        """While it is not set, taking out goes on."""
        self.may_take_out.set()

    async def take_out(self, target: Target, actor: Actor, by: str) -> TakenOut:
        self.asked.append((target, actor))
        await self.may_take_out.wait()
        if self.held or self.away:
            return "held" if self.held else "failed"
        if not target.show:
            await self.world.session.erase(target, id_=f"e{len(self.asked)}", actor=actor, by=by)
        return "done"

    def told(self, who: str | None) -> list[str]:
        return [text for text, to in self.world.outlet.said if to == who]


@asynccontextmanager
async def room(
    *, held: bool = False, store: FakeStore | None = None
) -> AsyncIterator[tuple[Room, Attendant]]:
    async with meeting_at_work(store) as world, asyncio.TaskGroup() as tasks:
        it = Room(world, held=held)
        attendant = Attendant(
            world.session,
            tasks,
            make_track=None,
            wake_words=("모임", "Moim"),
            chat="questions",
            take_out=it.take_out,
        )
        for who in ("minji", "ben", "guest-5c1d09ab-0123456789"):
            attendant.joined(who, who.title())
        await asyncio.sleep(1)
        yield it, attendant
        await world.session.settle()
        await attendant.aclose()


LINES = {
    "ko": ("예산은 이억 원입니다.", "감사는 두루미재단에 맡기죠."),
    "en": ("The budget is two million.", "Give it to Heronwood."),
}
EARLIER = {"ko": "안녕하세요, 시작합시다.", "en": "Good morning, let us begin."}


async def said(it: Room, language: str) -> None:
    """A line long ago, in the language of the meeting, and two of the last minutes."""
    it.world.speak(EARLIER[language], "cho")
    await asyncio.sleep(1_200)
    it.world.said = 1_200  # seconds of the meeting
    for who, text in zip(("minji", "ben"), LINES[language], strict=True):
        it.world.speak(text, who)
    await it.world.settle()
    await asyncio.sleep(20)
