"""What the C heap holds free goes back to the system."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import pytest

from tests.fakes.virtual_time import in_virtual_time
from worker.process import heap

_PIECE_BYTES = 64 * 1024
_PIECES = 512


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_pages_that_are_empty_are_given_back() -> None:
    pieces = [bytearray(b"x" * _PIECE_BYTES) for _ in range(_PIECES)]
    last = bytearray(b"y" * _PIECE_BYTES)  # what lies behind them keeps glibc from giving them back
    full = _resident_bytes()
    del pieces
    heap.give_back()
    assert full - _resident_bytes() > _PIECES * _PIECE_BYTES // 2
    assert len(last) == _PIECE_BYTES


@in_virtual_time
async def test_it_is_done_every_few_seconds_until_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(heap, "give_back", lambda: given.append(loop.time()))
    began = loop.time()
    task = loop.create_task(heap.keep_small())
    await asyncio.sleep(heap.EVERY_S * 3.5)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert [when - began for when in given] == pytest.approx([heap.EVERY_S * n for n in (1, 2, 3)])
