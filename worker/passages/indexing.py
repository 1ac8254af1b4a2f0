"""One live meeting's passages and their vectors, built beside it.

Theory of operation. Nothing is handed to the indexer: it looks at the meeting's utterances every few
seconds, cuts those whose topic is settled into passages, has some of them embedded and keeps them. So
whatever takes long (the model, the database) makes the indexer late and nobody else; what it has not come
to is found by its words. A holder that takes over finds passages and vectors in the store and goes on
where they end.

While a question waits for its answer nothing is begun: on a small machine the embedding engine's core is
the one that the answer needs. That is put off for `PUT_OFF_S` at most, so a room that asks all the time is
indexed all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary, proxy

import numpy as np
import structlog

from context.corpora.passage import Passage, PassageCutter
from context.meeting import Meeting
from context.plain.asking import Meaning
from context.ports import PortError, Refused, Unavailable
from context.retrieval.ranker import per_utterance, similarities
from context.vectors import Vectors
from worker.passages.store import EmbedderRefused, PassageStore, TextEmbedder, work_through
from worker.passages.topic_turns import LineVectors, TopicMeaning

log = structlog.get_logger(__name__)

_UNSETTLED: Final = 40
"""So many utterances late a change of topic may be found: the newest ones wait for their topic."""
_SLICE: Final = 100
"""Utterances cut at a stretch: some 5 ms."""
_BATCH: Final = 4
"""Passages embedded at a time: some 0.15 s of the engine, beside a question that comes meanwhile."""
PUT_OFF_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.05
_LINES_KEPT_UP: Final = 400
"""So many of the newest lines get vectors as they are spoken; older ones when a question needs them."""
MEANING_S: Final = 3.0
"""A question waits so long for the vectors of lines that have none yet."""
_PATIENCE_S: Final = 15.0
"""After a failure of the embedder or the store."""


class MeetingIndexer:
    """Passages of one meeting, in order, and the vectors of those that have one."""

    def __init__(
        self,
        meeting: Meeting,
        *,
        embedder: TextEmbedder | None = None,
        store: PassageStore | None = None,
        for_topics: bool = True,
        look_every_s: float = 2.0,
        patience_s: float = _PATIENCE_S,
        meaning_s: float | None = MEANING_S,
    ) -> None:
        """Without an embedder passages are cut and kept; without a store they live as long as this object.

        `for_topics`: the newest talk is embedded once more in small pieces, for where topics begin.
        """
        self.stretches: list[tuple[int, int]] = []
        """First and last utterance of each closed passage, by position; the rest has none yet."""
        self._wanted: dict[int, Passage] = {}
        """Passages to be embedded or saved. The others lie in the store: their words once more, in memory,
        for each hour of the meeting, would be more than the words themselves."""
        self.dense: dict[int, Vectors] = {}
        """Vectors by position."""
        self.trouble = ""
        """Why vectors are missing; empty where all is well."""
        self._meeting, self._embedder, self._store = meeting, embedder, store
        self.lines = LineVectors(meeting, embedder) if embedder is not None else None
        self._turns = TopicMeaning(meeting, embedder) if embedder is not None and for_topics else None
        self._look_every_s, self._patience_s, self._meaning_s = look_every_s, patience_s, meaning_s
        self._topics: dict[str, str] = {}
        self._cutter = self._fresh_cutter(0)
        self._read = 0
        self._revision: int | None = 0
        """Of the corrections, under which the passages were cut; None: they are to be cut anew."""
        self._known: Mapping[str, Vectors] = {}
        """Of passages that were cut before: vectors by digest."""
        self._unembedded: list[int] = []
        self._unsaved: list[int] = []
        self._taken_up, self._taking_up = False, asyncio.Lock()

    async def run(self) -> None:
        """Until cancelled. What fails is tried again; nothing of it reaches the meeting.

        An embedder that refuses is asked no more: the meeting goes on by words.
        """
        pauses = {"every_s": self._look_every_s, "patience_s": self._patience_s}
        async with asyncio.TaskGroup() as beside:
            if self._turns is not None:
                beside.create_task(work_through(self._turns.step, "topics", **pauses), name="topic-turns")
            await work_through(self._index, "passages", **pauses)

    async def _index(self) -> bool:
        """A bounded piece of work, after the answers under way, but not for ever."""
        for _ in range(round(PUT_OFF_S / _LOOK_AGAIN_S)):
            if not self._meeting.invocations.wanted():
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        if await self.step():
            return True
        try:
            return self.lines is not None and await self.lines.newest(_LINES_KEPT_UP)
        except EmbedderRefused:
            self.lines = None
            raise Unavailable("lines have no vectors: the embedder refused") from None

    async def finish(self, deadline_s: float) -> None:
        """The meeting is over: everything, its last words included. What is not done in time stays undone."""
        try:
            async with asyncio.timeout(deadline_s):
                while await self.step(over=True):
                    pass
        except (PortError, TimeoutError) as error:
            log.warning("indexing_unfinished", error=str(error) or "out of time", left=len(self._unembedded))

    async def step(self, *, over: bool = False) -> bool:
        """A bounded piece of work; True where there is more. Raises `PortError` where a part is away."""
        await self.take_up()
        if self._revision != self._meeting.corrections.revision:
            await self._cut_anew()
        more = self._cut(over=over)
        try:
            more = await self._embed_some() or more
        finally:
            await self._save_some()
        return more or bool(self._unsaved)

    def begin_again(self) -> None:
        """The store has lost what was kept (words were erased): all of it is cut and kept anew."""
        self._revision = None

    async def closeness(self, question: str) -> Vectors | None:
        """How close each utterance's passage is to `question`; None without vectors. Raises `PortError`."""
        await self.take_up()
        if self._embedder is None or not self.dense:
            return None
        similar = similarities(self.dense, await self._embedder.embed_query(question))
        spans = {place: (first - 1, last - 1) for place, (first, last) in enumerate(self.stretches)}
        return per_utterance(similar, spans, len(self._meeting.utterances)) if similar else None

    async def meaning(self, question: str, wanted: Sequence[int]) -> Meaning | None:
        """Vectors of the question and the lines, `wanted` first; None without any. Raises `PortError`."""
        lines = self.lines  # the indexer may give them up meanwhile
        if self._embedder is None or lines is None:
            return None
        asked = await self._embedder.embed_query(question)
        try:
            async with asyncio.timeout(self._meaning_s):
                await lines.embed(wanted)
        except TimeoutError:
            log.info("lines_without_vectors", lines=len(lines.missing(wanted)))
        rows = lines.rows()
        return Meaning(asked, rows) if rows.shape[1] == len(asked) else None

    async def take_up(self) -> None:
        """What an earlier holder has cut and embedded, as far as it can be gone on with. Once is enough."""
        async with self._taking_up:
            if self._taken_up:
                return
            if self._store is not None and self._meeting.utterances:
                await self._take_up(self._store)
            self._taken_up = True

    async def _take_up(self, store: PassageStore) -> None:
        meeting_id = self._meeting.meeting_id
        kept = await store.of_source("meeting", meeting_id)
        whole = _continuable(kept, len(self._meeting.utterances))
        known = {}
        if self._embedder is not None:
            known = await store.vectors("meeting", meeting_id, self._embedder.name)
        self.stretches = [_stretch(each) for each in whole]
        for passage in whole:
            if (vector := known.get(passage.digest)) is not None:
                self.dense[passage.position] = vector
            elif self._embedder is not None:
                self._wanted[passage.position] = passage.model_copy(update={"corpus": "meeting"})
                self._unembedded.append(passage.position)
        self._cutter = self._fresh_cutter(len(whole))
        self._read = self.stretches[-1][1] if whole else 0

    async def _cut_anew(self) -> None:
        """Words were put right or erased: everything is cut anew; what reads as before keeps its vector."""
        revision, meeting_id = self._meeting.corrections.revision, self._meeting.meeting_id
        if self._store is not None:
            if self._embedder is not None:
                kept = await self._store.vectors("meeting", meeting_id, self._embedder.name)
                self._known = kept or self._known  # none are left where the store has lost the passages
            await self._store.cut("meeting", meeting_id)
        if self.lines is not None:
            self.lines.forget(number - 1 for number in self._meeting.corrections.words)
        self.stretches, self.dense, self._wanted = [], {}, {}
        self._unembedded, self._unsaved, self._read = [], [], 0
        self._revision = revision

    def _fresh_cutter(self, start: int) -> PassageCutter:
        opened = self._meeting.opened
        title = (opened.title or opened.room or "") if opened is not None else ""
        return PassageCutter(self._meeting.meeting_id, title, topics=self._topics, start=start)

    def _cut(self, *, over: bool) -> bool:
        if not self._read and not self.stretches:
            self._cutter = self._fresh_cutter(0)  # by now the meeting has its title
        settled = len(self._meeting.utterances) - (0 if over else _UNSETTLED)
        until = min(settled, self._read + _SLICE)
        if until > self._read:
            self._topics.update({segment.id: segment.name for segment in self._meeting.segments})
            for utterance in self._meeting.utterances[self._read : until]:
                for passage in self._cutter.add(utterance):
                    self._keep(passage)
            self._read = until
        rest = self._cutter.rest() if over and self._read >= settled else None
        if rest is not None and rest.position == len(self.stretches):
            self._keep(rest)
        return settled > self._read

    def _keep(self, passage: Passage) -> None:
        self.stretches.append(_stretch(passage))
        self._wanted[passage.position] = passage
        if (vector := self._known.get(passage.digest)) is not None:
            self.dense[passage.position] = vector
        bare = vector is None and self._embedder is not None
        (self._unembedded if bare else self._unsaved).append(passage.position)

    async def _embed_some(self) -> bool:
        if self._embedder is None or not self._unembedded:
            return False
        batch = self._unembedded[:_BATCH]
        try:
            rows = await self._embedder.embed([self._wanted[place].searched for place in batch])
        except PortError as error:
            self.trouble = f"embeddings: {error}"
            self._unsaved += [place for place in self._unembedded if place not in self._unsaved]
            if isinstance(error, Refused):
                # It will not work however often it is tried: the meeting goes on by words.
                self._embedder, self._unembedded = None, []
                log.warning("embeddings_refused", error=str(error))
                return False
            raise
        self.trouble = ""
        for place, row in zip(batch, rows, strict=True):
            self.dense[place] = row
        self._unembedded = self._unembedded[len(batch) :]
        self._unsaved += [place for place in batch if place not in self._unsaved]
        return bool(self._unembedded)

    async def _save_some(self) -> None:
        places = self._unsaved[:_SLICE] if self._store is not None else self._unsaved
        if self._store is not None:
            if bare := [self._wanted[place] for place in places if place not in self.dense]:
                await self._store.put(bare)
            embedded = [place for place in places if place in self.dense]
            if embedded and self._embedder is not None:
                rows = np.stack([self.dense[place] for place in embedded])
                await self._store.put([self._wanted[place] for place in embedded], rows, self._embedder.name)
        self._unsaved = self._unsaved[len(places) :]
        left = {*self._unembedded, *self._unsaved}
        self._wanted = {place: each for place, each in self._wanted.items() if place in left}


class MeetingIndexers:
    """The indexers of a process's meetings; one is forgotten with its meeting.

    So it must not keep its meeting: it sees it through a proxy. If it held it, the table's value would keep
    its key, and each question about a meeting of the record would leave that meeting in memory for good.
    """

    def __init__(
        self,
        embedder: TextEmbedder | None,
        store: PassageStore | None,
        *,
        for_topics: bool = True,
        meaning_s: float | None = MEANING_S,
    ) -> None:
        """`meaning_s`: how long a question waits for vectors of lines without; None: till they come."""
        self._made = partial(
            MeetingIndexer, embedder=embedder, store=store, for_topics=for_topics, meaning_s=meaning_s
        )
        self._indexers: WeakKeyDictionary[Meeting, MeetingIndexer] = WeakKeyDictionary()

    def of(self, meeting: Meeting) -> MeetingIndexer:
        """The indexer of a meeting; whoever holds the meeting runs it."""
        indexer = self._indexers.get(meeting)
        if indexer is None:
            indexer = self._indexers[meeting] = self._made(proxy(meeting))
        return indexer

    async def run(self, meeting: Meeting) -> None:
        """Run the meeting's indexer until cancelled; meanwhile the meeting stays."""
        await self.of(meeting).run()

    async def closeness(self, meeting: Meeting, question: str) -> Vectors | None:
        """How close each utterance's passage is to `question`; None where nothing can be said. Never raises.

        A meeting that nobody runs an indexer for (it is looked at in the record) has what the store has.
        """
        try:
            return await self.of(meeting).closeness(question)
        except PortError as error:
            log.info("question_without_vector", error=str(error))
            return None

    async def meaning(self, meeting: Meeting, question: str, wanted: Sequence[int]) -> Meaning | None:
        """Vectors of the question and of the meeting's lines; None where there are none. Never raises."""
        try:
            return await self.of(meeting).meaning(question, wanted)
        except PortError as error:
            log.info("question_without_meaning", error=str(error))
            return None


def _stretch(passage: Passage) -> tuple[int, int]:
    """First and last utterance of a meeting's passage."""
    return passage.first or 0, passage.last or 0


def _continuable(kept: Sequence[Passage], utterances: int) -> list[Passage]:
    """Passages without a hole, of utterances that are there, up to the last clean cut between two turns."""
    whole: list[Passage] = []
    for each in kept:
        if each.position != len(whole) or each.last is None or each.last > utterances:
            break
        whole.append(each)
    # The last one may have been the open rest of its day; a turn may go on in the next passage.
    while whole:
        last = whole.pop()
        if whole and whole[-1].last != last.first:
            break
    return whole
