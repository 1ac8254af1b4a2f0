"""What a process says at `/readyz`, and the wait for it."""

from __future__ import annotations

import asyncio
import json

import aiohttp


async def ready(port: int) -> tuple[bool, str]:
    async with aiohttp.ClientSession() as http:
        try:
            async with http.get(f"http://127.0.0.1:{port}/readyz") as answer:
                told = await answer.json()
                return told["ready"], json.dumps(told)
        except aiohttp.ClientError as error:
            return False, str(error)


async def until_ready(port: int, *, yes: bool, why: str = "") -> None:
    async with asyncio.timeout(90):
        while True:
            now, told = await ready(port)
            if now == yes and why in told:
                return
            await asyncio.sleep(0.1)
