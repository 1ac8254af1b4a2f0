"""Random corrections, merges, refusals, erasures and holds on real parts: nobody's words vanish without a right.

After each step the words of everybody are looked for by bytes in all that SQL and Redis read and all that lies on the
disk: what was erased is nowhere, what is hidden stands in the events of its turns alone, all else can be read.
"""

from __future__ import annotations

import asyncio
import os
import random
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from context.events.actors import Actor, operator, participant
from context.events.corrections import Fix, PersonFix, UtteranceFix
from context.events.erasure_target import Target
from tests.conftest import Database
from tests.integration.erasing import differing, folded_from_events, kept
from tests.integration.text_meetings import World, held
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_people import PostgresAudit
from worker.adapters.postgres_pool import PostgresPool
from worker.errors import InputError
from worker.messages import AskMessage, CorrectionMessage, SegmentMessage
from worker.record.restoring import load_meeting

pytestmark = [pytest.mark.postgres, pytest.mark.long]

STEPS = int(os.environ.get("MOIM_TEST_STEPS", "25"))
PEOPLE = ("alice", "ben", "minji")
ACTORS = (*map(participant, PEOPLE), operator("ops"), Actor(kind="link", id="5c1d", own=("guest",)))


@dataclass
class Words:
    """What people would expect of the words of one meeting."""

    world: World
    erasures: PostgresErasures
    owner: dict[int, str] = field(default_factory=dict)
    word: dict[int, str] = field(default_factory=dict)
    state: dict[int, str] = field(default_factory=dict)
    """`shown`, `hidden` or `erased`."""
    began_s: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    held: bool = False
    steps: list[str] = field(default_factory=list)
    waiting: list[tuple[Target, Actor]] = field(default_factory=list)
    """What was wished while the meeting was on hold."""

    async def say(self, who: str) -> None:
        number = len(self.owner) + 1
        self.owner[number], self.word[number] = who, f"두루미{number:03}x"
        self.state[number] = "shown"
        start_ms = round((asyncio.get_running_loop().time() - self.began_s) * 1000) + 2_000
        segment = SegmentMessage(
            id=f"s{number}", speaker=who, text=f"그 건은 {self.word[number]} 입니다.", start_ms=start_ms,
            end_ms=start_ms + 900,
        )  # fmt: skip
        await self.world.bus.send_segment(self.world.id, segment)
        await self.settled(number)

    async def command(self, who: str, text: str, target: Target | None) -> None:
        await self.world.bus.ask(self.world.id, AskMessage(id=uuid.uuid4().hex, by=who, text=text))
        if target is not None:
            self.expect(target, participant(who))

    async def ask(self, target: Target, actor: Actor) -> None:
        await self.erasures.ask(target, id_=uuid.uuid4().hex, actor=actor, meeting_id=self.world.id)
        self.expect(target, actor)

    async def correct(self, fix: Fix) -> None:
        message = CorrectionMessage(id=uuid.uuid4().hex, by="edit", fix=fix)
        await self.world.bus.correct(self.world.id, message)

    def expect(self, target: Target, actor: Actor) -> None:
        """What comes of a wish by the rules that people are told, which are not those of the code."""
        if self.held:
            self.waiting.append((target, actor))
            return
        numbers = set(self.owner)
        others: set[int] = set()
        if target.what == "person":
            numbers = {n for n, who in self.owner.items() if who in target.everybody}
        elif target.what == "utterances":
            numbers &= set(target.utterances)
        elif target.what == "stretch" and target.others == "hide":
            others = {n for n, who in self.owner.items() if who != target.person}
            numbers -= others
        everything = target.what == "meeting" or (target.what == "stretch" and target.others == "erase")
        whose = {self.owner[n] for n in numbers} | set(target.everybody)
        if not actor.administrator and (everything or not whose <= set(actor.own)):
            return
        for number in numbers:
            if self.state[number] != "erased" and (self.state[number] == "hidden" or not target.show):
                self.state[number] = "shown" if target.show else "erased"
        for number in others:
            self.state[number] = "hidden" if self.state[number] == "shown" else self.state[number]

    async def hold(self, *, held: bool) -> None:
        await self.erasures.hold(self.world.id, held=held)
        self.held = held
        if not held:
            waiting, self.waiting = self.waiting, []
            for target, actor in waiting:
                self.expect(target, actor)

    async def settled(self, heard: int | None = None) -> None:
        """Until all that was wished is carried out, or waits for the hold."""
        there: dict[int, str] = {}
        for _ in range(200):
            await asyncio.sleep(0.3)
            try:
                meeting = await load_meeting(
                    self.world.shared.store, self.world.id, self.world.shared.settings
                )
            except InputError:  # on a busy machine the first words are not on record yet
                continue
            there = {
                u.id: "hidden" if u.hidden else "shown" if u.text else "erased" for u in meeting.utterances
            }
            done = self.held or not await self.erasures.waiting(self.world.id)
            if done and len(there) >= (heard or 0) and there == self.state:
                return
        raise AssertionError(f"{there} instead of {self.state} after {self.steps[-4:]}")


async def test_nobodys_words_vanish_without_a_right(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    dice = random.Random(int(os.environ.get("MOIM_TEST_SEED", "34")))
    async with held(database.url, redis_url, tmp_path) as world:
        words = Words(world, PostgresErasures(pool))
        for who in PEOPLE:
            await words.say(who)
        for _ in range(STEPS):
            await _step(words, dice)
            await words.settled()
            await _found(words, database, redis_url, tmp_path)
    await _found(words, database, redis_url, tmp_path)
    meeting = await load_meeting(world.shared.store, world.id, world.shared.settings)
    assert differing(await folded_from_events(world.shared, meeting), meeting) == {}
    rows = await PostgresAudit(pool).newest(meeting_id=world.id, limit=1000)
    known = {f"participant {who}" for who in PEOPLE} | {"operator ops"}
    assert {row.who for row in rows if row.action in {"erased", "shown"}} <= known
    assert {"erased", "shown"} <= set(words.state.values()), "the dice did nothing"


_STEPS = (
    "say",
    "say",
    "say",
    "say",
    "say",
    "move",
    "merge",
    "off",
    "show",
    "erase",
    "refuse",
    "hold",
    "ask",
    "ask",
)


async def _step(words: Words, dice: random.Random) -> None:
    who, other = dice.sample(PEOPLE, 2)
    numbers = tuple(dice.sample(sorted(words.owner), 2))
    step = dice.choice(_STEPS)
    words.steps.append(f"{step} {who} {other} {numbers}")
    match step:
        case "say":
            await words.say(who)
        case "move" if words.state[numbers[0]] == "shown":
            text = f"그 건은 {words.word[numbers[0]]} 입니다."
            await words.correct(UtteranceFix(of="utterance", utterance=numbers[0], text=text, speaker=other))
        case "merge":
            await words.correct(PersonFix(of="person", person=who, name=other, into=other))
        case "off":
            await words.command(who, "/off 15m", Target(what="stretch", person=who, others="hide"))
            await words.settled()
            await words.command(who, "/on", None)
            await asyncio.sleep(0.5)
        case "show":
            mine = tuple(n for n, one in words.owner.items() if one == who and words.state[n] == "hidden")
            target = Target(what="utterances", utterances=mine, show=True) if mine else None
            await words.command(who, "/me show", target)
        case "erase":
            mine = tuple(n for n, one in words.owner.items() if one == who and words.state[n] == "hidden")
            await words.command(
                who, "/me erase", Target(what="utterances", utterances=mine) if mine else None
            )
        case "refuse":
            await words.command(who, "/me no erase", Target(what="person", person=who))
            await words.settled()
            await words.command(who, "/me yes", None)
            await asyncio.sleep(0.5)
        case "hold":
            await words.hold(held=not words.held)
        case "ask":
            target = dice.choice(
                (
                    Target(what="person", person=who),
                    Target(what="person", person=who, people=(other,)),
                    Target(what="utterances", utterances=numbers),
                    Target(what="utterances", utterances=numbers, show=True),
                    Target(what="stretch", since_ms=0),
                    Target(what="meeting"),
                )
            )
            actor = dice.choice(
                [each for each in ACTORS if not each.administrator or target.what == "utterances"]
            )
            words.steps[-1] += f" {target} {actor}"
            await words.ask(target, actor)
        case _:
            pass


async def _found(words: Words, database: Database, redis_url: str, folder: Path) -> None:
    places = await kept(database, redis_url, folder)
    for number, state in words.state.items():
        where = [place for place, text in places.items() if words.word[number] in text]
        if state == "erased":
            assert where == [], (number, where)
        elif state == "hidden":
            assert where == ["events"], (number, where)
        else:
            assert {"events", "utterances"} <= set(where), (number, where)
