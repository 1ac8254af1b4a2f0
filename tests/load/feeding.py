"""Speaks in many text meetings at real pace, and reads off the streams when each turn was out.

Both moments are Redis' own: the number of an entry of a stream begins with the millisecond in which
the server took it. So nobody has to read along while the load runs, and how busy the feeder is
changes nothing in the figures.
"""

from __future__ import annotations

import asyncio
import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import redis.asyncio as redis

from tests.load.talk import Line, talk
from worker.clock import monotonic_s

_AT_ONCE = 200


@dataclass(slots=True)
class Fed:
    """One meeting: what was said in it, and when Redis had it (ms of its clock)."""

    number: int
    meeting_id: str
    lines: Iterator[Line]
    sent_ms: dict[str, int] = field(default_factory=dict)
    """By the turn's id; what was said before the measured time is not in it."""
    base_s: float = 0.0
    """Meeting time at which the real pace begins."""
    next: Line | None = None


class Feeder:
    """Holds the talk of all meetings."""

    def __init__(self, client: redis.Redis, meetings: list[str], seed: int) -> None:
        self.client = client
        self.meetings = [Fed(number, name, talk(number, seed)) for number, name in enumerate(meetings)]

    async def tell_history(self, turns: int) -> int:
        """What was said before, at once; how much it is."""
        for fed in self.meetings:
            said = list(islice(fed.lines, turns))
            async with self.client.pipeline(transaction=False) as pipe:
                for line in said:
                    _add(pipe, fed.meeting_id, line)
                await pipe.execute()
            fed.base_s = said[-1].end_ms / 1000 if said else 0.0
        return turns * len(self.meetings)

    async def speak(self, seconds: float) -> float:
        """Everybody talks for `seconds`; how late the feeder was with a turn at worst, in seconds."""
        began_s, late_s = monotonic_s(), 0.0
        due: list[tuple[float, int]] = []
        for number, fed in enumerate(self.meetings):
            fed.next = next(fed.lines)
            heapq.heappush(due, (fed.next.end_ms / 1000 - fed.base_s, number))
        while due and due[0][0] < seconds:
            now_s = monotonic_s() - began_s
            if due[0][0] > now_s:
                await asyncio.sleep(due[0][0] - now_s)
                continue
            late_s = max(late_s, now_s - due[0][0])
            spoken: list[Fed] = []
            async with self.client.pipeline(transaction=False) as pipe:
                while due and due[0][0] <= now_s and len(spoken) < _AT_ONCE:
                    fed = self.meetings[heapq.heappop(due)[1]]
                    assert fed.next is not None
                    _add(pipe, fed.meeting_id, fed.next)
                    spoken.append(fed)
                positions = await pipe.execute()
            for fed, position in zip(spoken, positions, strict=True):
                assert fed.next is not None
                fed.sent_ms[f"t{fed.next.number}"] = _ms(position)
                fed.next = next(fed.lines)
                heapq.heappush(due, (fed.next.end_ms / 1000 - fed.base_s, fed.number))
        await asyncio.sleep(max(0.0, seconds - (monotonic_s() - began_s)))
        return late_s

    async def out(self) -> dict[str, int]:
        """Utterances out so far, by meeting."""
        return {fed.meeting_id: len(await self._utterances(fed)) for fed in self.meetings}

    async def lags_ms(self) -> tuple[list[int], int, int]:
        """From a turn in the stream to its utterance out, each; how many never came out; how many twice."""
        lags: list[int] = []
        missing = double = 0
        for fed in self.meetings:
            seen: dict[str, int] = {}
            for key, at_ms in await self._utterances(fed):
                double += key in seen
                seen.setdefault(key, at_ms)
            for key, sent_ms in fed.sent_ms.items():
                if key in seen:
                    lags.append(seen[key] - sent_ms)
                else:
                    missing += 1
        return lags, missing, double

    async def _utterances(self, fed: Fed) -> list[tuple[str, int]]:
        found = []
        entries: Any = await self.client.xrange(f"moim:default:out:{fed.meeting_id}")
        for position, fields in entries:
            event: dict[str, Any] = json.loads(fields[b"json"])
            if event["kind"] == "utterance":
                found.append((event["segment_id"].rpartition("/")[2], _ms(position)))
        return found


def _add(pipe: Any, meeting_id: str, line: Line) -> None:
    pipe.xadd(f"moim:default:in:{meeting_id}", {"json": json.dumps(line.message(), ensure_ascii=False)})


def _ms(position: bytes) -> int:
    return int(position.split(b"-")[0])
