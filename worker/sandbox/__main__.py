"""The child in the sandbox: it binds itself to its bounds, calls the function, writes what comes of it, ends.

It imports nothing but what the function's module imports, so that it is ready in a few tenths of a second.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import isgeneratorfunction
from typing import Any, BinaryIO

from worker.parent_death import die_with_parent
from worker.sandbox.sandbox_faults import DECLINED, DONE, FAILED, LENGTH_BYTES, OUT_OF_MEMORY, Declined


def main() -> None:
    """Do what the command line says; see `worker.sandbox.sandboxed_call`."""
    reference, argument, deadline_s, cpu_s, memory_bytes, parent = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        os._exit(FAILED)  # it was gone before we could ask to be told of it
    _bind(float(deadline_s), float(cpu_s), int(memory_bytes))
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a parser that prints must not write into the result
    with os.fdopen(out, "wb") as stream:
        code = _written(reference, bytes.fromhex(argument).decode("utf-8", "surrogatepass"), stream)
    os._exit(code)


def _bind(deadline_s: float, cpu_s: float, memory_bytes: int) -> None:
    # Behind the parent's own deadline: for a parent that hangs, or a system that tells no child of its death.
    # Who yields pieces has none (0): it waits for whoever takes them.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, deadline_s + 1 if deadline_s else 0)
    for kind, most, spare in (
        (resource.RLIMIT_CPU, math.ceil(cpu_s) + 1, 5),  # at the hard bound it were killed without a word
        (resource.RLIMIT_AS, memory_bytes, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bound = most + spare if hard == resource.RLIM_INFINITY else min(most + spare, hard)
        try:
            resource.setrlimit(kind, (min(most, bound), bound))
        except (OSError, ValueError):  # macOS bounds no address space
            continue
    os.nice(10)  # whoever waits for it waits; meetings and requests do not


def _written(reference: str, argument: str, stream: BinaryIO) -> int:
    """Call the function, write what comes of it, and give the exit code.

    Of a generator each piece is written with its length in front; behind a length of 0 stands why it ended.
    """
    code, function = _caught(lambda: _function(reference))
    if code == DONE and isgeneratorfunction(function):
        pieces: Iterator[bytes] = function(argument, sys.stdin.buffer)
        while True:
            code, result = _caught(lambda: next(pieces, b""))
            if code != DONE or not result:
                break
            stream.write(len(result).to_bytes(LENGTH_BYTES) + result)
            stream.flush()
        stream.write(bytes(LENGTH_BYTES))
    elif code == DONE:
        code, result = _caught(lambda: function(argument, sys.stdin.buffer.read()))
    else:
        result = function
    stream.write(result)
    return code


def _function(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def _caught(call: Callable[[], Any]) -> tuple[int, Any]:
    """The exit code for a call, and its result, or why there is none, in bytes."""
    try:
        return DONE, call()
    except Declined as error:
        return DECLINED, str(error).encode("utf-8", "replace")
    except MemoryError:
        return OUT_OF_MEMORY, b""
    except BaseException as error:  # noqa: BLE001 - the caller is told of any end
        return FAILED, type(error).__name__.encode()


main()
