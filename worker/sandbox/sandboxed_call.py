"""Calling a function in a child process: it is started, fed, read and killed here."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from worker.sandbox.sandbox_faults import (
    DECLINED,
    DONE,
    FAILED,
    LENGTH_BYTES,
    OUT_OF_MEMORY,
    Crashed,
    Declined,
    TookTooLong,
    TookTooMuch,
)

_CHUNK_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a child process: how long it may run, how much memory it may take."""

    deadline_s: float
    """Within this time of the clock its result has to be there, its start included; or each piece of it."""
    memory_bytes: int
    """Its address space (where the system can bound it: Linux, not macOS)."""
    result_bytes: int
    """The size of the largest result, or piece."""
    cpu_s: float | None = None
    """How long it may compute in all; None: as long as the deadline."""


async def call_sandboxed(
    function: Callable[[str, bytes], bytes], argument: str, data: bytes, bounds: Bounds
) -> bytes:
    """Call `function(argument, data)` in a child process, and give what it returns.

    `function` stands at the top of a module, which the child imports: it should import no more than it needs.
    Raises `Declined` where the function does, `TookTooLong`, `TookTooMuch` and `Crashed`. However this ends,
    also by a cancellation, the child is gone when it has ended.
    """
    process = await _started(function, argument, bounds, deadline_s=bounds.deadline_s, stdin=PIPE)
    try:
        async with asyncio.timeout(bounds.deadline_s):
            async with asyncio.TaskGroup() as both:
                both.create_task(_feed(process, data))
                result = both.create_task(_collected(process, bounds.result_bytes))
            code = await process.wait()
    except TimeoutError:
        raise TookTooLong(f"not done within {bounds.deadline_s:g} s") from None
    finally:
        await _end(process)
    if len(result.result()) > bounds.result_bytes:
        raise TookTooMuch(f"its result has more than {bounds.result_bytes:,} bytes")
    return _outcome(code, result.result())


async def stream_sandboxed(
    function: Callable[[str, BinaryIO], Iterator[bytes]], argument: str, file: BinaryIO, bounds: Bounds
) -> AsyncGenerator[bytes]:
    """Call the generator `function(argument, file)` in a child process, and yield what it yields.

    The child has the file as its standard input, where it can seek, and no name of it; it works no further
    ahead than a pipe holds. Otherwise as `call_sandboxed`, whose errors come behind the last good piece; its
    end and `aclose` leave no child.
    """
    process = await _started(function, argument, bounds, deadline_s=0, stdin=file)
    stream = process.stdout
    assert stream is not None
    try:
        while True:
            try:
                async with asyncio.timeout(bounds.deadline_s):
                    size = int.from_bytes(await stream.readexactly(LENGTH_BYTES))
                    if not size:
                        words = await stream.read(_CHUNK_BYTES)
                        code = await process.wait()
                        break
                    if size > bounds.result_bytes:
                        raise TookTooMuch(f"a piece of it has more than {bounds.result_bytes:,} bytes")
                    piece = await stream.readexactly(size)
            except TimeoutError:
                raise TookTooLong(f"no more came within {bounds.deadline_s:g} s") from None
            except asyncio.IncompleteReadError:  # it was ended
                words, code = b"", await process.wait()
                break
            yield piece
    finally:
        await _end(process)
    if code == DONE and words:
        raise Crashed("it wrote behind its end")
    _outcome(code, words)


async def _started(
    function: Callable[..., Any], argument: str, bounds: Bounds, *, deadline_s: float, stdin: Any
) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "worker.sandbox",
        f"{function.__module__}:{function.__qualname__}",
        argument.encode("utf-8", "surrogatepass").hex(),
        str(deadline_s),
        str(bounds.deadline_s if bounds.cpu_s is None else bounds.cpu_s),
        str(bounds.memory_bytes),
        str(os.getpid()),
        stdin=stdin,
        stdout=PIPE,
        stderr=DEVNULL,  # it might quote what the file says
        cwd="/",
        env={
            "PATH": os.defpath,
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OPENBLAS_NUM_THREADS": "1",  # else numpy reserves memory for each core of the machine
        },
        start_new_session=True,
    )


async def _feed(process: Process, data: bytes) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it ended early; its exit code says why
        for start in range(0, len(data), _CHUNK_BYTES):
            process.stdin.write(data[start : start + _CHUNK_BYTES])
            await process.stdin.drain()
    process.stdin.close()


async def _collected(process: Process, most: int) -> bytes:
    assert process.stdout is not None
    result = bytearray()
    while part := await process.stdout.read(_CHUNK_BYTES):
        result += part
        if len(result) > most:
            process.kill()
            break
    return bytes(result)


def _outcome(code: int, result: bytes) -> bytes:
    if code == DONE:
        return result
    text = result.decode("utf-8", "replace")
    if code == DECLINED:
        raise Declined(text)
    if code == OUT_OF_MEMORY:
        raise TookTooMuch("out of memory")
    if code in {-signal.SIGXCPU, -signal.SIGALRM}:
        raise TookTooLong("out of time")
    if code < 0:
        raise Crashed(f"ended by {signal.Signals(-code).name}")
    raise Crashed(text if code == FAILED else f"ended with code {code}")


async def _end(process: Process) -> None:
    """Kill what still runs, and wait until the system has forgotten it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # it leads a session of its own
        with suppress(ProcessLookupError):
            process.kill()  # in the moment before it does
        # asyncio waits for the end of a pipe as well, which it does not read on where too much has come.
        while process.stdout is not None and await process.stdout.read(_CHUNK_BYTES):
            pass
        await process.wait()
