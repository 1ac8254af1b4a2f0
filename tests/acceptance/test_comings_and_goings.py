"""What people do in a room besides talking. Short scenes, several rooms at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.acceptance.lines import EN, KO, heard_in, line
from tests.acceptance.scenes import say, shown
from tests.acceptance.stack import PATIENCE_S, Play, Stack
from tests.fakes.players import Player

pytestmark = [
    pytest.mark.room,
    pytest.mark.speech,
    pytest.mark.asyncio(loop_scope="module"),
]

ROOMS_AT_A_TIME: Final = 4

GREETING, ONE_SECOND, DECISION, ORDER, MEASURE = (line(EN, number) for number in (0, 1, 6, 7, 8))
SERVER_COSTS, CACHE, JOB_AD = (line(KO, number) for number in (12, 13, 24))


async def enter(play: Play, identity: str, name: str = "") -> Player:
    """A first participant, with Moim in the room and the clock running."""
    player = play.stage.player(identity, name)
    await player.join()
    await play.moim_hears(player)
    play.stage.begin()
    return player


async def join(play: Play, identity: str, name: str = "") -> Player:
    """One more participant."""
    player = play.stage.player(identity, name)
    await player.join()
    return player


def texts(document: dict[str, Any], speaker: str) -> list[str]:
    return [u["text"] for u in document["utterances"] if u["speaker"] == speaker]


# ---- the scenes -------------------------------------------------------------------------------


async def a_late_joiner_is_heard(play: Play) -> None:
    alice = await enter(play, "alice")
    await say(play, alice, GREETING)
    first = await shown(alice, GREETING)
    ben = await join(play, "ben")
    began_s = play.stage.now_s
    await say(play, ben, ORDER)
    late = await shown(alice, ORDER)
    assert (first.speaker, late.speaker) == ("alice", "ben")
    assert late.start_ms > first.end_ms, "one clock for all"
    assert late.track_id == ben.track_id
    print(f"joined at {began_s:.1f} s, heard")


async def last_words_before_hanging_up_are_kept(play: Play) -> None:
    alice = await enter(play, "alice")
    junho = await join(play, "junho", "박준호")
    await say(play, junho, JOB_AD)
    await junho.leave()
    last = await shown(alice, JOB_AD)
    assert last.speaker == "junho"


async def who_comes_back_is_in_the_same_meeting(play: Play) -> None:
    alice = await enter(play, "alice")
    ben = await join(play, "ben", "Ben Carter")
    await say(play, ben, ONE_SECOND)
    await ben.leave()
    await shown(alice, ONE_SECOND)
    await ben.join()
    await say(play, ben, ORDER)
    again = await shown(alice, ORDER)
    document = await play.stack.document(play.meeting_id)
    assert again.speaker == "ben"
    assert heard_in(ONE_SECOND, texts(document, "ben")) == heard_in(ORDER, texts(document, "ben")) == 1
    assert sorted(p["id"] for p in document["participants"]) == ["alice", "ben"]


async def everybody_leaves_and_one_returns(play: Play) -> None:
    alice = await enter(play, "alice")
    await say(play, alice, GREETING)
    await shown(alice, GREETING)
    epoch = (await play.stack.row(play.meeting_id)).epoch
    await alice.leave()
    await asyncio.sleep(6)  # long enough for the closing summary, too short for the room to close
    await alice.join()
    await say(play, alice, DECISION)
    await shown(alice, DECISION)
    row = await play.stack.row(play.meeting_id)
    assert (row.status, row.epoch) == ("live", epoch), "the same meeting, the same holder"


async def a_mute_in_mid_sentence_keeps_what_came_before(play: Play) -> None:
    alice = await enter(play, "alice")
    ben = await join(play, "ben")
    # "The average search takes two seconds. | Last month it was only one second."
    await say(play, ben, ONE_SECOND.first(2.3))
    ben.mute()
    cut = await alice.wait_for(lambda p: next(iter(p.finals), None), PATIENCE_S, "what came before")
    assert cut.speaker == "ben"
    assert "search takes" in cut.text.lower()
    await say(play, ben, DECISION)  # into a closed microphone
    ben.unmute()
    await say(play, ben, ORDER)
    await shown(alice, ORDER)
    document = await play.stack.document(play.meeting_id)
    assert heard_in(DECISION, texts(document, "ben")) == 0, "muted is muted"
    assert sum("search takes" in text.lower() for text in texts(document, "ben")) == 1


async def a_republished_track_goes_on(play: Play) -> None:
    alice = await enter(play, "alice")
    junho = await join(play, "junho", "박준호")
    await say(play, junho, JOB_AD)
    old_track = junho.track_id
    await junho.republish()
    await say(play, junho, CACHE)
    before, after = await shown(alice, JOB_AD), await shown(alice, CACHE)
    assert before.speaker == after.speaker == "junho"
    assert after.track_id == junho.track_id != old_track
    document = await play.stack.document(play.meeting_id)
    assert heard_in(JOB_AD, texts(document, "junho")) == 1


async def two_at_once_are_both_heard(play: Play) -> None:
    alice = await enter(play, "alice")
    seoyeon = await join(play, "seoyeon", "이서연")
    await asyncio.gather(say(play, alice, DECISION), say(play, seoyeon, SERVER_COSTS))
    english, korean = await shown(alice, DECISION), await shown(alice, SERVER_COSTS)
    assert (english.speaker, korean.speaker) == ("alice", "seoyeon")
    assert english.start_ms < korean.end_ms
    assert korean.start_ms < english.end_ms


async def two_of_one_name_are_kept_apart(play: Play) -> None:
    first = await enter(play, "kim-1", "Kim")
    second = await join(play, "kim-2", "Kim")
    await asyncio.gather(say(play, first, GREETING), say(play, second, ORDER))
    assert (await shown(first, GREETING)).speaker == "kim-1"
    assert (await shown(first, ORDER)).speaker == "kim-2"
    document = await play.stack.document(play.meeting_id)
    assert {p["id"]: p["name"] for p in document["participants"]} == {"kim-1": "Kim", "kim-2": "Kim (2)"}
    assert all(p["stats"]["talk_ms"] > 1000 for p in document["participants"])


async def agents_are_neither_heard_nor_answered(play: Play) -> None:
    alice = await enter(play, "alice")
    robot = play.stage.player("robot", kind="agent")
    await robot.join()
    await say(play, robot, DECISION)
    from_robot = await robot.chat("Moim, what did we decide about the second server?")
    await say(play, alice, GREETING)
    await shown(alice, GREETING)
    answered = await alice.ask("Moim, what did we talk about?")
    assert answered.sender != "robot"
    await say(play, alice, MEASURE)
    await shown(alice, MEASURE)
    assert alice.answer_to(from_robot) is None
    assert {t.speaker for t in alice.transcripts} == {"alice"}
    document = await play.stack.document(play.meeting_id)
    assert {u["speaker"] for u in document["utterances"]} == {"alice"}, "not even its own answer"
    assert [p["id"] for p in document["participants"]] == ["alice"]
    assert [r["by"] for r in document["replies"]] == ["alice"]


async def pause_resume_and_leave_do_what_they_say(play: Play) -> None:
    alice = await enter(play, "alice")
    moim = await play.moim_hears(alice)
    await say(play, alice, GREETING)
    await shown(alice, GREETING)
    await _order(alice, "/pause", moim)
    await say(play, alice, DECISION)
    await asyncio.sleep(1.5)  # its last sounds are over before the record goes on
    await _order(alice, "/resume", moim)
    await say(play, alice, ORDER)
    await shown(alice, ORDER)
    document = await play.stack.document(play.meeting_id)
    assert heard_in(DECISION, texts(document, "alice")) == 0, "off the record"
    assert [gap["reason"] for gap in document["gaps"]] == ["off_record"]
    await _order(alice, "/leave", moim)
    row = await play.stack.row_when(
        play.meeting_id, lambda row: row.status == "ended", "the end that was asked for"
    )
    assert row.ended_at is not None
    assert alice.joined, "only Moim has left"


async def _order(player: Player, order: str, moim: str) -> str:
    """Give it, and give back what Moim says to it."""
    before = len(player.chats)
    await player.chat(order)
    said = await player.wait_for(
        lambda p: next((m for m in p.chats[before:] if m.sender == moim and m.done), None),
        10,
        f"a word to {order}",
    )
    print(f"{order}: {said.text!r}")
    assert said.text
    return said.text


Scene = Callable[[Play], Awaitable[None]]
Playing = asyncio.Future[None]
SCENES: Final[tuple[Scene, ...]] = (
    a_late_joiner_is_heard,
    last_words_before_hanging_up_are_kept,
    who_comes_back_is_in_the_same_meeting,
    everybody_leaves_and_one_returns,
    a_mute_in_mid_sentence_keeps_what_came_before,
    a_republished_track_goes_on,
    two_at_once_are_both_heard,
    two_of_one_name_are_kept_apart,
    agents_are_neither_heard_nor_answered,
    pause_resume_and_leave_do_what_they_say,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playing(stack: Stack, request: pytest.FixtureRequest) -> AsyncIterator[dict[Scene, Playing]]:
    """Every selected scene, being played: some at a time, each in a room of its own."""
    free = asyncio.Semaphore(ROOMS_AT_A_TIME)

    async def play(scene: Scene) -> None:
        async with free, stack.play(scene.__name__.replace("_", "-")) as room:
            await scene(room)

    selected = [
        item.callspec.params["scene"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module
    ]
    playing = {scene: asyncio.ensure_future(play(scene)) for scene in selected}
    yield playing
    for task in playing.values():
        task.cancel()
    await asyncio.gather(*playing.values(), return_exceptions=True)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
async def test_scene(scene: Scene, playing: dict[Scene, Playing]) -> None:
    await playing[scene]
