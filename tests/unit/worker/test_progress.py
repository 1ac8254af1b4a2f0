"""Long work says how far it has come, to a terminal alone."""

from __future__ import annotations

import asyncio
import io

import pytest

from tests.fakes.virtual_time import run_virtual
from worker.commands.printing import progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("took_s", "shown"), [(1.5, ["", ""]), (4.5, ["", "2 of 9", "3 of 9", "4 of 9", ""])]
)
def test_on_a_terminal_one_line_is_written_anew_and_wiped(took_s: float, shown: list[str]) -> None:
    terminal = _Terminal()

    async def work() -> None:
        began_s = asyncio.get_running_loop().time()
        async with progress(lambda: f"{asyncio.get_running_loop().time() - began_s:.0f} of 9", terminal):
            await asyncio.sleep(took_s)
        await asyncio.sleep(0)

    run_virtual(work())
    assert terminal.getvalue().split("\r\x1b[K") == shown


def test_a_pipe_gets_nothing() -> None:
    pipe = io.StringIO()

    async def work() -> None:
        async with progress(lambda: "far", pipe):
            await asyncio.sleep(10)

    run_virtual(work())
    assert pipe.getvalue() == ""


def test_what_goes_wrong_comes_out_as_it_is() -> None:
    async def work() -> None:
        async with progress(lambda: "far", _Terminal()):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_virtual(work())
