"""A live meeting's newest words are embedded for its topics: beside it, failures and all."""

from __future__ import annotations

import asyncio

import pytest

from context.meeting import Meeting
from context.ports import PortError, Refused, Unavailable
from context.topics.boundary.meaning import HEARD_AGAIN, Meaning
from context.vectors import Vectors
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.test_meeting_indexer import meeting, speak
from worker.passages.indexing import MeetingIndexer
from worker.passages.topic_turns import TopicMeaning

pytestmark = in_virtual_time


def turns(made: Meeting, embedder: FakeEmbedder | None) -> TopicMeaning:
    return TopicMeaning(made, embedder, look_every_s=2.0, patience_s=15.0)


def meaning(made: Meeting) -> Meaning:
    return made.changes.boundaries.detector.meaning


async def whole(topic_meaning: TopicMeaning) -> None:
    while await topic_meaning.step():
        pass


async def test_what_is_said_is_embedded_once_as_the_meeting_goes() -> None:
    made, embedder = meeting(60), FakeEmbedder()
    beside = turns(made, embedder)
    await whole(beside)
    assert meaning(made).drop(31) is not None
    assert meaning(made).drop(61) is None
    speak(made, 60)
    await whole(beside)
    assert meaning(made).drop(91) is not None
    assert len(embedder.seen) == len(set(embedder.seen))


async def test_whoever_takes_over_embeds_the_newest_only() -> None:
    made, embedder = meeting(400), FakeEmbedder()
    await whole(turns(made, embedder))
    assert meaning(made).drop(400 - HEARD_AGAIN - 20) is None
    assert meaning(made).drop(370) is not None


@pytest.mark.parametrize("trouble", [Unavailable("away"), Refused("no such model")])
async def test_trouble_leaves_the_meeting_alone(trouble: PortError) -> None:
    made, embedder = meeting(60), FakeEmbedder(trouble=trouble)
    task = asyncio.create_task(turns(made, embedder).run())
    await asyncio.sleep(20)
    assert meaning(made).drop(31) is None
    embedder.trouble = None
    await asyncio.sleep(40)
    assert (meaning(made).drop(31) is None) is isinstance(trouble, Refused)
    assert task.done() is isinstance(trouble, Refused)
    task.cancel()
    await asyncio.wait([task])


async def test_a_fault_of_the_embedder_ends_neither_topics_nor_passages() -> None:
    class Faulty(FakeEmbedder):
        async def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]  # narrower: a fake
            if self.trouble is not None:
                raise ValueError("a fault of ours")
            return await super().embed(texts)

    made, embedder = meeting(100), Faulty(trouble=Unavailable(""))
    indexer = MeetingIndexer(made, embedder=embedder)
    task = asyncio.create_task(indexer.run())
    await asyncio.sleep(20)
    assert not task.done()
    embedder.trouble = None
    await asyncio.sleep(60)
    assert meaning(made).drop(71) is not None
    assert len(indexer.dense)
    task.cancel()
    await asyncio.wait([task])
