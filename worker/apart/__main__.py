"""The child of `call_apart`: binds itself to its bounds, calls the function, writes the result, ends.

It imports nothing but what the function's module imports, so that it is ready in a few tenths of a second.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
from importlib import import_module

from worker.apart.errors import DECLINED, DONE, FAILED, OUT_OF_MEMORY, Declined
from worker.tying import die_with_parent


def main() -> None:
    """Do what the command line says; see `call_apart`."""
    reference, argument, deadline_s, memory_bytes, parent = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        os._exit(FAILED)  # it was gone before we could ask to be told of it
    _bind(float(deadline_s), int(memory_bytes))
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a parser that prints must not write into the result
    code, result = _called(reference, bytes.fromhex(argument).decode("utf-8", "surrogatepass"))
    with os.fdopen(out, "wb") as stream:
        stream.write(result)
    os._exit(code)


def _bind(deadline_s: float, memory_bytes: int) -> None:
    # Behind the parent's own deadline: for a parent that hangs, or a system that tells no child of its death.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, deadline_s + 1)
    cpu_s = math.ceil(deadline_s) + 1
    for kind, most in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(kind, (bound, bound))
        except (OSError, ValueError):  # macOS bounds no address space
            continue
    os.nice(10)  # whoever waits for it waits; meetings and requests do not


def _called(reference: str, argument: str) -> tuple[int, bytes]:
    try:
        module, _, name = reference.partition(":")
        return DONE, getattr(import_module(module), name)(argument, sys.stdin.buffer.read())
    except Declined as error:
        return DECLINED, str(error).encode("utf-8", "replace")
    except MemoryError:
        return OUT_OF_MEMORY, b""
    except BaseException as error:  # noqa: BLE001 - the caller is told of any end
        return FAILED, type(error).__name__.encode()


main()
