"""The index of a live meeting: its passages and their vectors, built beside it.

Theory of operation. Nothing is handed to the indexer: it looks at the meeting's utterances every few
seconds, cuts those whose topic is settled into passages, has some of them embedded and stores them. So
whatever takes long (the model, the database) delays the indexer alone; what it has not reached is found by
its words. A holder that takes over finds passages and vectors in the store and goes on where they end.

Where the machine is at its limit (`gives_way`, see `worker.pressure`) nothing is embedded until there is room
again; passages that wait for their vectors are found by their words.

While a question waits for its answer the indexer begins nothing: on a small machine the embedding engine's
core is the one that the answer needs. It waits `PUT_OFF_S` at most, so a room that asks all the time is
indexed all the same.

A question waits for its own vector and for those of the lines that it needs, no longer than its asker says
(`Encoder`); never for the store, from which the indexer takes up what is there when it starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import structlog

from context.budgets.configuration import BudgetConfig
from context.budgets.topic_notes import notes_of
from context.corpora.passage import FIRST_NOTE, Passage, PassageCutter
from context.fold.meeting import Meeting
from context.plain.answer_inputs import QuestionVectors
from context.ports import PortError, Refused, Unavailable
from context.primitives.vectors import Vectors
from context.retrieval.ranker import per_utterance, similarities
from worker.passages.line_vectors import LineVectors
from worker.passages.passage_store import EmbedderRefused, PassageStore, TextEmbedder, work_through
from worker.passages.vector_cache import CachedVectors

log = structlog.get_logger(__name__)

_UNSETTLED_UTTERANCES: Final = 40
"""The newest utterances are not cut yet: a change of topic may be found so many utterances late."""
_SLICE_UTTERANCES: Final = 100
"""Utterances cut at a stretch: some 5 ms."""
_BATCH_PASSAGES: Final = 4
"""Passages embedded at a time: some 0.15 s of the engine, beside a question that comes meanwhile."""
PUT_OFF_S: Final = 10.0
"""The longest that the indexer waits for answers under way."""
_LOOK_AGAIN_S: Final = 0.05
_LINES_KEPT_UP: Final = 400
"""How many of the newest lines get vectors as they are spoken; older ones do when a question needs them."""
PATIENCE_S: Final = 15.0
"""The pause after a failure of the embedder or the store."""


class MeetingIndexer:
    """Cuts, embeds and stores the passages of one meeting, and tells how close they are to a question."""

    def __init__(
        self,
        meeting: Meeting,
        *,
        embedder: TextEmbedder | None = None,
        store: PassageStore | None = None,
        gives_way: Callable[[], bool] = lambda: False,
        look_every_s: float = 2.0,
        patience_s: float = PATIENCE_S,
        budgets: BudgetConfig | None = None,
        kept: CachedVectors | None = None,
    ) -> None:
        """Begin with an empty index; `take_up` adds what the store has.

        Without an embedder passages have no vectors; without a store they live as long as this object.
        `gives_way`: whether embeddings that nobody waits for are to wait now.
        `look_every_s`, `patience_s`: the pauses after work and after a failure. `budgets`: what is kept of a
        topic for later meetings. `kept`: see `LineVectors`.
        """
        self.stretches: list[tuple[int, int]] = []
        """The first and last utterance of each closed passage, by its position."""
        self._wanted: dict[int, Passage] = {}
        """Passages to be embedded or saved, by position. All others lie only in the store: in memory they
        would take more room than the meeting's words themselves."""
        self.dense: dict[int, Vectors] = {}
        """The vectors of passages, by position."""
        self.trouble = ""
        """Why vectors are missing; empty where all is well."""
        self.words_kept = False
        """Whether the meeting is over and all its words are in the store."""
        self._meeting, self._embedder, self._store = meeting, embedder, store
        self.lines = LineVectors(meeting, embedder, kept) if embedder is not None else None
        self._gives_way = gives_way
        self._look_every_s, self._patience_s = look_every_s, patience_s
        self._budgets = budgets or BudgetConfig()
        self._topics: dict[str, str] = {}
        self._cutter = self._fresh_cutter(0)
        self._read = 0
        self._revision: int | None = 0
        """The revision of the corrections under which the passages were cut; None: all must be cut anew."""
        self._known: Mapping[str, Vectors] = {}
        """The vectors of passages that were cut before, by digest."""
        self._unembedded: list[int] = []
        self._unsaved: list[int] = []
        self._taken_up, self._taking_up = False, asyncio.Lock()

    async def run(self) -> None:
        """Index the meeting until cancelled. What fails is tried again; no error reaches the meeting.

        An embedder that refuses is asked no more: the meeting goes on by words.
        """
        await work_through(self._index, "passages", every_s=self._look_every_s, patience_s=self._patience_s)

    async def _index(self) -> bool:
        """Do a bounded piece of work when no answer is under way, or after `PUT_OFF_S`; True for more."""
        for _ in range(round(PUT_OFF_S / _LOOK_AGAIN_S)):
            if not self._meeting.invocations.wanted():
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        if await self.step():
            return True
        try:
            if self.lines is None or self._gives_way():
                return False
            return await self.lines.newest(_LINES_KEPT_UP)
        except EmbedderRefused:
            self.lines = None
            raise Unavailable("lines have no vectors: the embedder refused") from None

    async def finish(self, deadline_s: float) -> None:
        """Index all that is left of a meeting that is over, first its words, then their vectors.

        What is not done in time is done later: see `worker.passages.passage_store`.
        """
        try:
            async with asyncio.timeout(deadline_s):
                await self._keep_words()
                while await self.step(over=True):
                    pass
        except (PortError, TimeoutError) as error:
            log.warning("indexing_unfinished", error=str(error) or "out of time", left=len(self._unembedded))

    @property
    def left(self) -> int:
        """How many of the `stretches` are not in the store as they are to be, with their vectors."""
        return len({*self._unembedded, *self._unsaved})

    async def _keep_words(self) -> None:
        """Cut the rest of a meeting that is over, and store its passages before they have vectors.

        Behind them stand the notes of its topics; a worker's sweep makes their vectors.
        """
        await self.take_up()
        if self._revision != self._meeting.corrections.revision:
            await self._cut_anew()
        more = True
        while more:
            more = self._cut(over=True)
            await asyncio.sleep(0)  # a slice takes 5 ms
        if self._store is None:
            return
        await self._store.put([self._wanted[place] for place in self._unembedded])
        while self._unsaved:
            await self._save_some()
        await self._store.cut("meeting", self._meeting.meeting_id, FIRST_NOTE)
        notes = notes_of(
            self._meeting.segments,
            self._meeting.utterances,
            source_id=self._meeting.meeting_id,
            title=self._title,
            budgets=self._budgets,
        )
        await self._store.put(notes)
        await self._store.note_whole(self._meeting.meeting_id)
        self.words_kept = True

    async def step(self, *, over: bool = False) -> bool:
        """Do a bounded piece of work; True where there is more. Raises `PortError` where a part is away.

        `over`: whether the meeting has ended, so that its newest utterances are cut, too.
        """
        await self.take_up()
        if self._revision != self._meeting.corrections.revision:
            await self._cut_anew()
        more = self._cut(over=over)
        try:
            if over or not self._gives_way():
                more = await self._embed_some() or more
        finally:
            await self._save_some()
        return more or bool(self._unsaved)

    def begin_again(self) -> None:
        """Have all passages cut and stored anew: the store has lost them, as words were erased."""
        self._revision = None

    def closeness(self, asked: Vectors) -> Vectors | None:
        """Tell how close each utterance's passage is to a question's vector; None where none has a vector."""
        if not self.dense:
            return None
        similar = similarities(self.dense, asked)
        spans = {place: (first - 1, last - 1) for place, (first, last) in enumerate(self.stretches)}
        return per_utterance(similar, spans, len(self._meeting.utterances)) if similar else None

    async def question_vector(self, question: str) -> Vectors | None:
        """Give the vector of a question; None without an embedder. Raises `PortError`."""
        return await self._embedder.embed_query(question) if self._embedder is not None else None

    async def embed_lines(self, wanted: Sequence[int]) -> None:
        """Embed the lines at the places `wanted` that have no vector, as `LineVectors.embed`."""
        if self.lines is not None:
            await self.lines.embed(wanted)

    def want_lines(self, wanted: Sequence[int]) -> None:
        """Have the lines at the places `wanted` that have no vector embedded next."""
        if self.lines is not None:
            self.lines.want(wanted)

    def meaning(self, asked: Vectors) -> QuestionVectors:
        """Give a question's vector with those of the meeting's lines that are there."""
        rows = self.lines.rows() if self.lines is not None else np.zeros((0, 0), dtype=np.float32)
        if rows.shape[1] != len(asked):
            rows = np.zeros((len(self._meeting.utterances), len(asked)), dtype=np.float32)
        return QuestionVectors(asked, rows)

    async def take_up(self) -> None:
        """Take over, once, what an earlier holder has cut and embedded. Raises `PortError`."""
        async with self._taking_up:
            if self._taken_up:
                return
            if self._store is not None and self._meeting.utterances:
                await self._take_up(self._store)
            self._taken_up = True

    async def _take_up(self, store: PassageStore) -> None:
        meeting_id = self._meeting.meeting_id
        stored = await store.of_source("meeting", meeting_id)
        whole = _continuable(stored, len(self._meeting.utterances))
        known = {}
        if self._embedder is not None:
            known = await store.vectors("meeting", meeting_id, self._embedder.name)
        self.stretches = [_stretch(passage) for passage in whole]
        for passage in whole:
            if (vector := known.get(passage.digest)) is not None:
                self.dense[passage.position] = vector
            elif self._embedder is not None:
                self._wanted[passage.position] = passage.model_copy(update={"corpus": "meeting"})
                self._unembedded.append(passage.position)
        self._cutter = self._fresh_cutter(len(whole))
        self._read = self.stretches[-1][1] if whole else 0

    async def _cut_anew(self) -> None:
        """Begin to cut anew, as words were corrected or erased; what reads as before keeps its vector."""
        revision, meeting_id = self._meeting.corrections.revision, self._meeting.meeting_id
        if self._store is not None:
            if self._embedder is not None:
                stored = await self._store.vectors("meeting", meeting_id, self._embedder.name)
                self._known = stored or self._known  # none are left where the store has lost the passages
            await self._store.cut("meeting", meeting_id)
        if self.lines is not None:
            erased = {number for mark in self._meeting.erasures for number in mark.utterances}
            self.lines.forget(number - 1 for number in erased | self._meeting.corrections.words.keys())
        self.stretches, self.dense, self._wanted = [], {}, {}
        self._unembedded, self._unsaved, self._read = [], [], 0
        self._revision = revision

    @property
    def _title(self) -> str:
        opened = self._meeting.opened
        return (opened.title or opened.room or "") if opened is not None else ""

    def _fresh_cutter(self, start: int) -> PassageCutter:
        return PassageCutter(self._meeting.meeting_id, self._title, topics=self._topics, start=start)

    def _cut(self, *, over: bool) -> bool:
        if not self._read and not self.stretches:
            self._cutter = self._fresh_cutter(0)  # by now the meeting has its title
        settled = len(self._meeting.utterances) - (0 if over else _UNSETTLED_UTTERANCES)
        until = min(settled, self._read + _SLICE_UTTERANCES)
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
        batch = self._unembedded[:_BATCH_PASSAGES]
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
        places = self._unsaved[:_SLICE_UTTERANCES] if self._store is not None else self._unsaved
        if self._store is not None:
            # Vectors of an embedder that refused meanwhile may wait here: their passages are kept without.
            encoder = self._embedder.name if self._embedder is not None else ""
            embedded = [place for place in places if place in self.dense and encoder]
            if bare := [self._wanted[place] for place in places if place not in embedded]:
                await self._store.put(bare)
            if embedded:
                rows = np.stack([self.dense[place] for place in embedded])
                await self._store.put([self._wanted[place] for place in embedded], rows, encoder)
        self._unsaved = self._unsaved[len(places) :]
        left = {*self._unembedded, *self._unsaved}
        self._wanted = {place: passage for place, passage in self._wanted.items() if place in left}


def _stretch(passage: Passage) -> tuple[int, int]:
    """The first and last utterance of a meeting's passage."""
    return passage.first or 0, passage.last or 0


def _continuable(stored: Sequence[Passage], utterances: int) -> list[Passage]:
    """The stored passages that can be continued: without a hole, up to the last cut between two turns."""
    whole: list[Passage] = []
    for passage in stored:
        if passage.position != len(whole) or passage.last is None or passage.last > utterances:
            break
        whole.append(passage)
    # The last one may have been an open rest; and a turn that was cut in two must not be continued in half.
    while whole:
        last = whole.pop()
        if whole and whole[-1].last != last.first:
            break
    return whole
