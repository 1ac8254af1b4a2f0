"""Between two holders: what the first recorded is shown, what it no longer took in is the second one's."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from context.events import events
from context.ports import Snapshot
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.outlet import FakeReply
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time

pytestmark = in_virtual_time

KO = ["출시 일정부터 정하겠습니다.", "출시일은 11월 20일로 결정하겠습니다.", "QA는 박준호 님이 맡아 주세요."]
EN = ["Let us talk about the search latency.", "We decided to buy the second server.", "Thanks, that is all."]


def spoken_on(store: FakeStore) -> list[str]:
    return [r.event.text for r in store.events_of("m-test") if isinstance(r.event, events.UtteranceSpoken)]


def deaf(world: World) -> None:
    """From now on its outlet takes for ever: what is recorded is not shown before it dies."""

    async def never(_what: object, *, segment_id: str, durable: bool) -> None:
        del segment_id, durable
        await asyncio.Event().wait()

    world.outlet.show = never  # type: ignore[method-assign]  # an outlet that hangs


@pytest.mark.parametrize("lines", [KO, EN])
async def test_what_a_holder_recorded_and_did_not_show_is_shown_by_the_next(lines: list[str]) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as first:
        await first.say(lines[0])
        deaf(first)
        for line in lines[1:]:
            first.speak(line)
        await asyncio.sleep(0.2)
        assert spoken_on(store) == lines
        assert first.outlet.texts == lines[:1]
        await first.kill()
    async with meeting_at_work(store) as second:
        await second.settle()
        shown = {segment: said.text for said, segment, _ in [*first.outlet.finals, *second.outlet.finals]}
        assert [*shown.values()] == lines
        assert all(durable for _, _, durable in second.outlet.finals)
        numbers = {said.id: segment for said, segment, _ in second.outlet.finals}
        assert len(numbers) == len({*numbers.values()})
    assert spoken_on(store) == lines


@pytest.mark.parametrize("lines", [KO, EN])
async def test_what_was_shown_before_the_snapshot_is_not_shown_again(lines: list[str]) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as first:
        await first.say(*lines)
        await first.session.leave("drained")
    async with meeting_at_work(store) as second:
        await second.settle()
        assert second.outlet.finals == []


@pytest.mark.parametrize("lines", [KO, EN])
async def test_who_leaves_takes_nothing_in_that_it_would_not_show(lines: list[str]) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        store.slow = partial(asyncio.sleep, 0.3)
        world.speak(lines[0])
        leaving = asyncio.ensure_future(world.session.leave("drained"))
        for line in lines[1:]:  # the input goes on while it leaves
            await asyncio.sleep(0.1)
            world.speak(line)
        await leaving
        assert world.outlet.texts == spoken_on(store) == lines[:1]
    record = store.record.meetings["m-test"]
    assert record.snapshot[0] == len(record.events)


@pytest.mark.parametrize("lines", [KO, EN])
async def test_what_is_folded_while_the_last_snapshot_is_being_saved_is_in_the_last_one(
    lines: list[str],
) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*lines)
        save, saved = store.save_snapshot, list[int]()

        async def late(meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
            if not saved:  # as an answer does that was under way
                world.session.post_result(events.ParticipantLeft(participant_id="minji", at_ms=9_000))
                await asyncio.sleep(0.5)
            saved.append(snapshot.seq)
            await save(meeting_id, epoch, snapshot)

        store.save_snapshot = late  # type: ignore[method-assign]  # a store that takes its time
        await world.session.leave("drained")
    events_kept, kept = store.events_of("m-test"), await store.load("m-test")
    assert kept.snapshot.seq == len(events_kept)


@pytest.mark.parametrize(
    ("line", "question"), [(KO[1], "출시일이 언제야?"), (EN[1], "What did we decide to buy?")]
)
@pytest.mark.parametrize("closes_after_s", [0.3, 30.0])
async def test_an_answer_that_was_said_and_not_closed_is_not_said_again(
    line: str, question: str, closes_after_s: float
) -> None:
    """Its holder leaves in the middle of the stream's last close, whether that comes to an end or not."""
    store = FakeStore()
    async with meeting_at_work(store) as first:
        await first.say(line)
        closing = asyncio.Event()

        async def close(_reply: FakeReply, *, evidence: Sequence[int] = ()) -> None:
            del evidence
            closing.set()
            await asyncio.sleep(closes_after_s)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FakeReply, "close", close)
            first.ask(question)
            await closing.wait()
            await first.session.leave("handed_over", deadline_s=0.1)
        (said,) = first.outlet.replies
        assert said.text
    async with meeting_at_work(store) as second:
        await second.settle()
        await asyncio.sleep(40)
        assert second.outlet.replies == []
        (reply,) = second.session.manager.meeting.replies
        assert reply.text == said.text.strip()


async def test_an_answer_that_was_not_said_to_its_end_is_the_successors() -> None:
    store = FakeStore()
    async with meeting_at_work(store) as first:
        await first.say(EN[1])
        writing = asyncio.Event()

        async def write(_reply: FakeReply, text: str) -> None:
            del text
            writing.set()
            await asyncio.sleep(30)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FakeReply, "write", write)
            first.ask("What did we decide to buy?")
            await writing.wait()
            await first.session.leave("handed_over", deadline_s=0.1)
    assert not any(r.event.kind in {"answer_given", "answer_dropped"} for r in store.events_of("m-test"))
    async with meeting_at_work(store) as second:
        await second.settle()
        assert [reply.invocation_id for reply in second.outlet.replies] == ["q1"]
