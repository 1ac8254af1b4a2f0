"""A meeting's streams in Redis: segments and questions come in, live events go out.

`redis_streams` owns the names of the streams, and says what is in each. Where a token is given, questions
and commands are signed (`redis_signatures`), and what is not so signed is refused.

Input is read without consumer groups: how far it was read is part of the meeting's own record, so that what
was read and what is recorded never part. The record is in Postgres: while Redis is away a meeting goes on,
`away` says so, publishing fails at once instead of waiting (`RedisOutlet` keeps what followers have not
got), and reading goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from worker.adapters.redis_connection import BLOCK_MS, RedisConnection
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import DEFAULT_NAMES, Kind, StreamNames, encoded
from worker.clock import now_utc
from worker.messages import (
    AskMessage,
    ConsentMessage,
    CorrectionMessage,
    InputEntry,
    SegmentMessage,
    Unsigned,
    read_ask,
    read_input,
)

OUT_CAP: Final = 10_000
"""About so many entries of an output stream are kept."""
_OUT_KEPT_S: Final = 7 * 24 * 3600
"""An output stream expires a week after its last event, input a week after the meeting's end."""
_PROBE_MS: Final = 50
"""A read blocks for so long at most while Redis is away, so that its answer soon says that it is back."""
_ENTRIES_AT_ONCE: Final = 50
_REPLY_KEPT_S: Final = 120
_PASSING_CAP: Final = 50
_PASSING_KEPT_S: Final = 120

_PUBLISH: Final = """
if ARGV[4] == '1' then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 200)) do
    local json = entry[2][2]
    if string.sub(json, -#ARGV[1]) == ARGV[1] then
      return {tonumber(string.match(json, '"seq":(%d+)')), entry[1]}
    end
  end
end
local seq = redis.call('INCR', KEYS[2])
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*',
                      'json', '{"seq":' .. string.format('%.0f', seq) .. ',' .. ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return {seq, id}
"""
"""Lua: add a live event under the next number in one step, so that numbers rise without a gap.

The keys are a stream and its counter. The arguments are the event without its `{`, the stream's cap, its
life in seconds, and whether this is another try: then the event may be there already, as its answer alone
was lost.
"""


class RedisBus(RedisConnection):
    """One tenant's meetings in Redis (≥ 7) or Valkey. Nothing is connected before the first call.

    Writing raises `Unavailable` or `Refused`; what reads for ever waits out an outage.
    """

    def __init__(
        self,
        url: str,
        *,
        names: StreamNames = DEFAULT_NAMES,
        token: str = "",
        on_away: Callable[[bool], None] = lambda _away: None,
        on_refused: Callable[[str], None] = lambda _stream: None,
    ) -> None:
        """`names`: the tenant's. `on_away` is called when Redis goes (True) and when it is back (False).

        With a `token` commands are signed, and refused where they are not; `on_refused` is told the kind of
        stream (`ask`, `in`) of each that was refused.
        """
        super().__init__(url, on_away=on_away)
        self._names, self._signer = names, Signer(token)
        self.refused = on_refused
        """It is called with the kind of stream for a command that nobody may give, or that is a copy."""
        self._publish = self.quick.register_script(_PUBLISH)

    async def put(self, meeting_id: str, event: bytes, *, again: bool = False) -> int:
        """Append a `live_event`, and return its number in the stream.

        `again`: a try with the same bytes failed, or only seemed to. Raises `Unavailable`, at once if Redis
        failed a moment ago.
        """
        self.demand_calm()
        keys = [encoded(self._names.of("out", meeting_id)), encoded(self._names.of("seq", meeting_id))]
        writing = self._publish(keys=keys, args=[event[1:], OUT_CAP, _OUT_KEPT_S, int(again)])
        seq, _ = await self.do(writing)
        return int(seq)

    async def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        """Yield all entries behind `positions` (stream → last one read), and every later one. Never ends.

        An entry that is malformed or refused comes as `Malformed`, with the reason.
        """
        streams = input_streams(self._names, meeting_id)
        async for stream, position, payload in self._follow({s: positions.get(s, "0") for s in streams}):
            kind = streams[stream]
            message = READERS[kind](payload, partial(self._signer.fault, stream, position))
            if isinstance(message, Unsigned):
                self.refused(kind)
            yield InputEntry(stream, position, message)

    async def follow(self, meeting_id: str, after: str = "0") -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Yield position and content of every live event behind `after` (`$`: from now on). Never ends."""
        async for _, position, payload in self._follow({self._names.of("out", meeting_id): after}):
            if event := entry_of(payload):
                yield position, event

    async def pass_on(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Show something of the moment (an interim, what is degraded) to who watches now; raises as `put`."""
        key, event = encoded(self._names.of("passing", meeting_id)), live_event(kind, fields)
        await self.append_passing(key, event, kept_s=_PASSING_KEPT_S, cap=_PASSING_CAP)

    async def watch(self, meeting_id: str) -> AsyncIterator[dict[str, Any] | None]:
        """Yield from now on None for each live event, and the content of what is passed on. Never ends."""
        passing = self._names.of("passing", meeting_id)
        streams = (self._names.of("out", meeting_id), passing)
        # By their numbers: "$" would be the end anew at each read, and what came between two would be missed.
        start = {name: await self.until_there(partial(self._newest, name), name) for name in streams}
        async for stream, _, payload in self._follow(start):
            if stream != passing:
                yield None
            elif event := entry_of(payload):
                yield event

    async def send_segment(self, meeting_id: str, segment: SegmentMessage) -> str:
        """Say something in a meeting; return the entry's position."""
        return await self._send("in", meeting_id, segment.model_dump(exclude_none=True))

    async def correct(self, meeting_id: str, correction: CorrectionMessage) -> str:
        """Put something right in a live meeting; return the entry's position."""
        return await self._send("in", meeting_id, correction.model_dump(mode="json"), signed=True)

    async def end(self, meeting_id: str) -> str:
        """Say that a text meeting is over; return the entry's position."""
        return await self._send("in", meeting_id, {"end": True}, signed=True)

    async def ask(self, meeting_id: str, question: AskMessage | ConsentMessage) -> str:
        """Ask the agent (see `wait_reply`), or tell it who may be heard; return the entry's position."""
        return await self._send("ask", meeting_id, question.model_dump(), signed=True)

    async def wait_reply(
        self, meeting_id: str, invocation_id: str, timeout_s: float
    ) -> dict[str, Any] | None:
        """Wait for the reply to an invocation, which may be there already; None when none came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                async for _, event in self.follow(meeting_id):
                    if event.get("kind") == "reply" and event.get("invocation_id") == invocation_id:
                        return event
        return None

    async def publish_reply(self, invocation_id: str, entry: Mapping[str, Any]) -> None:
        """Publish a piece of an answer (`{"text"}`) or the whole of it (`{"reply"}`) to who follows it."""
        key = encoded(self._names.reply(invocation_id))
        await self.append_passing(key, _json(entry), kept_s=_REPLY_KEPT_S)

    async def forget_inputs(self, meeting_id: str) -> None:
        """Let the input streams of a meeting that is over expire a week from now."""
        pipe = self.quick.pipeline(transaction=False)
        for stream in input_streams(self._names, meeting_id):
            pipe.expire(encoded(stream), _OUT_KEPT_S)
        await self.do(pipe.execute())

    async def drop(self, stream: str, positions: Sequence[str]) -> None:
        """Delete these entries of an input stream."""
        await self.do(self.quick.xdel(encoded(stream), *positions))

    async def forget(
        self,
        meeting_id: str,
        utterances: frozenset[int],
        positions: Mapping[str, str],
        *,
        made: bool = True,
        asked: Collection[str] = (),
    ) -> None:
        """Delete from the streams what shows these turns, and all input that was read.

        `made`: also what was made of any words (topics, replies); what is made again of the rest is published
        anew. `asked`: the ids of the questions whose answers go with them as they grew. `positions`: stream →
        the last entry that was read of it.
        """
        do, redis = self.do, self.quick
        out = encoded(self._names.of("out", meeting_id))
        entries = await do(redis.xrange(out))
        gone = [
            at for at, fields in entries if tells_of(entry_of(fields.get(b"json")), utterances, made=made)
        ]
        if gone:
            await do(redis.xdel(out, *gone))
        await do(redis.delete(encoded(self._names.of("passing", meeting_id))))
        if asked:
            await do(redis.delete(*(encoded(self._names.reply(question_id)) for question_id in asked)))
        for stream in input_streams(self._names, meeting_id):
            if (position := positions.get(stream)) is not None:
                await do(redis.xtrim(encoded(stream), minid=position, approximate=False))
                await do(redis.xdel(encoded(stream), position))

    async def newest(self, meeting_id: str) -> str:
        """Return the position of the meeting's last live event, to `follow` from; `0` where there is none."""
        return await self._newest(self._names.of("out", meeting_id))

    async def follow_reply(
        self, meeting_id: str, invocation_id: str, after: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield `{"text"}` for each piece of an answer, then `{"reply"}`; there it ends.

        `after`: what `newest` gave before the question was asked.
        A reply that Redis could not take when it was given comes by the meeting's own stream, once Redis is
        back (`RedisOutlet`).
        """
        growing = self._names.reply(invocation_id)
        streams = {growing: "0", self._names.of("out", meeting_id): after}
        async for stream, _, payload in self._follow(streams):
            entry = entry_of(payload)
            if stream == growing:
                yield entry
            elif entry.get("kind") == "reply" and entry.get("invocation_id") == invocation_id:
                yield {"reply": {name: entry[name] for name in entry if name not in {"kind", "seq", "at"}}}
                return
            if "reply" in entry:
                return

    async def ping(self) -> None:
        """Ask Redis whether it is there. Raises `Unavailable` or `Refused`."""
        await self.do(self.quick.ping())

    async def _send(
        self, kind: Kind, meeting_id: str, fields: dict[str, Any], *, signed: bool = False
    ) -> str:
        stream = self._names.of(kind, meeting_id)
        if signed:
            fields = self._signer.signed(stream, fields)
        return await self.append(encoded(stream), fields)

    async def _newest(self, stream: str) -> str:
        entries = await self.do(self.quick.xrevrange(encoded(stream), count=1))
        return entries[0][0].decode() if entries else "0"

    async def _follow(self, start: Mapping[str, str]) -> AsyncIterator[tuple[str, str, bytes | None]]:
        """Yield the entries of some streams as they come: stream, position, the field `json`."""
        names = {encoded(stream): stream for stream in start}
        places: dict[Any, Any] = {encoded(stream): position for stream, position in start.items()}

        async def read_on() -> Any:
            block_ms = _PROBE_MS if self.away else BLOCK_MS  # an answer soon says that it is back
            return await self.do(self.patient.xread(places, count=_ENTRIES_AT_ONCE, block=block_ms))

        while True:
            for key, entries in await self.until_there(read_on, ", ".join(start)) or ():
                for position, fields in entries:
                    places[key] = position
                    yield names[key], position.decode(), (fields or {}).get(b"json")


READERS: Final = {"in": read_input, "ask": read_ask}
"""What reads the entries of each kind of input stream."""


def input_streams(names: StreamNames, meeting_id: str) -> dict[str, Kind]:
    """Return the streams that a meeting's input comes by: name → kind."""
    kinds: tuple[Kind, ...] = ("in", "ask")
    return {names.of(kind, meeting_id): kind for kind in kinds}


def live_event(kind: str, fields: Mapping[str, Any]) -> bytes:
    """Return the JSON of an event that happens now, as followers read it but for its number."""
    return _json({"kind": kind, "at": now_utc().isoformat(timespec="milliseconds"), **fields})


def _json(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, default=str).encode("utf-8", "replace")


def tells_of(entry: Mapping[str, Any], utterances: frozenset[int], *, made: bool) -> bool:
    """Tell whether a live event shows one of these turns or, with `made`, something made of any words."""
    match entry.get("kind"):
        case "utterance":
            return entry.get("id") in utterances
        case "status":
            return made and entry.get("status") == "said"
        case kind:
            return made and kind in {"topic", "reply"}


def entry_of(payload: bytes | None) -> dict[str, Any]:
    """Return the content of an entry; empty where it is no JSON object, as somebody else put it there."""
    with suppress(ValueError, TypeError):
        entry = json.loads(payload or b"")
        if isinstance(entry, dict):
            return entry
    return {}
