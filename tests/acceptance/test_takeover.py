"""SIGKILL of the job, and of the worker, in the middle of a meeting: another goes on by itself."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.acceptance.lines import EN, heard_in, line
from tests.acceptance.scenes import say, shown
from tests.acceptance.stack import Stack
from worker.clock import monotonic_s
from worker.demo.room_texts import TranscriptStream

pytestmark = [pytest.mark.room, pytest.mark.speech]

GREETING, ONE_SECOND, INDEX, DECISION, ORDER = (line(EN, number) for number in (0, 1, 3, 6, 7))


@pytest.mark.parametrize("victim", ["job", "main"])
async def test_another_goes_on_by_itself(stack: Stack, victim: str) -> None:
    async with stack.play(f"killed-{victim}") as play:
        alice, ben = play.stage.player("alice", "Alice Moreau"), play.stage.player("ben", "Ben Carter")
        await alice.join()
        await ben.join()
        await play.moim_hears(alice)
        play.stage.begin()
        await say(play, alice, GREETING)
        await say(play, ben, ONE_SECOND)
        await say(play, alice, DECISION)
        await shown(alice, DECISION)
        held = await stack.row(play.meeting_id)
        before = await stack.document(play.meeting_id)
        acknowledged = [t for t in alice.finals if t.durable]
        assert len(acknowledged) >= 3

        ben.say(INDEX.pcm, play.stage.now_s + 0.3)
        await play.stage.until(play.stage.now_s + 1.5)  # ben is in the middle of a sentence
        assert held.holder is not None
        os.kill(held.holder.job_pid if victim == "job" else held.holder.worker_pid, signal.SIGKILL)
        killed_s = monotonic_s()
        taken = await stack.row_when(
            play.meeting_id,
            lambda row: row.epoch > held.epoch and row.holder is not None,
            "a higher epoch",
        )
        leased_s = monotonic_s() - killed_s
        await play.moim_hears(alice, epoch=taken.epoch)
        heard_s = monotonic_s() - killed_s
        print(f"{victim} killed: new lease after {leased_s:.1f} s, in the room after {heard_s:.1f} s")

        # The one that was killed is still listed in the room; nobody must mind.
        await say(play, ben, ORDER)
        assert (await shown(alice, ORDER)).speaker == "ben"
        answer = await alice.ask("What did we decide about the second server?")
        assert answer.evidence, answer.text
        assert set(answer.evidence) <= {t.utterance for t in alice.finals}
        assert [m for m in alice.chats if m.invocation == answer.invocation] == [answer]

        after = await stack.document(play.meeting_id)
        _nothing_lost_nothing_twice(acknowledged, before, after, alice.transcripts)
        assert heard_in(ORDER, [u["text"] for u in after["utterances"]]) == 1
        print(f"gaps: {after['gaps']}")
        assert after["meeting"]["status"] == "live"
        assert after["meeting"]["started_at"] == before["meeting"]["started_at"]
        times = [u["start_ms"] for u in after["utterances"] if u["speaker"] == "ben"]
        assert times == sorted(times), "one clock before and after"


def _nothing_lost_nothing_twice(
    acknowledged: list[TranscriptStream],
    before: dict[str, Any],
    after: dict[str, Any],
    transcripts: list[TranscriptStream],
) -> None:
    kept = sorted(after["utterances"], key=lambda u: u["id"])
    assert kept[: len(before["utterances"])] == sorted(before["utterances"], key=lambda u: u["id"])
    assert [u["id"] for u in kept] == list(range(1, len(kept) + 1))
    on_record = [(u["id"], u["speaker"], u["text"]) for u in kept]
    for final in acknowledged:
        assert on_record.count((final.utterance, final.speaker, final.text)) == 1
    assert [t["name"] for t in before["topics"]] == [t["name"] for t in after["topics"]][
        : len(before["topics"])
    ]
    by_segment: dict[str, set[tuple[int | None, str]]] = {}
    for final in (t for t in transcripts if t.final):
        by_segment.setdefault(final.segment_id, set()).add((final.utterance, final.text))
    assert all(len(shown_as) == 1 for shown_as in by_segment.values()), "same id, same text"
    assert len({number for shown_as in by_segment.values() for number, _ in shown_as}) == len(by_segment)
