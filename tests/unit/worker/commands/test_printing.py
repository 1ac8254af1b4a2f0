"""What commands print: tables in any script, and on a terminal how far long work has come."""

from __future__ import annotations

import asyncio
import io
import unicodedata

import pytest

from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.commands.printing import in_columns, progress


def test_a_hangul_letter_takes_two_places() -> None:
    name = "주간 회의"
    lines = [("ROOM", "HOLDER", "TITLE"), (name, "a", "제목"), ("stand-up room", "b", "-")]
    assert in_columns(lines).splitlines() == [
        "ROOM           HOLDER  TITLE",
        "주간 회의      a       제목",
        "stand-up room  b       -",
    ]
    in_pieces = [tuple(unicodedata.normalize("NFD", cell) for cell in line) for line in lines]
    assert unicodedata.normalize("NFC", in_columns(in_pieces)) == in_columns(lines)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("took_s", "shown"), [(1.5, ["", ""]), (4.5, ["", "2 of 9", "3 of 9", "4 of 9", ""])]
)
@in_virtual_time
async def test_on_a_terminal_one_line_is_written_anew_and_wiped(took_s: float, shown: list[str]) -> None:
    terminal = _Terminal()
    began_s = asyncio.get_running_loop().time()
    async with progress(lambda: f"{asyncio.get_running_loop().time() - began_s:.0f} of 9", terminal):
        await asyncio.sleep(took_s)
    await asyncio.sleep(0)
    assert terminal.getvalue().split("\r\x1b[K") == shown


@in_virtual_time
async def test_a_pipe_gets_nothing() -> None:
    pipe = io.StringIO()
    async with progress(lambda: "far", pipe):
        await asyncio.sleep(10)
    assert pipe.getvalue() == ""


def test_what_goes_wrong_comes_out_as_it_is() -> None:
    async def work() -> None:
        async with progress(lambda: "far", _Terminal()):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_virtual(work())
