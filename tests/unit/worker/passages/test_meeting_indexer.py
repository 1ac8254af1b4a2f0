"""A live meeting's passages and its newest words: cut, embedded beside it, taken up by the next holder."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from datetime import UTC, datetime
from weakref import ref

import pytest
from structlog.testing import capture_logs

from context.corpora.passage import Passage
from context.erasure.erased_record import erased
from context.events import events
from context.events.actors import operator
from context.events.corrections import UtteranceFix
from context.events.erasure_target import Target
from context.fold.meeting import Meeting
from context.ports import Refused, Unavailable
from context.primitives.vectors import Vectors
from context.question import Question
from tests.contracts.passages import EN, KO, page, said
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.passages import FakePassages
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside, until
from worker.passages.indexers import MeetingIndexers
from worker.passages.indexing import PUT_OFF_S, MeetingIndexer
from worker.passages.passage_store import EmbedderRefused, Scope, Sweeper

LINES = (
    "출시일은 십이월 이십이일로 하는 것이 좋겠습니다. 결제 기능 테스트가 그 주에 끝납니다.",
    "The buttons of the remote control should be made of rubber, as the children like them soft.",
    "마케팅 예산은 이억 원을 요청했습니다. 작년보다 십 퍼센트 많은 금액입니다.",
    "We still use one server, and the index has grown to four million documents this month.",
)


def meeting(count: int, title: str | None = "주간 회의", room: str | None = None) -> Meeting:
    made = Meeting("m-1")
    made.receive(events.MeetingOpened(meeting_id="m-1", title=title, room=room))
    made.receive(events.MeetingStarted(at=datetime(2026, 1, 5, 9, tzinfo=UTC)))
    speak(made, count)
    return made


def speak(made: Meeting, count: int) -> None:
    for _ in range(count):
        number = len(made.utterances)
        id_, name = (("minji", "김민지"), ("ben", "Ben"))[number % 2]
        text, start_ms = f"{LINES[number % 4]} {number}", number * 3000
        said = {"speaker_id": id_, "speaker_name": name, "text": text, "end_ms": start_ms + 2500}
        made.receive(events.UtteranceSpoken(key=f"k{number}", start_ms=start_ms, **said))


async def whole(indexer: MeetingIndexer, *, over: bool = False) -> None:
    while await indexer.step(over=over):
        pass


@pytest.mark.parametrize(
    ("title", "room", "told"),
    [
        ("주간 회의", "standup", "주간 회의 2026-01-05 09:00"),
        (None, "회의실-1", "회의실-1 2026-01-05 09:00"),
        (None, None, "m-1 2026-01-05 09:00"),
    ],
)
async def test_a_source_is_told_by_the_meetings_title_else_by_its_room(
    title: str | None, room: str | None, told: str
) -> None:
    store = FakePassages()
    await whole(MeetingIndexer(meeting(40, title, room), embedder=FakeEmbedder(), store=store), over=True)
    kept = await store.of_source("meeting", "m-1")
    assert kept[0].citation == told


async def test_passages_are_cut_embedded_and_kept_once_their_topic_is_settled() -> None:
    store, embedder = FakePassages(), FakeEmbedder()
    made = meeting(100)
    indexer = MeetingIndexer(made, embedder=embedder, store=store)
    await whole(indexer)
    assert indexer.stretches
    assert indexer.stretches[-1][1] <= 60, "the newest 40 may still change their topic"
    kept = await store.of_source("meeting", "m-1")
    assert [each.position for each in kept] == list(range(len(indexer.stretches)))
    assert [(each.first, each.last) for each in kept] == indexer.stretches
    assert len(indexer.dense) == len(indexer.stretches) == len(store.embedded)
    assert embedder.seen[0] == kept[0].searched
    assert "주간 회의" in kept[0].prefix
    assert not indexer._wanted, "what the store has is not kept a second time"
    before = len(indexer.stretches)
    speak(made, 60)
    await whole(indexer, over=True)
    assert len(indexer.stretches) > before
    assert indexer.stretches[-1][1] == 160
    assert indexer.stretches[0][0] == 1
    assert len(store.embedded) == len(indexer.stretches)


async def test_whoever_takes_over_embeds_nothing_twice_and_goes_on_where_it_ended() -> None:
    store, first = FakePassages(), FakeEmbedder()
    made = meeting(120)
    await whole(MeetingIndexer(made, embedder=first, store=store))
    kept = await store.of_source("meeting", "m-1")
    second = FakeEmbedder()
    speak(made, 40)
    after = MeetingIndexer(made, embedder=second, store=store)
    await whole(after, over=True)
    straight = MeetingIndexer(made, embedder=FakeEmbedder())
    await whole(straight, over=True)
    stored = await store.of_source("meeting", "m-1")
    covered = [number for each in stored for number in each.utterances]
    assert sorted(set(covered)) == list(range(1, 161))
    assert [(each.first, each.last) for each in stored] == after.stretches
    assert not set(second.seen) & {each.searched for each in kept[:-1]}
    assert len(after.dense) == len(after.stretches)


async def test_without_the_embedder_passages_are_kept_and_embedded_when_it_is_back() -> None:
    store, embedder = FakePassages(), FakeEmbedder(trouble=Unavailable("no embedding engine"))
    indexer = MeetingIndexer(meeting(100), embedder=embedder, store=store, look_every_s=0.01, patience_s=0.01)
    with pytest.raises(Unavailable):
        await whole(indexer)
    assert len(store.rows) == len(indexer.stretches) > 0
    assert store.embedded == {}
    assert "no embedding engine" in indexer.trouble
    running = asyncio.ensure_future(indexer.run())
    embedder.trouble = None
    await until(lambda: len(store.embedded) >= len(indexer.stretches))
    running.cancel()
    assert indexer.trouble == ""


async def test_an_embedder_that_refuses_is_asked_no_more() -> None:
    store, embedder = FakePassages(), FakeEmbedder(trouble=Refused("wrong key"))
    indexer = MeetingIndexer(meeting(100), embedder=embedder, store=store)
    await whole(indexer)
    embedder.trouble = None
    await whole(indexer, over=True)
    assert embedder.seen == []
    assert len(store.rows) == len(indexer.stretches)
    assert await indexer.question_vector("언제?") is None
    assert "wrong key" in indexer.trouble


class Away(FakePassages):
    away = True

    async def put(self, *args: object, **named: object) -> None:
        if self.away:
            raise Unavailable("Postgres cannot be reached")
        await super().put(*args, **named)  # type: ignore[arg-type]  # handed through


async def test_what_waits_for_the_store_is_kept_though_the_embedder_refuses_meanwhile() -> None:
    store, embedder = Away(), FakeEmbedder()
    indexer = MeetingIndexer(meeting(140), embedder=embedder, store=store)
    with pytest.raises(Unavailable):
        await indexer.step()
    embedder.trouble = Refused("wrong key")
    with pytest.raises(Unavailable):
        await indexer.step()
    store.away = False
    await whole(indexer)
    assert len(store.rows) == len(indexer.stretches) > len(indexer.dense) > 0


async def test_a_store_that_is_away_loses_nothing() -> None:
    store = Away()
    indexer = MeetingIndexer(meeting(100), embedder=FakeEmbedder(), store=store)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await whole(indexer)
    store.away = False
    await whole(indexer)
    assert len(store.embedded) == len(indexer.stretches) == len(indexer.dense)


@in_virtual_time
async def test_a_store_that_refuses_is_tried_again_and_ends_neither_indexer_nor_sweeper() -> None:
    class Odd(FakePassages):
        odd = True

        async def put(self, *args: object, **named: object) -> None:
            if self.odd:
                raise Refused("Postgres: a migration is under way")
            await super().put(*args, **named)  # type: ignore[arg-type]  # handed through

        async def without_vector(self, *args: object, **named: object) -> object:  # type: ignore[override]  # as above
            if self.odd:
                raise Refused("Postgres: a migration is under way")
            return await super().without_vector(*args, **named)  # type: ignore[arg-type]  # as above

    store, embedder = Odd(), FakeEmbedder()
    indexer = MeetingIndexer(meeting(100), embedder=embedder, store=store)
    sweeper = Sweeper(store, embedder)
    with capture_logs() as logs:
        async with beside(indexer.run()) as indexing, beside(sweeper.run()) as sweeping:
            await asyncio.sleep(40)
            assert not indexing.done()
            assert not sweeping.done()
            store.odd = False
            await store.put([page("단가표: 삼천 원")])
            await asyncio.sleep(100)
    assert len(store.embedded) == len(indexer.stretches) + 1
    assert "embedding_given_up" not in [line["event"] for line in logs]


async def test_an_embedder_that_refuses_while_a_question_waits_for_it_costs_no_answer() -> None:
    class Leaving(FakeEmbedder):
        asked_first = asyncio.Event()
        free = asyncio.Event()

        async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
            if self.asked_first.is_set():
                raise Refused("wrong key")
            self.asked_first.set()
            await self.free.wait()
            return await super().embed(texts)

    embedder = Leaving()
    indexer = MeetingIndexer(meeting(8), embedder=embedder)
    wanted = asyncio.ensure_future(indexer.embed_lines(range(8)))
    await embedder.asked_first.wait()
    async with beside(indexer.run()):
        await until(lambda: indexer.lines is None)
        embedder.free.set()
        with pytest.raises(EmbedderRefused):
            await wanted
    asked = (await FakeEmbedder().embed(["예산이 얼마죠?"]))[0]
    assert not indexer.meaning(asked).has_vector().any()


async def test_without_an_embedder_there_are_passages_and_no_vectors() -> None:
    store = FakePassages()
    indexer = MeetingIndexer(meeting(100), store=store)
    await indexer.finish(5)
    kept = await store.readable(Scope())
    assert [(each.first, each.last) for each in kept] == indexer.stretches
    assert all(each.text for each in kept)
    assert store.embedded == {}
    assert await indexer.question_vector("언제?") is None


async def test_finishing_has_its_deadline() -> None:
    class Slow(FakeEmbedder):
        async def embed(self, texts: object, *, for_question: bool = False) -> object:  # type: ignore[override]  # never comes back
            await asyncio.Event().wait()

    store = FakePassages()
    indexer = MeetingIndexer(meeting(100), embedder=Slow(), store=store)
    async with asyncio.timeout(5):
        await indexer.finish(0.1)
    kept = await store.of_source("meeting", "m-1")
    assert {number for each in kept for number in each.utterances} == set(range(1, 101)), "by their words"
    assert store.whole == {"m-1"}
    assert indexer.words_kept
    assert indexer.left == len(kept)
    sweeper = Sweeper(store, FakeEmbedder())
    while await sweeper.step():
        pass
    assert len(store.embedded) == len(kept)


async def test_what_could_not_be_stored_at_the_end_is_completed_later() -> None:
    class Away(FakePassages):
        async def put(self, *_given: object) -> None:  # type: ignore[override]  # takes nothing
            raise Unavailable("the store is away")

    store, away = FakePassages(ended=("m-1",)), Away()
    indexer = MeetingIndexer(meeting(100), embedder=FakeEmbedder(), store=away)
    await indexer.finish(1)
    assert not indexer.words_kept
    assert await store.claim_unfinished(4) == ["m-1"]
    await MeetingIndexer(meeting(100), embedder=FakeEmbedder(), store=store).finish(5)
    assert await store.claim_unfinished(4) == []
    assert len(store.embedded) == len(store.rows)


async def test_a_vector_that_was_made_meanwhile_brings_no_erased_words_back() -> None:
    store = FakePassages()
    await store.put([said(KO), said(EN, 1)])

    class ErasedMeanwhile(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
            await store.cut("meeting", "m-1")
            await store.put([said("", 0)])
            return await super().embed(texts, for_question=for_question)

    await Sweeper(store, ErasedMeanwhile()).step()
    assert [each.text for each in await store.of_source("meeting", "m-1")] == [""]
    assert store.embedded == {}


@pytest.mark.parametrize("embedder", [FakeEmbedder(), None])
async def test_a_meeting_that_was_asked_about_does_not_stay_in_memory(embedder: FakeEmbedder | None) -> None:
    indexers, gone = MeetingIndexers(embedder, FakePassages()), []
    for _ in range(3):
        made = meeting(40)
        await indexers.take_up(made)
        asked = await indexers.question_vector(made, "예산이 얼마죠?")
        await indexers.embed_lines(made, range(5))
        if asked is not None:
            indexers.closeness(made, asked)
            indexers.meaning(made, asked)
        await whole(indexers.of(made), over=True)
        gone.append(ref(made))
        del made
    gc.collect()
    assert [left() for left in gone] == [None] * 3


async def test_how_close_each_utterance_is_also_in_a_meeting_that_is_only_looked_at() -> None:
    store = FakePassages()
    made = meeting(160)
    await whole(MeetingIndexer(made, embedder=FakeEmbedder(), store=store), over=True)
    looking, question = MeetingIndexers(FakeEmbedder(), store), "마케팅 예산은 이억 원을 요청했습니다"
    asked = await looking.question_vector(made, question)
    assert looking.closeness(made, asked) is None  # a question does not wait for the store
    await looking.take_up(made)
    close = looking.closeness(made, asked)
    assert close.shape == (160,)
    assert close.std() > 0
    assert await MeetingIndexers(None, store).question_vector(made, "언제?") is None
    away = MeetingIndexers(FakeEmbedder(trouble=Unavailable("away")), store)
    assert await away.question_vector(made, "언제?") is None
    assert MeetingIndexers(FakeEmbedder(), FakePassages()).closeness(made, asked) is None


@in_virtual_time
async def test_the_indexer_takes_up_the_store_when_it_starts_and_no_question_does() -> None:
    class HangingStore(FakePassages):
        async def of_source(self, kind: object, source_id: str) -> list[Passage]:
            await asyncio.Event().wait()
            return []

    made, store = meeting(60), FakePassages()
    await whole(MeetingIndexer(made, embedder=FakeEmbedder(), store=store), over=True)
    indexers = MeetingIndexers(FakeEmbedder(), store)
    async with beside(indexers.run(made)):
        await asyncio.sleep(0.1)  # nobody has asked yet
        asked = await indexers.question_vector(made, "예산이 얼마죠?")
        assert indexers.closeness(made, asked) is not None
    stuck = MeetingIndexers(FakeEmbedder(), HangingStore())
    async with beside(stuck.run(made)), asyncio.timeout(0.1):
        asked = await stuck.question_vector(made, "예산이 얼마죠?")
        await stuck.embed_lines(made, [3])
        assert stuck.closeness(made, asked) is None
        assert stuck.meaning(made, asked).has_vector().nonzero()[0].tolist() == [3]


@pytest.mark.parametrize("question", ["예산이 얼마죠?", "How large is the budget?"])
@in_virtual_time
async def test_lines_that_came_too_late_for_a_question_are_made_before_the_backlog(question: str) -> None:
    class Slow(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
            if for_question:
                await asyncio.sleep(0.04)
            return await super().embed(texts, for_question=for_question)

    made, embedder = meeting(300), Slow()
    lines = MeetingIndexers(embedder, None).of(made).lines
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await lines.embed([10, 20, 30, 40, 50, 60])
    assert embedder.wanted == [made.utterances[place].text for place in (10, 20, 30, 40)]
    assert await lines.newest(400)
    assert lines.missing([10, 20, 30, 40, 50, 60, 299]) == [299]
    while await lines.newest(400):
        pass
    assert not lines.missing(range(300))


@pytest.mark.parametrize("question", ["출시일이 언제로 결정됐지?", "How many servers do we use?"])
@in_virtual_time
async def test_an_answer_goes_first_and_is_not_waited_for_for_ever(question: str) -> None:
    embedder, made = FakeEmbedder(), meeting(100)
    indexer = MeetingIndexer(made, embedder=embedder, store=FakePassages())
    made.receive(events.QuestionAsked(question=asked("q1", question)))
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(indexer.run())
        await asyncio.sleep(PUT_OFF_S / 2)
        assert not indexer.stretches
        made.receive(events.AnswerDropped(invocation_id="q1", why="failed", at_ms=1))
        await asyncio.sleep(1)
        before = len(indexer.stretches)
        assert before
        speak(made, 100)
        made.receive(events.QuestionAsked(question=asked("q2", question)))
        await asyncio.sleep(PUT_OFF_S / 2)
        assert len(indexer.stretches) == before
        await asyncio.sleep(PUT_OFF_S)
        assert len(indexer.stretches) > before
        task.cancel()


def asked(id_: str, text: str) -> Question:
    return Question(id=id_, by="minji", via="chat", text=text, at_ms=1)


@pytest.mark.parametrize(("number", "heard", "meant"), [(3, "이억", "삼억"), (2, "rubber", "timber")])
@pytest.mark.parametrize("successor", [False, True])
async def test_what_people_put_right_is_searched_as_they_put_it(
    number: int, heard: str, meant: str, successor: bool
) -> None:
    store, embedder, made = FakePassages(), FakeEmbedder(), meeting(100)
    indexer = MeetingIndexer(made, embedder=embedder, store=store)
    await whole(indexer, over=True)
    before = len(embedder.seen)
    text = made.utterances[number - 1].text.replace(heard, meant)
    fix = UtteranceFix(of="utterance", utterance=number, text=text, was="?")
    made.receive(events.Corrected(id="c1", by="민지", at_ms=1, fix=fix))
    if successor:
        indexer = MeetingIndexer(made, embedder=embedder, store=store)
    await whole(indexer, over=True)
    kept = await store.of_source("meeting", "m-1")
    assert [each.position for each in kept if text in each.text] == [0]
    assert [(each.first, each.last) for each in kept] == indexer.stretches
    assert len(indexer.dense) == len(kept)
    assert 0 < len(embedder.seen) - before <= 2, "what reads as before keeps its vector"


@pytest.mark.parametrize("number", [3, 2])
async def test_a_line_that_was_erased_has_no_vector_of_its_words_left(number: int) -> None:
    made, embedder = meeting(8), FakeEmbedder()
    indexer = MeetingIndexer(made, embedder=embedder)
    assert indexer.lines is not None
    await indexer.lines.embed(range(8))
    gone = erased(
        made,
        Target(what="utterances", utterances=(number,)),
        id_="x",
        actor=operator("ops"),
        by="민지",
        at_ms=99_000,
    )
    assert gone is not None
    made.receive(gone[0])
    await indexer.step()
    assert indexer.lines.missing(range(8)) == [number - 1]


@in_virtual_time
async def test_a_fault_of_the_embedder_does_not_end_the_passages() -> None:
    class Faulty(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
            if self.trouble is not None:
                raise ValueError("a fault of ours")
            return await super().embed(texts)

    made, embedder = meeting(100), Faulty(trouble=Unavailable(""))
    indexer = MeetingIndexer(made, embedder=embedder)
    async with beside(indexer.run()) as task:
        await asyncio.sleep(20)
        assert not task.done()
        embedder.trouble = None
        await asyncio.sleep(60)
        assert len(indexer.dense)


async def test_what_was_left_without_a_vector_gets_one() -> None:
    store, embedder = FakePassages(), FakeEmbedder()
    pages = [page("단가표: 삼천 원"), *(page(f"page {n}", n) for n in range(1, 20))]
    await store.put([said(KO), said(EN, 1), *pages])
    sweeper = Sweeper(store, embedder)
    done = 0
    while count := await sweeper.step():
        assert count <= 8
        done += count
    assert done == 22
    found = await store.nearest(await embedder.embed_query("단가표: 삼천"), embedder.name, Scope(), k=1)
    assert found[0][0].text == "단가표: 삼천 원"


async def test_another_encoders_vectors_are_made_anew() -> None:
    store = FakePassages()
    for encoder in (FakeEmbedder("one"), FakeEmbedder("two")):
        await store.put([said(KO)])
        assert await Sweeper(store, encoder).step() == 1
        assert await Sweeper(store, encoder).step() == 0


@pytest.mark.parametrize("trouble", [Unavailable("away"), Refused("wrong key")])
async def test_an_embedder_in_trouble_is_asked_again_unless_it_refuses(
    trouble: Unavailable | Refused,
) -> None:
    store, embedder = FakePassages(), FakeEmbedder(trouble=trouble)
    await store.put([said(KO)])
    running = asyncio.ensure_future(Sweeper(store, embedder, every_s=0.01, pause_s=0.01).run())
    await asyncio.sleep(0.05)
    assert running.done() == isinstance(trouble, Refused)
    embedder.trouble = None
    if isinstance(trouble, Unavailable):
        await until(lambda: store.embedded)
        running.cancel()


@in_virtual_time
async def test_embeddings_give_way_while_the_machine_is_at_its_limit_and_are_made_later() -> None:
    embedder, store, at_limit = FakeEmbedder(), FakePassages(), True
    made = meeting(80)
    indexer = MeetingIndexer(
        made, embedder=embedder, store=store, gives_way=lambda: at_limit, look_every_s=1.0, patience_s=1.0
    )
    async with beside(indexer.run()):
        await asyncio.sleep(30)
        assert indexer.stretches, "passages are cut all the same"
        assert (indexer.dense, embedder.seen) == ({}, [])
        assert await indexer.question_vector("예산이 얼마였지?") is not None, "somebody waits for that"
        at_limit = False
        await until(lambda: len(indexer.dense) == len(indexer.stretches))
    at_limit = True
    speak(made, 40)
    await indexer.finish(10)
    assert len(indexer.dense) == len(indexer.stretches), "after the end there is time"
