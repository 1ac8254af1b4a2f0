"""Signed commands, questions and wishes that somebody captured and puts again, who has all rights in Redis but no token.

Copies come at once and with positions that their writer chose, in the same stream, the one of old, another meeting's
and another tenant's; changed; after a new worker has taken over; after Redis has lost all it had. After each, a line
is said: it must be on the record. Beside them stand commands that are to be obeyed, among them one that waited
for its worker for an hour, and words that a pause refused, which must be a gap.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any, Final

import redis.asyncio as redis
from prometheus_client import generate_latest

from tests.security.doors import Outcome
from tests.security.doors.house import WITHIN_S, Servers, Tenant, at_work, servers
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import StreamNames
from worker.messages import AskMessage, DispatchMessage

_HOUR_MS: Final = 3_600_000
_COMMANDS: Final = ("/pause", "기록 멈춰줘", "stop recording please")
_SECRET: Final = "연봉은 비밀입니다. This is a secret."
_QUESTION_ID: Final = "q1"
MEETING: Final = "ten1"


@dataclass
class _Attack:
    """What was captured, and what came of putting it again."""

    ground: Servers
    everything: redis.Redis
    """All rights in Redis."""
    dice: random.Random
    tenant: Tenant
    patience_s: float
    question: bytes = b""
    """One that was answered."""
    tried: int = 0
    obeyed: int = 0
    """RoomCommands and wishes that were to be, and were."""
    number: int = 0
    """The number of the next line, on or off the record: later ones have later times."""
    said: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    @property
    def names(self) -> StreamNames:
        return StreamNames(self.tenant.name)

    async def capture(self, stream: str) -> tuple[str, bytes]:
        """The newest entry of a stream: position and content."""
        ((position, fields),) = await self.everything.xrevrange(stream, count=1)
        return position.decode(), fields[b"json"]

    async def put(self, stream: str, payload: bytes, position: str = "*") -> None:
        """Another entry; where Redis does not take the position, there is nothing to be refused."""
        self.tried += 1
        try:
            await self.everything.xadd(stream, {"json": payload}, id=position)
        except redis.ResponseError as error:
            if "equal or smaller" not in str(error):
                raise

    async def say(self, why: str) -> None:
        """A line that must come out."""
        self.said.append(f"{self.number}. 출시 준비를 계속합니다. We go on.")
        await self.speak(self.said[-1])
        try:
            async with asyncio.timeout(self.patience_s):
                await self.comes_out(self.said[-1])
        except TimeoutError:
            self.found.append(f"{why}: what was said next is lost")
            self.said.pop()
            resume = AskMessage(id=f"o{self.dice.getrandbits(64):x}", by="minji", text="/resume")
            await self.tenant.bus.ask(MEETING, resume)

    async def speak(self, text: str) -> None:
        """A line, behind all others."""
        await self.tenant.say(MEETING, self.number, text)
        self.number += 1

    async def comes_out(self, text: str) -> None:
        async for _, event in self.tenant.bus.follow(MEETING):
            if event["kind"] == "utterance" and event["text"].startswith(text):
                return

    async def command(self, text: str) -> None:
        """One that is to be obeyed."""
        id_ = f"o{self.dice.getrandbits(64):x}"
        await self.tenant.bus.ask(MEETING, AskMessage(id=id_, by="minji", text=text))
        async with asyncio.timeout(WITHIN_S):
            async for _, event in self.tenant.bus.follow(MEETING):
                if event["kind"] == "status" and event["status"] in {"paused", "resumed"}:
                    latest = await self.status()
                    if (latest == "paused") == (text != "/resume"):
                        self.obeyed += 1
                        return

    async def status(self) -> str:
        """paused or resumed, as the last word of it was."""
        stream = self.names.of("out", MEETING)
        events = [json.loads(fields[b"json"]) for _, fields in await self.everything.xrange(stream)]
        kinds = [
            e["status"] for e in events if e["kind"] == "status" and e["status"] in {"paused", "resumed"}
        ]
        return str(kinds[-1]) if kinds else "resumed"


async def attack(seed: int, *, patience_s: float = 10.0, whole: bool = True) -> Outcome:
    """All of it; commands and positions by chance. What is not heard within `patience_s` is lost.

    Without `whole` only what is put again at once.
    """
    dice = random.Random(seed)
    async with servers() as ground, redis.Redis.from_url(ground.redis_url) as everything:
        async with at_work(ground, "default", "감자바위") as tenant:
            one = _Attack(ground, everything, dice, tenant, patience_s)
            captured, position = await _at_once(one)
            if not whole:
                return Outcome(one.tried, tuple(one.found))
            wish = await _wishes(one)
            await _waited(one)
        async with at_work(ground, "default", "감자바위") as tenant:
            one.tenant = tenant
            await tenant.reaches(MEETING, "live")
            await _copies(one, captured, position, "after a restart")
            await everything.flushall()
            await _copies(one, captured, position, "after Redis lost all")
            await _wish_again(one, wish, "after Redis lost all")
            await _ended(one, captured)
            refused = await _look(one)
    return Outcome(
        one.tried,
        tuple(one.found),
        {"lines_said_after_attempts": len(one.said), "refused_and_counted": refused, "obeyed": one.obeyed},
    )


async def _at_once(one: _Attack) -> tuple[bytes, str]:
    """A command, its effect, and copies of it while its meeting goes on."""
    tenant, ask = one.tenant, one.names.of("ask", MEETING)
    assert await tenant.http("POST", "/meetings", {"meeting_id": MEETING}) == 202
    await tenant.reaches(MEETING, "live")
    await one.say("at first")
    question = AskMessage(id=_QUESTION_ID, by="minji", text="출시 준비는 어떻게 되나요?")
    await tenant.bus.ask(MEETING, question)
    _, one.question = await one.capture(ask)
    assert await tenant.bus.wait_reply(MEETING, _QUESTION_ID, WITHIN_S) is not None
    await one.command(one.dice.choice(_COMMANDS))
    position, captured = await one.capture(ask)
    await one.speak(_SECRET)
    async with asyncio.timeout(WITHIN_S):
        async for _, event in tenant.bus.follow(MEETING):
            if event["kind"] == "gap" and event["reason"] == "off_record":
                break
    await one.command("/resume")
    await one.say("after the pause")
    await _copies(one, captured, position, "at once")
    await _changed(one, captured)
    return captured, position


async def _copies(one: _Attack, payload: bytes, position: str, when: str) -> None:
    """The same bytes, in every stream, at positions by Redis and by whoever writes."""
    ask = one.names.of("ask", MEETING)
    ms = int(position.partition("-")[0])
    newest = await one.everything.xrevrange(ask, count=1)
    last = int(newest[0][0].decode().partition("-")[0]) if newest else ms
    for place in ("*", position, f"{ms}-7", f"{max(ms, last)}-9", f"{max(ms, last) + 1}-0", "*"):
        await one.put(ask, payload, place)
        await one.put(ask, one.question)
        await one.say(f"{when}, a copy at {place}")
    for stream in (
        f"moim:ask:{MEETING}",
        one.names.of("in", MEETING),
        "moim:acme:ask:ten1",
        one.names.dispatch,
    ):
        await one.put(stream, payload)
    await one.say(f"{when}, a copy in other streams")


async def _changed(one: _Attack, payload: bytes) -> None:
    """A little changed, unsigned, signed as of old, signed long ago or for another time."""
    entry: dict[str, Any] = json.loads(payload)
    ask, token = one.names.of("ask", MEETING), one.tenant.environment["MOIM_API_TOKEN"]
    bare = {name: entry[name] for name in ("by", "text")}
    now = int(time.time() * 1000)
    signer = Signer(token)

    def signed(fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "sig": signer._signature(ask, fields)}

    forged = [
        {**entry, "id": "another"},
        {**entry, "at": now},
        {**entry, "at": str(entry["at"])},
        {**entry, "sig": entry["sig"].swapcase() + "0"},
        {name: entry[name] for name in entry if name != "sig"},
        signed({**bare, "id": "of old"}),
        signed({**bare, "at": now}),
        signed({**bare, "id": "long ago", "at": now - _HOUR_MS}),
        signed({**bare, "id": "to come", "at": now + _HOUR_MS}),
        Signer("another token").signed(ask, {**bare, "id": "other"}),
        signer.signed(one.names.of("ask", "another meeting"), {**bare, "id": "moved"}),
    ]
    for number, wrong in enumerate(forged):
        await one.put(ask, json.dumps(wrong).encode())
        await one.say(f"changed, number {number}")


async def _wishes(one: _Attack) -> bytes:
    """A wish for a room, its meeting's end, and copies of it."""
    await one.tenant.wishes.want(DispatchMessage(room="standup"))
    _, wish = await one.capture(one.names.dispatch)
    async with asyncio.timeout(WITHIN_S):
        while not (rows := await _in_room(one)):
            await asyncio.sleep(0.1)
    assert await one.tenant.http("POST", f"/meetings/{rows[0][0]}/end") == 202
    await _wish_again(one, wish, "at once")
    await one.tenant.wishes.want(DispatchMessage(room="standup"))  # one of its own is granted
    async with asyncio.timeout(WITHIN_S):
        while len(rows := await _in_room(one)) < 2:
            await asyncio.sleep(0.1)
    one.obeyed += len(rows)
    await one.tenant.http("POST", f"/meetings/{rows[0][0]}/end")
    return wish


async def _in_room(one: _Attack) -> list[tuple[str, str]]:
    rows = await one.tenant.shared.tables.registry.list_all()
    return [(row.id, row.status) for row in rows if row.room == "standup"]


async def _wish_again(one: _Attack, wish: bytes, when: str) -> None:
    before = await _in_room(one)
    at = json.loads(wish)["at"]
    for place in (f"{at}-999", "*", "*"):
        await one.put(one.names.dispatch, wish, place)
    marker = f"after-{one.dice.getrandbits(32):x}"
    await one.tenant.wishes.want(DispatchMessage(meeting_id=marker))  # what comes behind has been read
    await one.tenant.reaches(marker, "live")
    await asyncio.sleep(1)
    if (now := await _in_room(one)) != [(id_, "ended") for id_, _ in before]:
        one.found.append(f"{when}: a copy of a wish opened an ended meeting anew: {now}")


async def _waited(one: _Attack) -> None:
    """A command that was given an hour ago, while no worker was there, is obeyed; a late copy of it is not."""
    ask, at = one.names.of("ask", "waited"), int(time.time() * 1000) - _HOUR_MS
    entry = {"id": "early", "by": "minji", "text": "/pause", "at": at}
    token = one.tenant.environment["MOIM_API_TOKEN"]
    payload = json.dumps({**entry, "sig": Signer(token)._signature(ask, entry)}).encode()
    await one.everything.xadd(ask, {"json": payload}, id=f"{at + 5}-0")
    assert await one.tenant.http("POST", "/meetings", {"meeting_id": "waited"}) == 202
    statuses: list[str] = []
    async with asyncio.timeout(WITHIN_S):
        async for _, event in one.tenant.bus.follow("waited"):
            statuses += [event["status"]] if event["kind"] == "status" else []
            if "paused" in statuses:
                one.obeyed += 1
                break
    await one.put(ask, payload)


async def _ended(one: _Attack, captured: bytes) -> None:
    """A meeting that is over stays so, whatever is put into its streams."""
    await one.tenant.bus.end(MEETING)
    _, end = await one.capture(one.names.of("in", MEETING))
    await one.tenant.reaches(MEETING, "ended")
    for stream in (one.names.of("in", MEETING), one.names.of("ask", MEETING)):
        for payload in (end, captured):
            await one.put(stream, payload)
    await asyncio.sleep(2)
    row = await one.tenant.shared.tables.registry.get(MEETING)
    if row is None or row.status != "ended" or row.holder is not None:
        one.found.append(f"an ended meeting is {row}")


async def _look(one: _Attack) -> int:
    """The record has every line, one gap where the pause refused words, and not those words."""
    document = await one.tenant.document(MEETING)
    recorded = [each["text"].removesuffix(f" {one.tenant.word}") for each in document["utterances"]]
    if recorded != one.said:
        one.found.append(f"of {len(one.said)} lines {len(recorded)} are on the record")
    answered = [reply["invocation_id"] for reply in document["replies"]]
    if answered != [_QUESTION_ID]:
        one.found.append(f"one question was asked, and answered: {answered}")
    reasons = [gap["reason"] for gap in document["gaps"]]
    if reasons != ["off_record"]:
        one.found.append(f"what the pause refused is marked as {reasons}")
    if _SECRET in json.dumps(document, ensure_ascii=False):
        one.found.append("what was said off the record is on it")
    return sum(
        int(float(line.rsplit(b" ", 1)[1]))
        for line in generate_latest(one.tenant.shared.metrics.registry).splitlines()
        if line.startswith(b"moim_commands_refused_total{")
    )
