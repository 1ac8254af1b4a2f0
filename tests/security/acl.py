"""The ACL lines of docs/how-to/redis.md, set in a real Valkey as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import redis.asyncio as redis

PASSWORD: Final = "of-this-user-alone"
_PAGE: Final = Path(__file__).parents[2] / "docs" / "how-to" / "redis.md"


async def user_of(url: str, tenant: str, user: str = "moim") -> str:
    """Make the tenant's user by the page (`moim`: for the processes, `backend`: for a program); its REDIS_URL."""
    page = _PAGE.read_text(encoding="utf-8")
    (line,) = re.findall(rf"^ACL SETUSER {user}-acme .*$", page, re.MULTILINE)
    words = line.replace("acme", tenant).replace("PASSWORD", PASSWORD).split()
    async with redis.Redis.from_url(url) as admin:
        await admin.execute_command(*words)
    place = urlsplit(url)
    return f"redis://{user}-{tenant}:{PASSWORD}@{place.hostname}:{place.port}/0"
