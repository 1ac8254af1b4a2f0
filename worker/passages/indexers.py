"""The indexers of a process: one for each meeting that is held, or that a question is about."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary, proxy

import structlog

from context.budgets.configuration import BudgetConfig
from context.fold.meeting import Meeting
from context.plain.answer_inputs import QuestionVectors
from context.ports import PortError
from context.primitives.vectors import Vectors
from worker.passages.indexing import PATIENCE_S, MeetingIndexer
from worker.passages.passage_store import PassageStore, TextEmbedder, work_through
from worker.passages.vector_cache import VectorCache

log = structlog.get_logger(__name__)

_LATE_MEETINGS: Final = 4
"""So many meetings of the record wait for vectors that a question went without; the oldest gives way."""
_LOOK_LATE_S: Final = 2.0
"""The pause between looks at those: about as long as a question has for its own."""


class MeetingIndexers:
    """The indexers of a process's meetings; each is forgotten with its meeting.

    An indexer sees its meeting through a proxy. If it held the meeting, the table's value would keep its key,
    and each question about a meeting of the record would leave that meeting in memory for good.
    """

    def __init__(
        self,
        embedder: TextEmbedder | None,
        store: PassageStore | None,
        *,
        gives_way: Callable[[], bool] = lambda: False,
        budgets: BudgetConfig | None = None,
        kept: VectorCache | None = None,
    ) -> None:
        """Make indexers with these parts; the arguments are those of `MeetingIndexer`.

        `kept`: where vectors of lines are kept that are worked out for a question, for the next one about the
        same meeting, which may be read anew by then.
        """
        self._kept, self._gives_way = kept, gives_way
        self._late: deque[Meeting] = deque(maxlen=_LATE_MEETINGS)
        """Meetings of the record of which a question needed vectors: they stay until these are made."""
        self._made = partial(
            MeetingIndexer, embedder=embedder, store=store, gives_way=gives_way, budgets=budgets
        )
        self._indexers: WeakKeyDictionary[Meeting, MeetingIndexer] = WeakKeyDictionary()

    def of(self, meeting: Meeting) -> MeetingIndexer:
        """Give a meeting's indexer, made at the first call; whoever holds the meeting runs it."""
        indexer = self._indexers.get(meeting)
        if indexer is None:
            vectors = self._kept.of(meeting.meeting_id) if self._kept is not None else None
            indexer = self._indexers[meeting] = self._made(proxy(meeting), kept=vectors)
        return indexer

    async def run(self, meeting: Meeting) -> None:
        """Run the meeting's indexer until cancelled; meanwhile the meeting stays."""
        await self.of(meeting).run()

    async def take_up(self, meeting: Meeting) -> None:
        """Take over what the store has of a meeting that nobody runs an indexer for, where it is there.

        Of its lines only vectors of what is still said there stay kept.
        """
        if self._kept is not None:
            self._kept.keep_only(meeting.meeting_id, (utterance.text for utterance in meeting.utterances))
        try:
            await self.of(meeting).take_up()
        except PortError as error:
            log.info("passages_not_taken_up", error=str(error))

    async def question_vector(self, meeting: Meeting, question: str) -> Vectors | None:
        """Give a question's vector as `MeetingIndexer.question_vector`, but None where a part is away."""
        try:
            return await self.of(meeting).question_vector(question)
        except PortError as error:
            log.info("question_without_vector", error=str(error))
            return None

    async def embed_lines(self, meeting: Meeting, wanted: Sequence[int]) -> None:
        """Embed lines, as `MeetingIndexer.embed_lines` does; they stay without where a part is away."""
        self._note(meeting)
        try:
            await self.of(meeting).embed_lines(wanted)
        except PortError as error:
            log.info("lines_without_vectors", error=str(error))

    def want_lines(self, meeting: Meeting, wanted: Sequence[int]) -> None:
        """See `MeetingIndexer.want_lines`."""
        self._note(meeting)
        self.of(meeting).want_lines(wanted)

    async def run_late(self) -> None:
        """Make, until cancelled, what questions about meetings of the record went without, for the next."""
        await work_through(self._late_step, "late lines", every_s=_LOOK_LATE_S, patience_s=PATIENCE_S)

    async def _late_step(self) -> bool:
        if not self._late or self._gives_way():
            return False
        lines = self.of(self._late[0]).lines
        if lines is None or not await lines.newest(0):
            self._late.popleft()
        return bool(self._late)

    def _note(self, meeting: Meeting) -> None:
        if self._kept is not None and meeting not in self._late:
            self._late.append(meeting)

    def meaning(self, meeting: Meeting, asked: Vectors) -> QuestionVectors:
        """See `MeetingIndexer.meaning`."""
        return self.of(meeting).meaning(asked)

    def closeness(self, meeting: Meeting, asked: Vectors) -> Vectors | None:
        """See `MeetingIndexer.closeness`."""
        return self.of(meeting).closeness(asked)
