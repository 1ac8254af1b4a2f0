"""Thirteen thousand requests of every kind at a real dispatcher: what it holds at the end it held early on.

The first question loads what answers need (a tokenizer, the graph, the weights), once. So the process is looked
at when a quarter of the requests is over, and at the end: what has grown since then by more than `_SWING_MB`
counts as having got in. One meeting of 160 lines is on record, which every question and export reads anew.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, Served, dispatcher

REQUESTS: Final = 13_000
_AT_ONCE: Final = 16
_SWING_MB: Final = 60
"""Caches that fill up, and a heap that breathes; a meeting that stays is 1 MB for every question."""
_SAID: Final = (
    "출시일은 11월 20일로 정했습니다.", "We decided to ship on November 20.", "서버를 한 대 더 사기로 했어요.",
    "예산은 3억 원입니다.", "누가 문서를 쓸까요?", "제가 금요일까지 쓰겠습니다.",
    "The second server costs nine thousand dollars.", "다음 회의는 화요일 오전 10시입니다.",
)  # fmt: skip
_ASKED: Final = ("출시일이 언제죠?", "Who writes the document?", "예산은 얼마야?", "결정한 것을 요약해줘")


async def attack(seed: int) -> Outcome:
    """The kinds take turns by a draw of `seed`."""
    return await of_many(seed, REQUESTS)


async def of_many(seed: int, requests: int) -> Outcome:
    """So many requests."""
    dice, statuses = random.Random(seed), Counter[int]()
    async with dispatcher(STT_ENGINE="none") as served:
        meeting = await _recorded(served)
        held = [_resident_mb(served.pid)]
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120)) as client:
            for part in range(4):
                numbers = iter(range(part * requests // 4, (part + 1) * requests // 4))

                async def send(numbers: Any = numbers) -> None:
                    for number in numbers:
                        statuses[await _sent(client, served.port, meeting, number, dice)] += 1

                await asyncio.gather(*(send() for _ in range(_AT_ONCE)))
                held.append(_resident_mb(served.pid))
    grown = held[-1] - held[1]
    got_in = [f"{grown} MB more after the last quarter than after the first"] if grown > _SWING_MB else []
    got_in += [
        f"{count} answers of {status}" for status, count in statuses.items() if status >= 500 or not status
    ]
    return Outcome(
        tried=requests,
        got_in=tuple(got_in),
        figures={
            "resident_mb_before": held[0],
            **{f"resident_mb_after_{part}_quarters": mb for part, mb in enumerate(held[1:], 1)},
            **{f"answers_{status}": count for status, count in sorted(statuses.items())},
        },
    )


async def _sent(
    client: aiohttp.ClientSession, port: int, meeting: str, number: int, dice: random.Random
) -> int:
    """The status; 0 where none came."""
    method, path, body = _request(meeting, number, dice)
    headers = {"Authorization": f"Bearer {TOKEN}"} if path != "/v1/nobody" else {}
    more: dict[str, Any] = {"json": body}
    if isinstance(body, bytes):
        more, headers["Content-Type"] = {"data": body}, "application/json"
    try:
        url = f"http://127.0.0.1:{port}{path}"
        async with client.request(method, url, headers=headers, **more) as answer:
            await answer.read()
            return answer.status
    except (aiohttp.ClientError, TimeoutError, OSError):
        return 0


def _request(meeting: str, number: int, dice: random.Random) -> tuple[str, str, Any]:
    def turn() -> dict[str, str]:
        return {"role": "user", "content": f"{dice.choice(_SAID)} {dice.random()}"}

    match dice.randrange(10):
        case 0 | 1:
            return "POST", f"/v1/meetings/{meeting}/ask", {"text": f"{dice.choice(_ASKED)} {number}"}
        case 2:
            question = {"text": f"{dice.choice(_ASKED)} {number}", "stream": True}
            return "POST", f"/v1/meetings/{meeting}/ask", question
        case 3:
            return "POST", "/v1/summarize", {"messages": [turn() for _ in range(dice.randint(1, 60))]}
        case 4:
            return (
                "GET",
                f"/v1/meetings/{meeting}/export?format={dice.choice(['json', 'jsonl', 'md', 'vtt', 'srt'])}",
                None,
            )
        case 5:
            return "GET", "/v1/meetings?limit=100", None
        case 6:
            return "POST", "/v1/meetings", {"meeting_id": f"m-{number % 200}"}
        case 7:
            return "POST", "/v1/summarize", dice.randbytes(20_000)
        case 8:
            return "GET", f"/v1/{number}", None
        case _:
            return "GET", "/v1/nobody", None


async def _recorded(served: Served) -> str:
    """A meeting on record, by its id."""
    said = served.log.parent / "talk.jsonl"
    lines = [
        {"speaker": ("민지", "Ben", "서연")[number % 3], "text": f"{_SAID[number % len(_SAID)]} {number}"}
        for number in range(160)
    ]
    said.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "worker", "replay", str(said), "--record", "--json"),
        env=served.environ,
        stdout=asyncio.subprocess.PIPE,
    )
    document, _ = await process.communicate()
    assert process.returncode == 0
    meeting: str = json.loads(document)["meeting"]["id"]
    return meeting


def _resident_mb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
