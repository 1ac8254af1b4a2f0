"""The worker's side of an experiment: the real `moim worker --text`, with a death planned for it.

A doom names a door of the adapters (an append, a publication, a snapshot, …), how often it is gone
through before, and when: before the call, while it is under way, or after its answer has come and
nobody has acted on it yet. Then the process sends itself SIGKILL (or SIGTERM, or SIGSTOP): as exact as no
stopwatch from outside could be, and as sudden as any other.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.adapters.redis_bus import RedisBus
from worker.commands import worker as command
from worker.configuration.settings import Settings
from worker.parent_death import die_with_parent
from worker.process import text_worker  # noqa: F401 - so that the fork server has it
from worker.process.stop_signals import go_when_told

Door = Literal["acquire", "load", "mark_live", "append", "publish", "snapshot", "renew"]
Moment = Literal["before", "during", "after"]

DOORS: dict[Door, tuple[type[Any], tuple[str, ...]]] = {
    "acquire": (PostgresLeases, ("acquire",)),
    "load": (PostgresStore, ("load",)),
    "mark_live": (PostgresRegistry, ("mark_live",)),
    "append": (PostgresStore, ("append", "append_many")),
    "publish": (RedisBus, ("put",)),
    "snapshot": (PostgresStore, ("save_snapshot",)),
    "renew": (PostgresLeases, ("renew", "renew_many")),
}


@dataclass(frozen=True, slots=True)
class Doom:
    """The `nth` time (from 1) through `door`, at `moment`; `late_s` after that for `during`."""

    door: Door
    moment: Moment
    nth: int
    late_s: float = 0.0
    signal: int = signal.SIGKILL
    log: str = ""
    log_from: int = 0

    def __str__(self) -> str:
        late = f" +{self.late_s * 1000:.1f} ms" if self.moment == "during" else ""
        return f"{self.moment} {self.door} no. {self.nth}{late}"


def told(log: Path, since: int) -> bool:
    """Does the worker that writes `log`, from byte `since` on, know that it is to stop?"""
    if not log.exists():
        return False
    with log.open("rb") as lines:
        lines.seek(since)
        return b'"stopping"' in lines.read()


def host(environment: dict[str, str], log: str, doom: Doom | None) -> None:
    """In the child: be a text worker until SIGTERM, or until doom comes."""
    go_when_told()  # as `moim` does
    die_with_parent()
    os.setsid()
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    for name in [name for name in os.environ if name.startswith(("MOIM_", "CONTEXT_", "LLM_", "STT_"))]:
        del os.environ[name]
    os.environ.update(environment)
    if doom is not None:
        _install(replace(doom, log=log, log_from=os.fstat(descriptor).st_size))
    parser = ArgumentParser()
    command.add_arguments(parser)
    code = command.run(parser.parse_args(["--text"]), Settings.from_env(os.environ))
    sys.stdout.flush()
    os._exit(code)


def _install(doom: Doom) -> None:
    owner, names = DOORS[doom.door]
    through = itertools.count(1)
    for name in names:
        setattr(owner, name, _watched(getattr(owner, name), doom, through))


def _watched(
    call: Callable[..., Awaitable[Any]], doom: Doom, through: Iterator[int]
) -> Callable[..., Awaitable[Any]]:
    async def watched(*args: Any, **named: Any) -> Any:
        if next(through) != doom.nth:
            return await call(*args, **named)
        if doom.moment == "before":
            _strike(doom)
        elif doom.moment == "during":
            asyncio.get_running_loop().call_later(doom.late_s, _strike, doom)
        answer = await call(*args, **named)
        if doom.moment == "after":
            _strike(doom)
        return answer

    return watched


def _strike(doom: Doom) -> None:
    if doom.signal == signal.SIGTERM and told(Path(doom.log), doom.log_from):
        return  # a second one would end it at once; it goes through doors while it leaves, too
    os.kill(os.getpid(), doom.signal)
