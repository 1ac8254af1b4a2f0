"""The disk tiers of the context cache (seed 004): one small file per producer and tier, replaced whole."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

import structlog

from context.ports import PortError

log = structlog.get_logger(__name__)

_LONGEST_NAME: Final = 150
_SUFFIX: Final = ".json"
_LOOK_EVERY_S: Final = 15.0
_FORGOTTEN: Final = "forgotten-at"


class ContextCacheFiles:
    """`CacheFiles` under one folder (seed 004's `storage`). A disk that fails is an empty cache, no error."""

    def __init__(self, storage: Path) -> None:
        self._storage = storage

    def within(self, name: str) -> ContextCacheFiles:
        """Return a cache in a folder of its own below this one; `name` may hold any characters."""
        return ContextCacheFiles(self._storage / f"of-{_safe(name)}")

    def forget_before(self, erased_at: datetime) -> bool:
        """Delete everything, unless that was done for this erasure before; return whether it was deleted now.

        `erased_at`: when words were last erased from any meeting.
        What the cache holds was made of meetings' words. It may forget: it is written again.
        """
        mark = self._storage / _FORGOTTEN
        with suppress(OSError):
            known = mark.read_text(encoding="utf-8") if mark.exists() else ""
            if not self._storage.exists() or known == erased_at.isoformat():
                return False
            shutil.rmtree(self._storage)
            self._storage.mkdir(parents=True, mode=0o700)
            mark.write_text(erased_at.isoformat(), encoding="utf-8")
            return True
        return False

    async def keep_forgetting(self, newest: Callable[[], Awaitable[datetime | None]]) -> None:
        """Call `forget_before` every 15 s until cancelled. `newest` gives the time of the last erasure."""
        while True:
            try:
                erased_at = await newest()
            except PortError as error:
                log.info("erasures_not_looked_up", error=str(error))
            else:
                if erased_at is not None and await asyncio.to_thread(self.forget_before, erased_at):
                    log.info("context_cache_forgotten")
            await asyncio.sleep(_LOOK_EVERY_S)

    def path(self, tier: str, name: str) -> Path:
        """Return the file of an entry; `tier` and `name` may hold any characters."""
        return self._storage / quote(tier, safe="") / f"{_safe(name)}{_SUFFIX}"

    def read(self, tier: str, name: str) -> str | None:
        """Return an entry's text; None where there is none or it cannot be read."""
        try:
            return self.path(tier, name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            log.warning("context_cache_unreadable", tier=tier, error=str(error))
            return None

    def write(self, tier: str, name: str, text: str) -> None:
        """Write an entry, whole or not at all, in place of the one with its name."""
        path = self.path(tier, name)
        partial = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_text(text, encoding="utf-8", errors="replace")
            partial.replace(path)
        except OSError as error:
            log.warning("context_cache_not_written", tier=tier, error=str(error))
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def names(self, tier: str) -> list[str]:
        """Return the names of a tier's entries, the newest first.

        A name that is too long for a file's comes shortened; the entry is found by its full name.
        """
        try:
            found = [
                (path.stat().st_mtime_ns, unquote(path.name.removesuffix(_SUFFIX)))
                for path in (self._storage / quote(tier, safe="")).iterdir()
                if path.name.endswith(_SUFFIX)
            ]
        except OSError:
            return []
        return [name for _, name in sorted(found, reverse=True)]

    def forget(self, tier: str, name: str) -> None:
        """Delete an entry; one that is not there is no error."""
        with suppress(OSError):
            self.path(tier, name).unlink(missing_ok=True)


def _safe(name: str) -> str:
    safe = quote(name, safe="")
    if len(safe) > _LONGEST_NAME:
        safe = f"{safe[:60]}-{hashlib.sha256(safe.encode()).hexdigest()[:32]}"
    return safe
