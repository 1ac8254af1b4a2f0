"""With a standby no word is lost: killed in the middle of a sentence, or asked to go, somebody goes on."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
import pytest

from tests.acceptance.lines import EN, Line, heard_in, line
from tests.acceptance.scenes import say
from tests.acceptance.scoring import norm
from tests.acceptance.stack import PATIENCE_S, Play, Stack, moim_in, registered, until
from tests.fakes.players import Player
from worker.clock import monotonic_s
from worker.embedded.child import Child
from worker.monitoring import jobs
from worker.ports import MeetingRow

pytestmark = [pytest.mark.room, pytest.mark.speech]

GREETING, ONE_SECOND, INDEX, DECISION, ORDER = (line(EN, number) for number in (0, 1, 3, 6, 7))


_MOST_TEXT: Final = 1.3
"""What is heard is shorter than so many times the script: the shortest line said twice would be more."""


async def standing_by(play: Play, *, epoch: int = 1) -> MeetingRow:
    """The row once there is a holder of at least this epoch and a standby beside it, and both are in the room."""
    return await play.stack.row_when(
        play.meeting_id,
        lambda row: row.holder is not None and row.standby is not None and row.epoch >= epoch,
        "a standby",
    )


async def two_in(play: Play) -> tuple[Player, Player]:
    """Alice and Ben, with Moim in their room and the clock running."""
    alice, ben = play.stage.player("alice", "Alice Moreau"), play.stage.player("ben", "Ben Carter")
    await alice.join()
    await ben.join()
    await moim_in(alice)
    play.stage.begin()
    return alice, ben


async def read(viewer: Player, spoken: Line) -> None:
    """Wait until the viewer has read all of this line, in one turn or, where the machine stalled, in more."""

    def look(player: Player) -> bool:
        return heard_in(spoken, [" ".join(t.text for t in player.finals if t.speaker == spoken.speaker)]) == 1

    await viewer.wait_for(look, PATIENCE_S, repr(spoken.text))


async def test_killed_in_mid_sentence_no_word_is_lost(stack: Stack) -> None:
    async with stack.play("standby", standby=True) as play:
        alice, ben = await two_in(play)
        row = await standing_by(play)
        await _standby_in_room(play, alice)
        await say(play, alice, GREETING)
        await say(play, ben, ONE_SECOND)
        assert row.holder is not None
        assert row.standby is not None

        ben.say(INDEX.pcm, play.stage.now_s + 0.3)
        await play.stage.until(play.stage.now_s + 1.5)  # ben is in the middle of a sentence
        os.kill(row.holder.job_pid, signal.SIGKILL)
        killed_s = monotonic_s()
        taken = await play.stack.row_when(play.meeting_id, lambda r: r.epoch > row.epoch, "a higher epoch")
        print(f"new lease after {monotonic_s() - killed_s:.1f} s")
        assert taken.holder == row.standby, "the standby, and nobody that was sent there"
        await read(alice, INDEX)
        print(f"text again after {monotonic_s() - killed_s:.1f} s")
        await say(play, alice, DECISION)
        await read(alice, DECISION)
        await standing_by(play, epoch=taken.epoch)  # another one is found
        await say(play, ben, ORDER)
        await read(alice, ORDER)
        await _all_there_once(play, [GREETING, ONE_SECOND, INDEX, DECISION, ORDER])


async def test_a_holder_that_stood_still_is_replaced_and_then_says_nothing(stack: Stack) -> None:
    async with stack.play("frozen", standby=True) as play:
        alice, ben = await two_in(play)
        row = await standing_by(play)
        await _standby_in_room(play, alice)
        await say(play, alice, GREETING)
        await read(alice, GREETING)
        assert row.holder is not None

        ben.say(ONE_SECOND.pcm, play.stage.now_s + 0.3)
        await play.stage.until(play.stage.now_s + 1.0)  # in mid-sentence
        os.kill(row.holder.job_pid, signal.SIGSTOP)
        try:
            await play.stack.row_when(play.meeting_id, lambda r: r.epoch > row.epoch, "a higher epoch")
            await read(alice, ONE_SECOND)
        finally:
            os.kill(row.holder.job_pid, signal.SIGCONT)
        await say(play, ben, INDEX)
        await read(alice, INDEX)

        async def gone() -> bool:
            assert row.holder is not None
            return not jobs.alive(row.holder.job_pid)

        await until(gone, "the end of the one that stood still")
        await _all_there_once(play, [GREETING, ONE_SECOND, INDEX])
        by_segment = {(t.segment_id, t.text) for t in alice.finals}
        assert len(by_segment) == len({segment for segment, _ in by_segment}) >= 3, by_segment


async def test_a_worker_that_is_stopped_hands_its_meeting_over_and_exits_with_0(stack: Stack) -> None:
    """In mid-talk, to the other worker, without a gap; nobody had asked for a standby before."""
    async with _second_worker(stack) as worker, stack.play("drained", standby=True) as play:
        alice, ben = await two_in(play)
        row = await _held_by(play, worker.pid)
        await say(play, alice, GREETING)
        await read(alice, GREETING)
        # Bringing the meeting here killed a job whose standby may not have been listening yet.
        before = await _takeover_gaps(play)

        ben.say(ONE_SECOND.pcm, play.stage.now_s + 0.3)
        await play.stage.until(play.stage.now_s + 0.8)
        os.kill(worker.pid, signal.SIGTERM)
        asked_s = monotonic_s()
        taken = await play.stack.row_when(
            play.meeting_id, lambda r: r.epoch > row.epoch and r.holder, "a successor"
        )
        print(f"handed over after {monotonic_s() - asked_s:.1f} s")
        assert taken.holder is not None
        assert taken.holder.worker_pid != worker.pid
        code = await worker.wait(PATIENCE_S)
        print(f"exit {code} after {monotonic_s() - asked_s:.1f} s")
        assert code == 0
        await read(alice, ONE_SECOND)
        await say(play, alice, DECISION)
        await read(alice, DECISION)
        await _all_there_once(play, [GREETING, ONE_SECOND, DECISION], gaps=before)


@asynccontextmanager
async def _second_worker(stack: Stack) -> AsyncIterator[Child]:
    """One that has registered."""
    async with stack.running("worker") as worker:
        await until(lambda: registered(worker), "a second worker")
        yield worker


async def _held_by(play: Play, worker_pid: int) -> MeetingRow:
    """Bring the meeting to this worker, and let nobody stand by any more."""
    row = await standing_by(play)
    for _ in range(5):
        assert row.holder is not None
        if row.holder.worker_pid == worker_pid:
            break
        row = await play.stack.row_when(
            play.meeting_id,
            lambda r: r.standby is not None and r.standby.worker_pid == worker_pid,
            "a standby in the other worker",
        )
        # One that stood by before it, beside the holder, may still be on its way out, and be the first.
        assert row.holder is not None
        os.kill(row.holder.job_pid, signal.SIGKILL)
        row = await standing_by(play, epoch=row.epoch + 1)
    assert row.holder is not None
    assert row.holder.worker_pid == worker_pid
    owner = await asyncpg.connect(play.stack.env["DATABASE_ADMIN_URL"])
    try:
        await owner.execute("UPDATE moim.meetings SET standby_wanted = false WHERE id = $1", play.meeting_id)
    finally:
        await owner.close()
    assert row.standby is not None
    os.kill(row.standby.job_pid, signal.SIGKILL)
    return row


async def _standby_in_room(play: Play, viewer: object) -> None:
    def there() -> bool:
        return any(
            someone.attributes.get("moim.standby") == "1"
            for someone in viewer.room.remote_participants.values()  # type: ignore[attr-defined]  # a player
        )

    await play.stage.wait_for(there, PATIENCE_S, "a standby in the room")


async def _takeover_gaps(play: Play) -> list[dict[str, object]]:
    document = await play.stack.document(play.meeting_id)
    return [gap for gap in document["gaps"] if gap["reason"] == "takeover"]


async def _all_there_once(
    play: Play, lines: list[Line], *, gaps: list[dict[str, object]] | None = None
) -> None:
    """Each speaker's script stands in the record, none of it missing and none of it twice, however it was cut.

    `gaps`: those of takeovers before the one that is looked at.
    """
    document = await play.stack.document(play.meeting_id)
    for speaker in {spoken.speaker for spoken in lines}:
        texts = [u["text"] for u in document["utterances"] if u["speaker"] == speaker]
        script = [spoken for spoken in lines if spoken.speaker == speaker]
        for spoken in script:
            assert heard_in(spoken, [" ".join(texts)]) == 1, (spoken.text, texts)
        ratio = len(norm(" ".join(texts))) / len(norm(" ".join(spoken.text for spoken in script)))
        assert ratio < _MOST_TEXT, (ratio, texts)
    assert await _takeover_gaps(play) == (gaps or [])
