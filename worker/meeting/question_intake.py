"""Takes in questions to a meeting: each is read, and then put on the record, in the order of asking."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import structlog

from context.answering.question_meaning import read as read_by_words
from context.events import events
from context.fold.meeting import Meeting
from context.question import Question
from worker.meeting.side_tasks import SideTasks

log = structlog.get_logger(__name__)

if TYPE_CHECKING:
    from worker.meeting.session import Session


class Reader(Protocol):
    """Reads what a question asks."""

    async def read(self, question: Question, meeting: Meeting) -> Question:
        """The question as it is understood in the meeting, in a tenth of a second at most."""


class QuestionIntake:
    """The questions to one session that are being read."""

    def __init__(self, session: Session, reader: Reader, side_tasks: SideTasks) -> None:
        self._session, self._reader, self._side_tasks = session, reader, side_tasks
        self.under_way: list[asyncio.Task[None]] = []
        """The readings that are not done yet, in the order in which the questions were asked."""

    def ask(
        self, question: Question, position: events.InputPosition | None = None
    ) -> asyncio.Task[None] | None:
        """Have a question read, and put it on the record (`QuestionAsked`).

        `position`: where it stands in its stream; whoever reads the stream on waits for the task, if there is
        one. A session that is stopping takes nothing in, as `Session.post`.
        """
        if self._session.stopped is not None:
            return None
        work = self._read(question, position, tuple(self.under_way))
        task = self._side_tasks.spawn(work, name=f"read:{question.id}", ended=self._done)
        if task is None:  # no work is taken yet
            asked = read_by_words(question, self._session.manager.meeting)
            self._session.post(events.QuestionAsked(question=asked, position=position))
        else:
            self.under_way.append(task)
        return task

    async def _read(
        self,
        question: Question,
        position: events.InputPosition | None,
        before: Sequence[asyncio.Task[None]],
    ) -> None:
        meeting = self._session.manager.meeting
        try:
            read = await self._reader.read(question, meeting)
        except Exception:
            log.exception("question_not_read", invocation=question.id)
            read = read_by_words(question, meeting)
        if before:
            await asyncio.wait(before)
        self._session.post_result(events.QuestionAsked(question=read, position=position))

    async def until_read(self) -> None:
        """Wait until the questions that were asked so far are read: they lie in the session's inbox then."""
        if self.under_way:
            await asyncio.wait(tuple(self.under_way))

    def _done(self, task: asyncio.Task[None]) -> None:
        self.under_way.remove(task)
