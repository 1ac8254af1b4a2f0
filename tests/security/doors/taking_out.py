"""Every way by which words can be taken out, tried by who may and who may not, on meetings of four kinds.

In each meeting Alice, Ben and Minji have said one word each that nobody else says. In the plain one nothing else
happened; in another somebody moved Alice's line to Ben; in a third Minji was merged into Alice; a fourth is on
hold. Whose words they are is the same in all of them. What got in: a word that is gone, or hidden, without
its speaker's or an administrator's right; one that is not gone although its speaker wished so; one that is gone
from a meeting on hold; an erasure in the audit log by somebody who was not authenticated.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from tests.security.doors import Outcome
from tests.security.doors.house import WITHIN_S, Tenant, at_work, servers
from worker.messages import AskMessage, SegmentMessage
from worker.web.viewers import COOKIE

KINDS: Final = ("plain", "moved", "merged", "held")
Kind = Literal["plain", "moved", "merged", "held"]
PEOPLE: Final = ("alice", "ben", "minji")
_PAGES: Final = "a-pages-token-that-is-long-enough"
_CLAIMED: Final = "김민지"
_SETTLED_S: Final = 3.0
"""After this nothing more is expected to vanish: a holder looks for wishes every two seconds."""
_AT_ONCE: Final = 8


@dataclass
class _Meeting:
    """One meeting, and who attacks it."""

    tenant: Tenant
    id: str
    headers: dict[str, dict[str, str]]
    """The headers of requests, by who sends them."""
    words: dict[str, str] = field(default_factory=dict)
    """Who said it → the word."""

    async def send(self, who: str, method: str, path: str, body: Any = None) -> tuple[int, Any, Any]:
        """Status, JSON and cookies of an answer."""
        headers = {**self.headers.get(who, {}), "Origin": self.tenant.base}
        url = f"{self.tenant.base}/v1{path.replace('{id}', self.id)}"
        async with self.tenant.client.request(method, url, headers=headers, json=body) as answer:
            return answer.status, await answer.json(), answer.cookies

    async def erase(self, who: str, **wish: Any) -> None:
        """Ask for an erasure over HTTP, under a name that somebody else has."""
        await self.send(who, "POST", "/meetings/{id}/erasures", {"by": _CLAIMED, **wish})

    async def chat(self, who: str, text: str) -> None:
        """Write to the agent, as `who`."""
        await self.tenant.bus.ask(self.id, AskMessage(id=uuid.uuid4().hex, by=who, text=text))

    async def say(self, who: str, text: str, number: int) -> None:
        """A turn, of which LiveKit or a program says whose it is."""
        segment = SegmentMessage(
            id=f"s{number}", speaker=who, text=text, start_ms=number * 5000, end_ms=number * 5000 + 4000
        )
        await self.tenant.bus.send_segment(self.id, segment)

    async def document(self) -> Any:
        """The meeting as it can be read by whoever may see most."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                status, shape, _ = await self.send("program", "GET", "/meetings/{id}/export")
                if status == 200:  # only some exports are made at once
                    return shape
                await asyncio.sleep(0.3)

    async def left(self) -> tuple[frozenset[str], frozenset[str]]:
        """Whose words can be read, and whose are hidden, whomever they are shown under."""
        shape = await self.document()
        text = str(shape)
        hidden = {each["id"] for each in shape["utterances"] if each.get("hidden")}
        numbers = {who: number for number, who in enumerate(PEOPLE, 1)}
        return (
            frozenset(who for who, word in self.words.items() if word in text),
            frozenset(who for who in PEOPLE if numbers[who] in hidden),
        )

    async def keeps(self, who: str) -> bool:
        """Whether somebody's word is still in the store after what was wished has had its time."""
        try:
            async with asyncio.timeout(WITHIN_S):
                while self.words[who] in str((await self.send("program", "GET", f"/people/{who}"))[1]):
                    await asyncio.sleep(0.3)
        except TimeoutError:
            return True
        return False


class _Way(NamedTuple):
    """A way of taking words out, and what may come of it in a meeting that is not on hold."""

    act: Callable[[_Meeting], Awaitable[None]]
    gone: str = ""
    """Whose words are erased by it."""
    hidden: str = ""
    """Whose are hidden."""
    actor: str = ""
    """By whom, in the audit log; empty: nothing is erased."""


async def _command(meeting: _Meeting, *arguments: str) -> None:
    await meeting.tenant.command(
        "erase", "--meeting", meeting.id, *arguments, "--by", _CLAIMED, "--wait", "3"
    )


async def _consent(meeting: _Meeting) -> None:
    body = {"person": "ben", "agreed": False, "erase": True, "by": _CLAIMED}
    await meeting.send("user", "POST", "/meetings/{id}/consent", body)


async def _everywhere(meeting: _Meeting) -> None:
    for who in ("edit", "session", "user"):
        await meeting.send(who, "POST", "/erasures", {"by": _CLAIMED, "person": "minji"})


async def _lift(meeting: _Meeting) -> None:
    for who in ("view", "edit", "session", "user"):
        await meeting.send(who, "POST", "/meetings/{id}/retention", {"held": False, "keep_days": 1})
    await meeting.erase("user", person="ben")


_ALL: Final = list(range(1, 10_001))
_OFF_ALL: Final = "모임, 오프 더 레코드"
WAYS: Final[Mapping[str, _Way]] = {
    "a guest erases everything": _Way(lambda m: m.erase("edit", everything=True)),
    "a guest names ten thousand lines": _Way(lambda m: m.erase("edit", utterances=_ALL)),
    "a guest names a person": _Way(lambda m: m.erase("edit", person="ben")),
    "a guest names a person and all lines": _Way(lambda m: m.erase("edit", person="guest", utterances=_ALL)),
    "who may look names a line": _Way(lambda m: m.erase("view", utterances=[2])),
    "a session of the pages names all lines": _Way(lambda m: m.erase("session", utterances=_ALL)),
    "a session of the pages names a person": _Way(lambda m: m.erase("session", person="alice")),
    "a user names all lines": _Way(lambda m: m.erase("user", utterances=_ALL)),
    "a user names another": _Way(lambda m: m.erase("user", person="alice", people=["ben"])),
    "a user confirms another's lines": _Way(lambda m: m.erase("user", person="ben", utterances=[1, 3])),
    "a user erases what he said": _Way(lambda m: m.erase("user", person="ben"), "ben", actor="user ben"),
    "a user names his own line": _Way(lambda m: m.erase("user", utterances=[2]), "ben", actor="user ben"),
    "a user refuses, and erases": _Way(_consent, "ben", actor="user ben"),
    "others erase across meetings": _Way(_everywhere),
    "others lift the hold first": _Way(_lift, "ben", actor="user ben"),
    "somebody goes off the record by voice": _Way(lambda m: m.say("alice", _OFF_ALL, 9)),
    "somebody goes off the record": _Way(lambda m: m.chat("alice", "/off")),
    "somebody takes back four hours": _Way(
        lambda m: m.chat("alice", "/off 240m"), "alice", "ben minji", "participant alice"
    ),
    "somebody refuses, and erases": _Way(
        lambda m: m.chat("alice", "/me no erase"), "alice", actor="participant alice"
    ),
    "somebody erases what is not hidden": _Way(lambda m: m.chat("ben", "/me erase")),
    "a program erases a person": _Way(lambda m: m.erase("program", person="alice"), "alice", actor="program"),
    "a program erases everything": _Way(
        lambda m: m.erase("program", everything=True), "alice ben minji", actor="program"
    ),
    "an operator erases a person": _Way(lambda m: _command(m, "--person", "ben"), "ben", actor="operator "),
    "an operator confirms another id": _Way(
        lambda m: _command(m, "--person", "alice", "--also", "minji"), "alice minji", actor="operator "
    ),
}


async def attack(seed: int) -> Outcome:
    """Try each way on each kind of meeting; `seed` draws nothing."""
    del seed
    settings = {
        "MOIM_PAGES_TOKEN": _PAGES,
        "MOIM_PAGES_USER_HEADER": "X-Forwarded-User",
        "MOIM_PAGES_PROXIES": "127.0.0.1",
    }
    places = asyncio.Semaphore(_AT_ONCE)
    async with servers() as ground, at_work(ground, "ten1", "x", **settings) as tenant:

        async def one(number: int, name: str, kind: Kind) -> list[str]:
            async with places:
                return await _tried(tenant, f"m-{number}", name, kind)

        wanted = [(name, kind) for name in WAYS for kind in KINDS]
        found = await asyncio.gather(*(one(n, name, kind) for n, (name, kind) in enumerate(wanted)))
    got_in = tuple(fault for faults in found for fault in faults)
    return Outcome(tried=len(wanted), got_in=got_in, figures={"ways": len(WAYS), "kinds": len(KINDS)})


async def _tried(tenant: Tenant, meeting_id: str, name: str, kind: Kind) -> list[str]:
    """One way on one meeting; what is wrong with what came of it."""
    meeting = await _begun(tenant, meeting_id, kind)
    way = WAYS[name]
    everybody = frozenset(PEOPLE)
    gone, hidden = frozenset(way.gone.split()), frozenset(way.hidden.split())
    if kind == "held":
        gone = hidden = frozenset()
    await way.act(meeting)
    async with asyncio.timeout(WITHIN_S):
        while gone | hidden and everybody - (await meeting.left())[0] != gone | hidden:
            await asyncio.sleep(0.2)
    await asyncio.sleep(_SETTLED_S)
    readable, are_hidden = await meeting.left()
    faults = [f"{name}, {kind}: the store has {who}'s" for who in gone | hidden if await meeting.keeps(who)]
    if readable != everybody - gone - hidden:
        faults.append(f"{name}, {kind}: {sorted(readable)} can be read")
    if are_hidden != hidden:
        faults.append(f"{name}, {kind}: {sorted(are_hidden)} are hidden")
    _, log, _ = await meeting.send("program", "GET", f"/audit?meeting_id={meeting.id}&limit=200")
    erased = {row["who"] for row in log["entries"] if (row["how"], row["action"]) == ("meeting", "erased")}
    if any(not way.actor or not who.startswith(way.actor) for who in erased) or bool(gone) != bool(erased):
        faults.append(f"{name}, {kind}: erased by {sorted(erased)}")
    await meeting.send("program", "POST", "/meetings/{id}/end")
    return faults


async def _begun(tenant: Tenant, meeting_id: str, kind: Kind) -> _Meeting:
    """A meeting of this kind, with its three lines on record, and everybody's credentials."""
    token = tenant.environment["MOIM_API_TOKEN"]
    headers = {"program": {"Authorization": f"Bearer {token}"}, "user": {"X-Forwarded-User": "ben"}}
    meeting = _Meeting(tenant, meeting_id, headers)
    await meeting.send("program", "POST", "/meetings", {"meeting_id": meeting_id})
    for number, who in enumerate(PEOPLE, 1):
        meeting.words[who] = f"두루미{meeting_id}{who}"
        await meeting.say(who, f"{meeting.words[who]} 이야기를 해 봅시다.", number)
    await tenant.heard(meeting_id, len(PEOPLE))
    for who, edit in (("view", False), ("edit", True)):
        _, made, _ = await meeting.send("program", "POST", "/meetings/{id}/links", {"edit": edit})
        await _sign_in(meeting, who, {"link": made["path"].partition("#link=")[2]})
    await _sign_in(meeting, "session", {"token": _PAGES})
    fix = {
        "moved": {
            "of": "utterance", "utterance": 1, "text": f"{meeting.words['alice']} 이야기를 해 봅시다.", "was": "",
            "speaker": "ben",
        },
        "merged": {"of": "person", "person": "minji", "name": "Alice", "was": "minji", "into": "alice"},
    }.get(kind)  # fmt: skip
    if fix is not None:
        status, answer, _ = await meeting.send(
            "edit", "PATCH", "/meetings/{id}", {"by": _CLAIMED, "fix": fix}
        )
        assert status == 202, answer
        async with asyncio.timeout(WITHIN_S):
            while not await _is_shown(meeting, kind):
                await asyncio.sleep(0.1)
    if kind == "held":
        await meeting.send("program", "POST", "/meetings/{id}/retention", {"held": True})
    return meeting


async def _sign_in(meeting: _Meeting, who: str, body: Mapping[str, str]) -> None:
    status, answer, cookies = await meeting.send(who, "POST", "/session", body)
    assert status == 200, answer
    meeting.headers[who] = {"Cookie": f"{COOKIE}={cookies[COOKIE].value}"}


async def _is_shown(meeting: _Meeting, kind: Kind) -> bool:
    """Whether the correction is on the record."""
    speakers = [each["speaker"] for each in (await meeting.document())["utterances"]]
    return speakers == (["ben", "ben", "minji"] if kind == "moved" else ["alice", "ben", "alice"])
