"""What was said in a room is in the meeting's index before somebody asks."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from context.budget import ExactTokenizer
from context.meeting import Meeting
from tests.bench.lives import grown
from worker.configuration.settings import Settings
from worker.engines.thinking import Thinking

_DEADLINE_S = 60.0


async def test_the_index_follows_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = ExactTokenizer()
    meeting = grown(20, tokenizer)  # Korean and English
    thinking = Thinking(None, tokenizer, Settings.from_env({}))
    desks, failed = thinking._desks, list[Meeting]()
    read_up = desks.read_up

    async def fails_once(of: Meeting) -> None:
        if not failed:
            failed.append(of)
            raise ValueError("of ours")
        await read_up(of)

    monkeypatch.setattr(desks, "read_up", fails_once)
    reading = asyncio.create_task(thinking.keep_read(meeting, every_s=0.001))
    try:
        async with asyncio.timeout(_DEADLINE_S):
            while len(desks.index(meeting)) < len(meeting.utterances):
                await asyncio.sleep(0)
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
    assert failed == [meeting]
    said = {utterance.id: utterance.text for utterance in meeting.utterances}
    assert "출시일" in said[desks.index(meeting).search("출시일이 언제로 결정됐지?")[0][0]]
    assert "server" in said[desks.index(meeting).search("Who orders the server?")[0][0]]
