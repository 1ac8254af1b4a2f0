"""A generator in a child process: its pieces, its bounds, and that nothing of it is left."""

from __future__ import annotations

import tempfile
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.fakes import hostile
from tests.fakes.waiting import until
from tests.integration.children import children
from worker.sandbox.sandbox_faults import Crashed, Declined, TookTooLong, TookTooMuch
from worker.sandbox.sandboxed_call import Bounds, stream_sandboxed

BOUNDS = Bounds(deadline_s=10, memory_bytes=512 << 20, result_bytes=1 << 20, cpu_s=20)


def file_of(data: bytes) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the test's end closes it
    file.write(data)
    file.flush()
    return file


async def collected(
    data: bytes, pieces: int = 3, bounds: Bounds = BOUNDS
) -> tuple[list[bytes], Exception | None]:
    """The pieces that came, and what came behind them."""
    got: list[bytes] = []
    try:
        async with aclosing(stream_sandboxed(hostile.count_up, str(pieces), file_of(data), bounds)) as stream:
            async for piece in stream:
                got.append(piece)  # noqa: PERF401 - what comes before an error counts
    except (Declined, TookTooLong, TookTooMuch, Crashed) as error:
        return got, error
    return got, None


async def test_pieces_come_in_their_order_and_what_a_parser_prints_is_none() -> None:
    assert await collected(b"the rest", 1000) == (
        [str(n).encode() for n in range(1000)] + [b"the rest"],
        None,
    )
    assert children() == []


@pytest.mark.parametrize(
    ("data", "bounds", "kind", "why"),
    [
        (b"fault", BOUNDS, Declined, "여기서 끝"),
        (b"crash", BOUNDS, Crashed, "ended by SIGSEGV"),
        (b"hang", replace(BOUNDS, deadline_s=2), TookTooLong, "no more came within 2 s"),
        (b"spin", replace(BOUNDS, deadline_s=300, cpu_s=1), TookTooLong, "out of time"),
        (b"fill", BOUNDS, TookTooMuch, "out of memory"),
        (b"large", BOUNDS, TookTooMuch, "a piece of it has more than 1,048,576 bytes"),
    ],
)
async def test_what_goes_wrong_comes_behind_the_good_pieces(
    data: bytes, bounds: Bounds, kind: type[Exception], why: str
) -> None:
    got, error = await collected(data, 3, bounds)
    assert (got, type(error), str(error)) == ([b"0", b"1", b"2"], kind, why)
    assert children() == []


async def test_a_child_that_waits_in_a_full_pipe_is_ended() -> None:
    async with aclosing(stream_sandboxed(hostile.count_up, "1000000", file_of(b""), BOUNDS)) as stream:
        assert await anext(stream) == b"0"
        (child,) = children()
        await until(lambda: _is_asleep(child))
    assert children() == []


def _is_asleep(pid: int) -> bool:
    """Whether a process waits for something; one that writes on waits for nothing but its pipe."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


async def test_who_takes_no_more_leaves_no_child() -> None:
    async with aclosing(stream_sandboxed(hostile.count_up, "1000000", file_of(b""), BOUNDS)) as stream:
        assert await anext(stream) == b"0"
        assert children() != []
    assert children() == []
