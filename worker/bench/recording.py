"""Writes down what each job of a worker runs: becomes `sitecustomize` in the worker's path for one run.

Imports nothing of Moim's: it runs before everything else, in a folder of its own, which is where it writes.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

EVERY_S = 1.0
_seen: dict[CodeType, None] = {}


def _note(frame: FrameType, event: str, _argument: Any) -> None:
    if event == "call":
        _seen[frame.f_code] = None


def _begin() -> None:
    threading.setprofile(_note)
    sys.setprofile(_note)
    writer = threading.Thread(target=_write, daemon=True)
    writer.start()


def _write() -> None:
    sys.setprofile(None)  # of this thread
    while not threading.Event().wait(EVERY_S):
        lines = [line for code in list(_seen) if (line := _line(code))]
        lines.append(f"(loggers)\t\t{' '.join(_loggers())}\n")
        folder = Path(__file__).parent
        partial = folder / f"{os.getpid()}.part"
        partial.write_text("".join(lines), encoding="utf-8")
        partial.replace(folder / f"{os.getpid()}.txt")


def _loggers() -> list[str]:
    known = logging.Logger.manager.loggerDict
    return sorted(name for name, one in list(known.items()) if type(one) is logging.Logger)


def _line(code: CodeType) -> str:
    if code.co_filename == __file__:
        return ""
    name = code.co_qualname
    if code.co_filename == "<string>":  # as `worker.process.layout.name_of` has it
        name = f"{name}({','.join(code.co_varnames)})"
    words = (*code.co_names, *code.co_varnames, *code.co_consts)
    names = [word for word in words if isinstance(word, str) and word.isidentifier()]
    names += [made.co_qualname for made in code.co_consts if isinstance(made, CodeType)]
    return f"{code.co_filename}\t{name}\t{' '.join(names)}\n"


if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    os.register_at_fork(after_in_child=_begin)
