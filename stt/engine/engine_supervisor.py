"""Keeps an engine alive on its socket: shares the one that is there, else starts one, again and again.

Any number of supervisors (workers, `moim dev`) may look after one socket. Whoever finds nobody
there starts an engine; the engine's file lock lets only one live, and the others share it. When
that one dies, with its owner or alone, the next supervisor to notice starts the next. One that hangs
(`stt.engine.liveness`) is killed by whoever notices, also where its owner is gone and left it behind.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stt.engine.liveness import Loading, Silence, answers_until_closed, engines_on, kill
from stt.engine.serving import EXIT_TAKEN, EXIT_WRONG
from stt.segment import EngineFailed

log = logging.getLogger(__name__)

_ROOT: Final = Path(__file__).resolve().parents[2]
"""Where `stt` lies, installed or in a checkout: the child finds it there."""
_TRIES: Final = 4
_STOP_WITHIN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The arguments of an engine's process; see `stt.engine.serving.engine_parser`."""

    model: str = "auto"
    cache_dir: Path = Path(".cache")
    workers: int = 2
    """Requests worked on at once, each on one core."""
    queue: int = 32
    """Requests that may wait."""
    more: tuple[str, ...] = ()
    """Arguments that only this engine knows, such as `--device cuda` of speech."""


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long to wait after the n-th death in a row: doubling, bounded."""

    first_s: float = 0.2
    most_s: float = 10.0
    calm_after_s: float = 30.0
    """An engine that lived this long starts the count anew."""

    def pause_s(self, deaths: int) -> float:
        """Seconds to wait after `deaths` deaths in a row."""
        return min(self.most_s, self.first_s * 2.0 ** min(deaths - 1, 16))


class EngineMisconfigured(EngineFailed):
    """The engine said which of its settings is wrong; to start it again would not help."""


class EngineSupervisor:
    """Sees to it that an engine listens on `socket_path`, from `start` to `aclose`."""

    def __init__(
        self,
        socket_path: Path,
        options: EngineOptions | None = None,
        *,
        back_off: BackOff | None = None,
        silence: Silence | None = None,
        command: tuple[str, ...] = (sys.executable, "-m", "stt.engine"),
    ) -> None:
        self.socket_path = socket_path.absolute()
        self._options = options or EngineOptions()
        self._back_off = back_off or BackOff()
        self._silence = silence or Silence()
        self._command = command
        self._ready = asyncio.Event()
        self._failure: EngineFailed | None = None
        self._task: asyncio.Task[None] | None = None
        self._child: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The process id of our engine; None while another's is shared, or none runs."""
        return self._child.pid if self._child is not None and self._child.returncode is None else None

    async def start(self, *, within_s: float = 120.0) -> None:
        """Return when an engine answers. Raises `EngineMisconfigured` where its settings are wrong.

        After `within_s` without one (a first download may take longer) it raises `EngineFailed`, and
        goes on trying until `aclose`.
        """
        if self._task is None:
            self._task = asyncio.create_task(  # noqa: TID251 - owned here, ended by aclose
                self.run(), name="engine-supervisor"
            )
        try:
            async with asyncio.timeout(within_s):
                await self._ready.wait()
        except TimeoutError as error:
            raise EngineFailed(f"no speech engine on {self.socket_path} after {within_s:g} s") from error
        if self._failure is not None:
            raise self._failure

    async def aclose(self) -> None:
        """Stop our engine, if we have one, within a few seconds."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, EngineFailed):
                await self._task
            self._task = None

    async def run(self) -> None:
        """Keep an engine on the socket until cancelled; for owners with a TaskGroup of their own.

        Raises `EngineFailed` where none ever comes up.
        """
        loop = asyncio.get_running_loop()
        deaths = 0
        others = Loading(self._silence)
        while True:
            began_s = loop.time()
            if not await self._share():
                code = await self._host()
                if code == EXIT_TAKEN:
                    deaths = 0  # somebody else's is loading its model: look again soon
                    if hung := others.hung(engines_on(self.socket_path)):
                        _kill(hung)
                else:
                    # One that never came up won't: wrong settings at once, anything else after a few tries.
                    if not self._ready.is_set() and (code == EXIT_WRONG or deaths + 1 >= _TRIES):
                        why = f"the speech engine died {deaths + 1} times at its start (exit {code})"
                        self._failure = self._failure or EngineFailed(why)
                        self._ready.set()  # whoever waits in start() gets the failure
                        raise self._failure
                    log.warning("engine_died", extra={"exit_code": code, "deaths": deaths + 1})
            deaths = 1 if loop.time() - began_s > self._back_off.calm_after_s else deaths + 1
            await asyncio.sleep(self._back_off.pause_s(deaths))

    async def _share(self) -> bool:
        """Stay connected to a living engine as long as it lives. False: there was none, or it was hung."""
        try:
            reader, writer = await asyncio.open_unix_connection(str(self.socket_path))
        except OSError:
            return False
        greeted = False

        def answered() -> None:
            nonlocal greeted
            greeted = True
            self._ready.set()

        with closing(writer), suppress(OSError):
            if not await answers_until_closed(reader, writer, self._silence, answered):
                _kill(engines_on(self.socket_path))
                return False
        return greeted  # else it was on its way out

    async def _host(self) -> int:
        """Run an engine of our own to its end and return its exit code."""
        child = await asyncio.create_subprocess_exec(
            *self._command,
            *self._arguments(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            cwd=_ROOT,
            start_new_session=True,  # Ctrl-C is the owner's to hear, who then stops it in order
        )
        self._child = child
        assert child.stdout is not None
        self._failure = None
        try:
            async with asyncio.TaskGroup() as group:
                listens = asyncio.Event()
                watching = group.create_task(self._watch(child, listens))
                facts = _facts(await child.stdout.readline())
                if facts.get("ready"):
                    log.info("engine_ready", extra={"model": facts.get("model"), "pid": child.pid})
                    self._ready.set()
                    listens.set()
                code = await child.wait()
                watching.cancel()
            if "error" in facts and code == EXIT_WRONG:
                self._failure = EngineMisconfigured(str(facts["error"]))
            return code
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.terminate()
                try:
                    async with asyncio.timeout(_STOP_WITHIN_S):
                        await child.wait()
                except TimeoutError:
                    with suppress(ProcessLookupError):
                        child.kill()
                    await child.wait()

    async def _watch(self, child: asyncio.subprocess.Process, listens: asyncio.Event) -> None:
        """See to it that our engine is killed if it hangs, before it `listens` or later; until cancelled."""
        loading = Loading(self._silence)
        while True:
            if listens.is_set():
                await self._share()
            elif hung := loading.hung([child.pid]):
                _kill(hung)
            await asyncio.sleep(self._silence.ask_every_s)

    def _arguments(self) -> list[str]:
        options = self._options
        model = options.model
        if Path(model).is_dir() or model.startswith("."):
            model = str(Path(model).absolute())  # the child runs in another directory
        values = {
            "--socket": self.socket_path,
            "--model": model,
            "--cache": options.cache_dir.absolute(),
            "--workers": options.workers,
            "--queue": options.queue,
            "--parent": os.getpid(),
        }
        return [*(text for name, value in values.items() for text in (name, str(value))), *options.more]


def _kill(hung: list[int]) -> None:
    log.warning("engine_hung", extra={"pids": hung, "killed": kill(hung)})


def _facts(line: bytes) -> dict[str, Any]:
    """Read the line of JSON that an engine writes when it is ready or fails; empty where there is none."""
    try:
        facts = json.loads(line)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
