"""What jobs run is copied side by side: the same functions, the same answers, nothing else touched."""

from __future__ import annotations

import ctypes
import dataclasses
import importlib
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from worker.bench.job_code import listed
from worker.process.layout import fill_pools, lay_out, name_of, number, place_of
from worker.process.preload_names import JOB_CODE, NAMES

_SOURCE = """
class Meeting:
    def __init__(self, name):
        self.name = name

    def greet(self, who="모임"):
        def inner(word):
            return f"{self.name}: {word} {who}"
        return inner("안녕")

    def leave(self):
        return "bye"


async def numbers(upto):
    for number in range(upto):
        yield number
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "laid_out_sample.py").write_text(_SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("laid_out_sample")
    sys.modules.pop("laid_out_sample")


async def test_listed_code_is_copied_and_does_what_it_did(module: ModuleType, tmp_path: Path) -> None:
    meeting = module.Meeting("주간")
    before = {name: vars(module.Meeting)[name].__code__ for name in ("greet", "leave", "__init__")}
    generator = module.numbers(2)
    inner = next(c for c in before["greet"].co_consts if hasattr(c, "co_code"))
    listing = tmp_path / "job_code.txt"
    listing.write_text(
        "laid_out_sample.py\tMeeting.greet.<locals>.inner\tword\n"
        "laid_out_sample.py\tMeeting.leave\t\n"
        "laid_out_sample.py\tnumbers\trange\n"
        "gone.py\tforgotten\t\n",
        encoding="utf-8",
    )
    assert lay_out(listing) == 3
    after = {name: vars(module.Meeting)[name].__code__ for name in before}
    assert after["leave"] is not before["leave"]
    assert after["__init__"] is before["__init__"], "not listed"
    copied = next(c for c in after["greet"].co_consts if hasattr(c, "co_code"))
    assert copied is not inner, "the inner function's code, through the outer one's"
    assert copied == inner
    assert meeting.greet() == "주간: 안녕 모임"
    assert meeting.leave() == "bye"
    assert [number async for number in generator] == [0, 1], "what was under way goes on"
    assert [number async for number in module.numbers(3)] == [0, 1, 2]


def test_a_list_that_is_not_there_is_the_callers_to_bear(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        lay_out(tmp_path / "nowhere.txt")


def test_the_packaged_list_names_code_of_ours_and_of_the_libraries() -> None:
    lines = [line.split("\t") for line in JOB_CODE.read_text(encoding="utf-8").splitlines()]
    assert all(len(line) == 3 for line in lines)
    files = {line[0] for line in lines}
    assert {"worker/meeting/session.py", "asyncio/base_events.py", "livekit/rtc/room.py"} <= files
    assert not any(file.startswith("/") for file in files), "no path of the machine it was made on"
    assert all(sys.intern(name) is name for name in NAMES)


def test_a_file_is_told_by_where_it_is_imported_from() -> None:
    roots = ["", "/usr/lib/python3.11", "/srv/app", "/usr/lib/python3.11/site-packages"]
    assert place_of("/usr/lib/python3.11/asyncio/tasks.py", roots) == "asyncio/tasks.py"
    assert place_of("/usr/lib/python3.11/site-packages/redis/utils.py", roots) == "redis/utils.py"
    assert place_of("<frozen os>", roots) == "<frozen os>"


def test_a_name_is_listed_once_and_a_function_once() -> None:
    recorded = ["/a/x.py\tf\tone two one", "/a/x.py\tg\ttwo three", "/a/x.py\tf\tfour"]
    assert listed(recorded, ["/a"]) == ["x.py\tf\tone two four", "x.py\tg\tthree"]


_HOLES = """
import numpy as np
from worker.process.layout import fill_holes
pieces = [np.empty(4000, np.uint8) for _ in range(400)]
free = {piece.ctypes.data for piece in pieces[::2]}
del pieces[::2]
assert fill_holes() > len(free) * 4000 / 2
later = [np.empty(4000, np.uint8) for _ in range(50)]
assert not free & {piece.ctypes.data for piece in later}, "what comes later lies behind"
assert fill_holes() < len(free) * 4000 / 2, "most were filled before"
"""


def test_holes_between_what_stays_are_taken_and_filling_comes_to_an_end() -> None:
    """In a process of its own: what ran before would have left holes of its own."""
    done = subprocess.run([sys.executable, "-c", _HOLES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="reads the insides of this Python's tables")
def test_classes_and_modules_are_numbered_before_anybody_looks_up_in_them(module: ModuleType) -> None:
    class Unseen:
        pass

    assert _numbers(Unseen, module) == (False, False)
    number()
    assert _numbers(Unseen, module) == (True, True)
    assert module.__name__ == "laid_out_sample"


def _numbers(cls: type, module: ModuleType) -> tuple[bool, bool]:
    """Has the class a valid number, has the module's table one?"""
    keys = ctypes.c_uint64.from_address(id(vars(module)) + 32).value
    return bool(cls.__flags__ & 1 << 19), ctypes.c_uint32.from_address(keys + 12).value != 0


@pytest.mark.skipif(not hasattr(sys, "_debugmallocstats"), reason="no pools of CPython's")
def test_small_objects_come_to_lie_side_by_side() -> None:
    pieces = [bytes(100) for _ in range(4000)]
    del pieces[::2]
    assert not _side_by_side(later := [bytes(100) for _ in range(100)])
    made = fill_pools()
    assert _side_by_side([bytes(100) for _ in range(100)]), later
    assert fill_pools() <= made, "it comes to an end"


def _side_by_side(row: list[bytes]) -> bool:
    """All but for the beginning of another pool."""
    return sum(id(b) - id(a) == 144 for a, b in itertools.pairwise(row)) >= len(row) - 3


async def test_what_listed_code_makes_is_copied_with_it(module: ModuleType, tmp_path: Path) -> None:
    """To make a function is to count on its code, run or not."""
    before = next(c for c in module.Meeting.greet.__code__.co_consts if hasattr(c, "co_code"))
    listing = tmp_path / "job_code.txt"
    listing.write_text("laid_out_sample.py\tMeeting.greet\t\n", encoding="utf-8")
    assert lay_out(listing) == 1
    after = next(c for c in module.Meeting.greet.__code__.co_consts if hasattr(c, "co_code"))
    assert after is not before
    assert module.Meeting("주간").greet() == "주간: 안녕 모임"


async def test_what_dataclasses_write_is_told_apart_by_its_arguments(tmp_path: Path) -> None:
    point = dataclasses.make_dataclass("Point", ["x_of_layout", "y_of_layout"])
    other = dataclasses.make_dataclass("Other", ["z_of_layout"])
    before = point.__init__.__code__, other.__init__.__code__
    name = name_of(point.__init__.__code__)
    assert name == "__create_fn__.<locals>.__init__(self,x_of_layout,y_of_layout)"
    listing = tmp_path / "job_code.txt"
    listing.write_text(f"<string>\t{name}\t\n", encoding="utf-8")
    assert lay_out(listing) == 1
    assert point.__init__.__code__ is not before[0]
    assert other.__init__.__code__ is before[1]
    assert point(1, 2) == point(x_of_layout=1, y_of_layout=2)
