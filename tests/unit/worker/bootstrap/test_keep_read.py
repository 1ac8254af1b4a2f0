"""What was said in a room is in the meeting's index before somebody asks."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from context.budgets.tokens import ExactTokenizer
from context.events.corrections import UtteranceFix
from context.events.events import Corrected
from context.manager import ContextManager
from tests.bench.lives import grown
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings

_DEADLINE_S = 60.0


class _FailsOnce(ContextManager):
    failed = False

    def index_more(self, most: int) -> bool:
        if not self.failed:
            self.failed = True
            raise ValueError("of ours")
        return super().index_more(most)


async def test_the_index_follows_what_is_said() -> None:
    tokenizer = ExactTokenizer()
    meeting = grown(20, tokenizer)  # Korean and English
    manager = _FailsOnce(meeting.meeting_id, meeting=meeting)
    thinking = Thinking(None, tokenizer, Settings.from_env({}))
    reading = asyncio.create_task(thinking.keep_read(manager, every_s=0.001))
    try:
        async with asyncio.timeout(_DEADLINE_S):
            while len(manager.index) < len(meeting.utterances):
                await asyncio.sleep(0)
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
    assert manager.failed
    said = {utterance.id: utterance.text for utterance in meeting.utterances}
    assert "출시일" in said[manager.index.search("출시일이 언제로 결정됐지?")[0][0]]
    assert "server" in said[manager.index.search("Who orders the server?")[0][0]]


def test_what_is_put_right_is_found_by_its_new_words() -> None:
    meeting = grown(20, ExactTokenizer())
    manager = ContextManager(meeting.meeting_id, meeting=meeting)
    while manager.index_more(7):
        pass
    for line, words in (
        (3, "보증 기간은 제플린과 같습니다."),
        (4, "The warranty is the same as Zeppelin's."),
    ):
        fix = UtteranceFix(of="utterance", utterance=line, text=words)
        manager.receive(Corrected(id=f"c-{line}", by="민지", at_ms=0, fix=fix))
    while manager.index_more(7):
        pass
    assert len(manager.index) == len(meeting.utterances)
    assert manager.index.search("제플린 보증 기간")[0][0] == 3
    assert manager.index.search("What about the Zeppelin warranty?")[0][0] == 4
