"""Two tenants with the same meeting ids on one Postgres and one Valkey, by every door: nothing seen, nothing changed.

One is `default`, the tenant that still reads keys of old. Both open the same ids (guessed, odd, and such as would
make one key out of two), speak, ask, export, follow, end, by Redis, HTTP, push and the command line. Then each
tries the other's keys with its own Redis user, and puts commands signed with its own token into the other's
streams as somebody could who has all rights there.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import NoPermissionError, RedisError

from tests.security.doors import Outcome
from tests.security.doors.house import Servers, Tenant, at_work, servers
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import StreamNames
from worker.messages import AskMessage, DispatchMessage

WORDS: Final = {"default": "감자바위", "acme": "고구마섬"}
_IDS: Final = (
    "ten1",
    "회의 1",
    "in:ten1",
    "default:in:ten1",
    "acme:ask:ten1",
    "acme/ten1",
    "*",
    "ten1 ten1",
)
_LINES: Final = ("출시일은 11월 20일로 결정하겠습니다.", "서버는 두 대를 더 삽니다.", "We ship on the 20th.")
_QUESTION: Final = "출시일이 언제로 결정됐지?"
_MARK: Final = "late"


async def attack(seed: int, *, meetings: int = 4) -> Outcome:
    """All of it, with so many ids, by chance."""
    dice = random.Random(seed)
    ids = ["ten1", *dice.sample(_IDS[1:], meetings - 1)]
    found: list[str] = []
    figures: dict[str, float | str] = {}
    async with servers() as ground, AsyncExitStack() as stack:
        tenants = [await stack.enter_async_context(at_work(ground, *each)) for each in WORDS.items()]
        for tenant in tenants:
            await _open(tenant, ids)
        await asyncio.gather(*(_live(tenant, ids) for tenant in tenants))
        keys = await _try_keys(ground, tenants, ids, found)
        forged = await _forge(ground, tenants, ids)
        for leaver, stayer in itertools.permutations(tenants):
            await _end(leaver, stayer, ids, found)
        await asyncio.sleep(1)  # what is pushed comes behind
        documents = [await _look(tenant, ids, found) for tenant in tenants]
        _compare(tenants, found)
        figures = {
            "meeting_ids_in_both": len(ids),
            "texts_seen": sum(len(tenant.seen) for tenant in tenants),
            "pushes": sum(len(tenant.hook.taken) for tenant in tenants),
            "foreign_keys_tried": keys,
            "foreign_commands_tried": forged,
            "utterances": sum(documents),
        }
    tried = int(figures["texts_seen"]) + int(figures["pushes"]) + keys + forged
    return Outcome(tried, tuple(found), figures)


async def _open(tenant: Tenant, ids: Sequence[str]) -> None:
    """By each of the ways: HTTP, the command line, Redis."""
    assert await tenant.http("POST", "/meetings", {"meeting_id": ids[0], "title": tenant.word}) == 202
    assert await tenant.command("dispatch", "--text", "--meeting", ids[1], "--title", tenant.word) == 0
    for meeting_id in ids[2:]:
        await tenant.wishes.want(DispatchMessage(meeting_id=meeting_id, title=tenant.word))
    for meeting_id in ids:
        await tenant.reaches(meeting_id, "live")


async def _live(tenant: Tenant, ids: Sequence[str]) -> None:
    """Words, questions and answers, by each way."""
    for meeting_id in ids:
        for number, line in enumerate(_LINES):
            await tenant.say(meeting_id, number, line)
        await tenant.heard(meeting_id, len(_LINES))
        question = AskMessage(id="q1", by=f"minji {tenant.word}", text=_QUESTION)  # the same id, too
        await tenant.bus.ask(meeting_id, question)
        reply = await tenant.bus.wait_reply(meeting_id, "q1", 60)
        tenant.seen.append(json.dumps(reply, ensure_ascii=False))
        assert reply is not None, (tenant.name, meeting_id)
    assert await tenant.http("POST", f"/meetings/{ids[0]}/ask", {"text": _QUESTION, "by": "http"}) == 200
    assert await tenant.http("GET", "/meetings?limit=100") == 200
    document = tenant.shared.settings.process.state_dir.parent / f"{tenant.name}.md"
    document.write_text(f"# 가격표\n\n서버 한 대는 300만 원입니다 {tenant.word}.\n", encoding="utf-8")
    codes = await asyncio.gather(
        tenant.command("docs", "add", str(document)),
        tenant.command("ask", ids[0], _QUESTION, "--json"),
        tenant.command("thread", ids[0], "--json"),
        tenant.command("export", ids[1], "--format", "md"),
        tenant.command("meetings", "--json"),
    )
    assert codes == [0] * 5, (tenant.name, codes, tenant.seen[-5:])
    assert await tenant.command("docs", "list", "--json") == 0


async def _try_keys(ground: Servers, tenants: Sequence[Tenant], ids: Sequence[str], found: list[str]) -> int:
    """The other's keys, with one's own user: each is to be refused."""
    tried = 0
    for thief, owner in itertools.permutations(tenants):
        names = StreamNames(owner.name)
        keys = [names.of(kind, id_) for kind in ("in", "ask", "out", "seq") for id_ in ids]  # type: ignore[arg-type]  # a literal
        for key in [*keys, names.dispatch, names.reply("http-1")]:
            for command in _reaching(key):
                tried += 1
                if await _allowed(thief.own_redis, command):
                    found.append(f"{thief.name} may {' '.join(map(str, command))}")
        for command in (("KEYS", "*"), ("SCAN", "0"), ("FLUSHALL",), ("MONITOR",), ("ACL", "LIST"), ("CONFIG", "GET", "*"),
                        ("CLIENT", "LIST"), ("SUBSCRIBE", "x"), ("SWAPDB", "0", "1"), ("RANDOMKEY",)):  # fmt: skip
            tried += 1
            if await _allowed(thief.own_redis, command):
                found.append(f"{thief.name} may {' '.join(command)}")
    async with redis.Redis.from_url(ground.redis_url) as everything:
        for key in await everything.keys("moim:*"):
            owner_name = key.decode().split(":")[1]
            if owner_name not in {"default", "acme"}:
                found.append(f"a key of nobody: {key.decode()}")
    return tried


def _reaching(key: str) -> list[tuple[Any, ...]]:
    name = key.encode("utf-8", "surrogatepass")
    return [
        ("XADD", name, "*", "json", "{}"),
        ("XREAD", "STREAMS", name, "0"),
        ("XRANGE", name, "-", "+"),
        ("XREVRANGE", name, "+", "-"),
        ("XREADGROUP", "GROUP", "g", "c", "STREAMS", name, ">"),
        ("XGROUP", "CREATE", name, "g", "0", "MKSTREAM"),
        ("EXPIRE", name, "1"),
        ("GET", name),
        ("EVAL", "return redis.call('DEL', KEYS[1])", "1", name),
        ("EVAL", f"return redis.call('XRANGE', 'moim:{key.split(':', 1)[1]}', '-', '+')", "0"),
        ("DEL", name),
        ("COPY", name, "moim:stolen"),
    ]


async def _allowed(client: redis.Redis, command: Sequence[Any]) -> bool:
    try:
        await client.execute_command(*command)
    except NoPermissionError:
        return False
    except RedisError as error:
        return "permission" not in str(error).lower() and "ACL failure" not in str(error)
    return True


async def _forge(ground: Servers, tenants: Sequence[Tenant], ids: Sequence[str]) -> int:
    """With all rights in Redis, and the token of one: commands into the other's streams."""
    tried = 0
    async with redis.Redis.from_url(ground.redis_url) as everything:
        for thief, owner in itertools.permutations(tenants):
            mine, theirs = StreamNames(thief.name), StreamNames(owner.name)
            signer = Signer(thief.environment["MOIM_API_TOKEN"])
            for meeting_id, kind in itertools.product(ids, ("ask", "in")):
                entry: dict[str, Any] = {"end": True}
                if kind == "ask":
                    entry = {"id": "forged", "by": thief.word, "text": "/leave"}
                stream = theirs.of(kind, meeting_id)  # type: ignore[arg-type]  # a literal
                for signed_for in (stream, mine.of(kind, meeting_id)):  # type: ignore[arg-type]  # a literal
                    tried += 1
                    text = json.dumps(signer.signed(signed_for, entry))
                    await everything.xadd(stream.encode("utf-8", "surrogatepass"), {"json": text})
            for wish in ({"meeting_id": "forged"}, {"meeting_id": "forged", "tenant": owner.name}):
                tried += 1
                await everything.xadd(
                    theirs.dispatch, {"json": json.dumps(signer.signed(theirs.dispatch, wish))}
                )
        await asyncio.sleep(1)
    return tried


async def _end(leaver: Tenant, stayer: Tenant, ids: Sequence[str], found: list[str]) -> None:
    """One ends its meetings, by each way; the other's go on (the second time, they are over already)."""
    before = {meeting_id: await stayer.status(meeting_id) for meeting_id in ids}
    assert await leaver.http("POST", f"/meetings/{ids[0]}/end") == 202
    assert await leaver.command("end", ids[1]) == 0
    for meeting_id in ids[2:]:
        await leaver.bus.end(meeting_id)
    for meeting_id in ids:
        await leaver.reaches(meeting_id, "ended")
        if (now := await stayer.status(meeting_id)) != before[meeting_id]:
            found.append(f"{leaver.name} ended {meeting_id!r}: {stayer.name}'s is {now}")
        if before[meeting_id] == "live":
            await stayer.say(meeting_id, len(_LINES), _MARK)
            await stayer.heard(meeting_id, len(_LINES) + 1)


async def _look(tenant: Tenant, ids: Sequence[str], found: list[str]) -> int:
    """Its meetings are what it said, asked and was answered, and no more."""
    utterances = 0
    for meeting_id in ids:
        document = await tenant.document(meeting_id)
        said = [each["text"] for each in document["utterances"]]
        utterances += len(said)
        expected = [f"{line} {tenant.word}" for line in (*_LINES, _MARK)][: len(said)]
        if said != expected or len(said) < len(_LINES):
            found.append(f"{tenant.name} {meeting_id!r}: other words: {said}")
        asked = {reply["invocation_id"] for reply in document["replies"]}
        if "forged" in asked or len(document["replies"]) > 3:
            found.append(f"{tenant.name} {meeting_id!r}: other answers: {asked}")
        if document["gaps"]:
            found.append(f"{tenant.name} {meeting_id!r}: gaps {document['gaps']}")
        async for _, event in _all_live(tenant, meeting_id):
            tenant.seen.append(json.dumps(event, ensure_ascii=False))
    if await tenant.status("forged") != "unknown":
        found.append(f"{tenant.name}: a wish of another tenant was granted")
    await tenant.command("meetings", "--json")
    await tenant.command("export", ids[0], "--format", "json")
    return utterances


async def _all_live(tenant: Tenant, meeting_id: str) -> Any:
    entries = await tenant.own_redis.xrange(StreamNames(tenant.name).of("out", meeting_id).encode())
    for position, fields in entries:
        yield position, json.loads(fields[b"json"])


def _compare(tenants: Sequence[Tenant], found: list[str]) -> None:
    """Does anybody's door show another's word?"""
    for one, other in itertools.permutations(tenants):
        pushed = [json.dumps(body, ensure_ascii=False) for body in one.hook.taken]
        for text in [*one.seen, *pushed]:
            if other.word in text:
                at = text.index(other.word)
                found.append(f"{one.name} saw {other.name}'s: …{text[max(0, at - 80) : at + 40]}…")
        if one.hook.forged:
            found.append(f"{one.name}'s webhook got {one.hook.forged} pushes that it does not know")
        if not [text for text in pushed if one.word in text]:
            found.append(f"{one.name}'s webhook got nothing: the search would find nothing")
        if not [text for text in one.seen if one.word in text]:
            found.append(f"{one.name} saw nothing of its own: the search would find nothing")
    ids = [(tenant.name, body["id"]) for tenant in tenants for body in tenant.hook.taken]
    shared = len({id_ for _, id_ in ids}) - len(set(ids))
    if shared:
        found.append(f"{-shared} pushes of two tenants have the same id")
