"""What a job runs lies side by side in memory, so that a job writes to fewer pages.

Python 3.11 counts references in the object itself: to run a function is to write to the page that its
code lies on. Imported modules leave what jobs run scattered among what they never do, one function in
twenty, so each job made a page of 4 KB its own for nearly every function. `job_code.txt` names what jobs
run (`python -m worker.bench.job_code` records it in a real meeting): the fork server makes the names in
it first (`worker.process.preload_names`), and here copies of the code, one behind the other.

A list that is out of date makes jobs larger, nothing else: what it does not name stays where it is.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.process.preload_names import JOB_CODE

_kept: Final[list[CodeType]] = []
"""What was replaced. Let go of, it would leave holes that each job fills with pages of its own."""
_holes: Final[list[NDArray[np.uint8]]] = []
_HOLES: Final = (*(1 << power for power in range(16, 4, -1)), 24)
"""Sizes to look for, in bytes."""
_SURELY_BEHIND: Final = 64
"""So many pieces of a size side by side do not lie in holes."""
_SURELY_REMEMBERED: Final = 32
"""Runs after which Python remembers where it found a name."""
_MOST_TAKEN: Final = 16 << 20
_MOST_PIECES: Final = 20_000
"""Ten times what there is. An allocator that lays nothing side by side would be asked for ever."""
_rows: Final[list[list[object]]] = []
_SMALL: Final = {16: object, 32: complex}
"""What is so small, in bytes."""
_POOL: Final = 16 << 10
_MOST_POOLS: Final = 100
_MOSTLY: Final = 0.9
"""Of a row side by side: it may begin in one pool and end in the next."""


def lay_out(listed: Path = JOB_CODE) -> int:
    """Copy the listed code of this process side by side; how many functions run a copy now.

    For the fork server, after all imports. Nobody notices but who compares `__code__` by identity.
    """
    hot: dict[str, set[str]] = {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        file, name, *_ = line.split("\t")
        hot.setdefault(file, set()).add(name)
    return _Copier(hot).run(of for of in gc.get_objects() if type(of) is FunctionType)


def gather_log_caches() -> None:
    """Whenever a level is set, `logging` empties a table of each logger there is: 100 pages of each job."""
    for logger in logging.Logger.manager.loggerDict.values():
        if isinstance(logger, logging.Logger) and hasattr(logger, "_cache"):
            logger._cache = {}  # noqa: SLF001 - and nowhere else


def gather_module_names() -> None:
    """A function made in a function holds its module's name: that in `worker.process.preload_names`."""
    for module in list(sys.modules.values()):
        if type(module) is ModuleType:
            module.__name__ = sys.intern(module.__name__)


def number() -> None:
    """Give each class and each module's table the number that Python gives it when it is first looked up in.

    A number is a word, on a page of its own: jobs wrote it for whatever the rehearsal had left out.
    """
    for module in list(sys.modules.values()):
        if type(module) is ModuleType:
            look_up = FunctionType(_own_name.__code__.replace(), vars(module))
            for _ in range(_SURELY_REMEMBERED):
                look_up()
    for each in gc.get_objects():
        if issubclass(type(each), type):
            type.__getattribute__(each, "__eq__")


def _own_name() -> str:
    return __name__


def fill_holes() -> int:
    """Take what is free between what the C heap holds, so that jobs write behind it; bytes taken.

    Imports leave holes of all sizes. The allocator prefers them, and each job made pages its own for what it
    put there: native code (OpenSSL, onnxruntime, LiveKit) more than ours. An array's data are such a piece.
    """
    taken = 0
    for size in _HOLES:
        row: list[NDArray[np.uint8]] = []
        last = step = 0
        while len(row) < _SURELY_BEHIND and taken < _MOST_TAKEN and len(_holes) < _MOST_PIECES:
            block = np.empty(size, np.uint8)
            address = block.ctypes.data
            if address - last != step:
                _holes.extend(row)
                taken += size * len(row)
                row, step = [], address - last
            last = address
            row.append(block)
    return taken


def fill_pools() -> int:
    """The same in Python's own pools, for objects of up to 512 bytes; how many were made."""
    made = 0
    for size in range(16, 513, 16):
        make = _SMALL.get(size) or partial(bytes, size - sys.getsizeof(b""))
        count = _POOL // size
        for _ in range(_MOST_POOLS):
            row: list[object] = [None] * count  # as long as it will be: growing, it would take holes itself
            for place in range(count):
                row[place] = make()
            _rows.append(row)
            made += count
            if sum(id(later) - id(earlier) == size for earlier, later in pairwise(row)) > count * _MOSTLY:
                break  # a pool that nothing else is in
    return made


def place_of(filename: str, roots: Iterable[str]) -> str:
    """A source file's path behind the entry of `sys.path` it was found by; itself where there is none."""
    found = (filename[len(root) + 1 :] for root in roots if root and filename.startswith(f"{root}/"))
    return min(found, key=len, default=filename)


def name_of(code: CodeType) -> str:
    """What a code is listed by. `dataclasses` writes many of one name: their arguments tell them apart."""
    if code.co_filename == "<string>":
        return f"{code.co_qualname}({','.join(code.co_varnames)})"
    return code.co_qualname


class _Copier:
    """Copies code, the same for the same, with the code of inner functions in it."""

    def __init__(self, hot: dict[str, set[str]]) -> None:
        self._hot = hot
        self._names: dict[str, set[str]] = {}
        self._copies: dict[int, CodeType] = {}

    def run(self, functions: Iterable[FunctionType]) -> int:
        listed = [function for function in functions if self._listed(function.__code__)]
        for function in listed:
            self._unpack(function.__code__)
        count = 0
        for function in listed:
            code = function.__code__
            if (copy := self._copy(code)) is not code:
                function.__code__ = copy
                if function.__qualname__ == copy.co_qualname:
                    function.__qualname__ = copy.co_qualname  # the one in `worker.process.preload_names`
                count += 1
        return count

    def _unpack(self, code: CodeType) -> None:
        """Its bytecode, which a copy is made of, stays with it from then on: not in between the copies."""
        _ = code.co_code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._unpack(constant)

    def _listed(self, code: CodeType) -> set[str]:
        """Names of what jobs run of this code's file."""
        file = code.co_filename
        if file not in self._names:
            self._names[file] = self._hot.get(place_of(file, sys.path), set())
        return self._names[file]

    def _copy(self, code: CodeType, *, made: bool = False) -> CodeType:
        """`made`: what runs makes a function of it, and counts that on it, whether or not it is run."""
        if (known := self._copies.get(id(code))) is not None:
            return known
        runs = name_of(code) in self._listed(code)
        constants = tuple(
            [self._copy(c, made=runs) if isinstance(c, CodeType) else c for c in code.co_consts]
        )
        changed = any(new is not old for new, old in zip(constants, code.co_consts, strict=True))
        copy = code
        if runs or made:
            copy = code.replace(co_consts=constants, co_qualname=sys.intern(code.co_qualname))
        elif changed:
            copy = code.replace(co_consts=constants)
        _kept.append(code)  # also keeps its id from being given to another
        self._copies[id(code)] = copy
        return copy
