"""A function in a child process: its result, its bounds, and that nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.fakes import hostile
from tests.integration.children import children
from worker.sandbox.sandbox_faults import Crashed, Declined, TookTooLong, TookTooMuch
from worker.sandbox.sandboxed_call import Bounds, call_sandboxed

BOUNDS = Bounds(deadline_s=20, memory_bytes=512 << 20, result_bytes=1 << 20)
HURRIED = Bounds(deadline_s=1.0, memory_bytes=512 << 20, result_bytes=1 << 20)


async def test_a_result_of_a_large_input_comes_back() -> None:
    data = os.urandom(1 << 20)[: (1 << 20) - 10]
    assert await call_sandboxed(hostile.echo, "모임", data, BOUNDS) == "모임".encode() + data[::-1]
    assert children() == []


@pytest.mark.parametrize("endless", [hostile.spin, hostile.sleep])
async def test_it_is_killed_at_its_deadline(endless: hostile.Function) -> None:
    # By whoever waits or by its own alarm, whichever comes first.
    with pytest.raises(TookTooLong, match=r"^(not done within 1 s|out of time)$"):
        await call_sandboxed(endless, "", bytes(1 << 20), HURRIED)
    assert children() == []


async def test_it_is_killed_where_nobody_waits_any_more() -> None:
    calling = asyncio.ensure_future(call_sandboxed(hostile.sleep, "", b"", BOUNDS))
    while not children():
        await asyncio.sleep(0.01)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert children() == []


async def test_it_ends_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent("""
            import asyncio
            from tests.fakes import hostile
            from worker.sandbox.sandboxed_call import Bounds, call_sandboxed
            asyncio.run(call_sandboxed(hostile.sleep, "", b"", Bounds(60, 512 << 20, 10)))
        """)]
    )  # fmt: skip
    listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    while not (pids := listed.read_text().split()):
        await asyncio.sleep(0.01)
    await asyncio.sleep(1)
    parent.kill()
    parent.wait()
    for _ in range(500):
        if not Path(f"/proc/{pids[0]}/cmdline").exists() or not Path(f"/proc/{pids[0]}/cmdline").read_bytes():
            return
        await asyncio.sleep(0.01)
    pytest.fail("the child outlives its parent")


@pytest.mark.parametrize("greedy", [hostile.fill, hostile.flood])
async def test_it_gets_no_more_memory_than_its_bound(greedy: hostile.Function) -> None:
    with pytest.raises(TookTooMuch):
        await call_sandboxed(greedy, "", b"", BOUNDS)
    assert children() == []


async def test_what_it_declines_is_told_word_for_word() -> None:
    with pytest.raises(Declined, match=r"^a: 읽을 수 없습니다$"):
        await call_sandboxed(hostile.decline, "a", b"x", BOUNDS)


async def test_a_crash_is_an_error_without_what_the_file_says() -> None:
    with pytest.raises(Crashed, match=r"^ended by SIGSEGV$"):
        await call_sandboxed(hostile.crash, "", b"", BOUNDS)
    with pytest.raises(Crashed, match=r"^KeyError$"):
        await call_sandboxed(hostile.fail, "", bytes(10 << 20), BOUNDS)


async def test_it_has_no_settings_and_writes_no_file(tmp_path: Path) -> None:
    assert b"MOIM" not in await call_sandboxed(hostile.look, "", b"", BOUNDS)
    with pytest.raises(Crashed):
        await call_sandboxed(hostile.write, str(tmp_path / "a"), b"", BOUNDS)
    assert not (tmp_path / "a").exists() or not (tmp_path / "a").read_bytes()
