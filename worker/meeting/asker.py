"""Answers questions about a meeting from outside its room: piece by piece, then the whole reply.

While the meeting is live its holder answers, through Redis, and the reply is on the record. Before and after
that, without Redis, for the asker alone, and about a part of the meeting, the answer is made here from the
record, and kept nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from context.export.document import reply_fields, run_fields
from context.fold.excerpt import excerpt, since
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import AgentCallType
from context.ports import MeetingStore, Unavailable
from context.question import Question
from worker.agent.calls.deadlines import Deadlines
from worker.clock import Clock
from worker.configuration.settings import Settings
from worker.meeting.session import Thinker
from worker.messages import AskMessage
from worker.outlets import ReplyStream
from worker.ports import MeetingRow
from worker.record.restoring import read_meeting

_WAY_S: Final = 10.0
"""The way to the holder and back, at most."""


Pieces = AsyncGenerator[str | dict[str, Any], None]
"""The pieces of the answer's text, and at last the fields of the reply (`reply_fields`, `run_fields`)."""


def reply_deadline_s(settings: Settings) -> float:
    """How long a holder's reply is waited for: an answer's time, that of its verification, and the way."""
    return Deadlines().answer_s + settings.agent.verify_s + _WAY_S


class NothingOnRecord(Exception):
    """The meeting has no record yet: there is nothing to ask about."""


class AskBus(Protocol):
    """The streams by which a live meeting is asked and answers. Its methods raise `PortError`."""

    async def newest(self, meeting_id: str) -> str:
        """The position of the last entry in the meeting's stream of events."""

    async def ask(self, meeting_id: str, question: AskMessage) -> str:
        """Put a question to the meeting's holder; gives the entry's position in its stream."""

    def follow_reply(
        self, meeting_id: str, invocation_id: str, after: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        """An answer behind the position `after`: `{"text"}` for each piece, then `{"reply"}`."""


@dataclass(frozen=True, slots=True)
class Within:
    """A part of a meeting: the utterances from `first` to `last`, of those the ones of the last minutes."""

    last_minutes: int | None = None
    first: int = 1
    """The number of the part's first utterance."""
    last: int | None = None
    """The number of its last utterance; None: the meeting's last one."""


class Asker:
    """Answers questions about any meeting of the tenant."""

    def __init__(
        self,
        store: MeetingStore,
        thinker: Thinker,
        settings: Settings,
        *,
        bus: AskBus | None,
        clock: Clock,
        take_up: Callable[[Meeting], Awaitable[None]],
    ) -> None:
        """Without a `bus` live meetings, too, are answered for from their record.

        `take_up` makes what is stored of a meeting's passages and their vectors part of its answers.
        """
        self._store, self._thinker, self._settings = store, thinker, settings
        self._bus, self._clock, self._take_up = bus, clock, take_up

    def ask(self, row: MeetingRow, question: Question, within: Within | None = None) -> Pieces:
        """The answer as it grows; closing the iterator gives it up.

        A private question, and one about the part of the meeting that is `within`, are answered from the
        record, and kept nowhere. Raises `NothingOnRecord` before the first piece, and `Unavailable` where no
        answer comes.
        """
        alone = question.private or within is not None
        if row.status == "live" and self._bus is not None and not alone:
            return self._of_holder(self._bus, row, question)
        return self._of_record(row, question, within)

    async def _of_holder(self, bus: AskBus, row: MeetingRow, question: Question) -> Pieces:
        via: Literal["http", "cli"] = "cli" if question.via == "cli" else "http"
        message = AskMessage(
            id=question.id, by=question.by, text=question.text, features=question.features, via=via
        )
        after = await bus.newest(row.id)
        await bus.ask(row.id, message)
        following = bus.follow_reply(row.id, message.id, after)
        deadline_s = reply_deadline_s(self._settings)
        until_s = self._clock.monotonic_s() + deadline_s
        try:
            while True:
                async with asyncio.timeout(until_s - self._clock.monotonic_s()):
                    entry = await anext(following, None)
                if entry is None:
                    return
                yield entry["reply"] if "reply" in entry else str(entry.get("text", ""))
        except TimeoutError:
            holder = f"{row.holder.host}, job {row.holder.job_pid}" if row.holder else "nobody at the moment"
            raise Unavailable(
                f"no reply from meeting {row.id!r} in {deadline_s:.0f} s (held by {holder})"
            ) from None
        finally:
            await following.aclose()

    async def _of_record(self, row: MeetingRow, question: Question, within: Within | None) -> Pieces:
        meeting = await read_meeting(self._store, row.id, self._settings)
        if meeting is None:
            raise NothingOnRecord
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        answering = asyncio.ensure_future(self._answer(meeting, question, within, pieces))
        answering.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            yield await answering
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    async def _answer(
        self,
        meeting: Meeting,
        question: Question,
        within: Within | None,
        pieces: asyncio.Queue[str | None],
    ) -> dict[str, Any]:
        passed_over = 0
        if within is not None:
            count = len(meeting.utterances)
            first = min(max(1, within.first), count + 1)
            if within.last_minutes is not None:
                first = max(first, since(meeting, within.last_minutes))
            last = count if within.last is None else within.last
            passed_over = first - 1
            meeting = await asyncio.to_thread(excerpt, meeting, first, last)
        else:
            await self._take_up(meeting)
        last_ms = max((utterance.end_ms for utterance in meeting.utterances), default=0)
        question = question.model_copy(update={"at_ms": last_ms, "after_utterance": len(meeting.utterances)})
        manager = ContextManager(meeting.meeting_id, self._settings.context, meeting=meeting)
        question = await self._thinker.reader.read(question, meeting)
        run = await self._thinker.answer(
            question, manager, _Pieces(pieces).open_reply, now_ms=lambda: last_ms
        )
        evidence = [number + passed_over for number in run.evidence]
        return {**reply_fields(run), "evidence": evidence, **run_fields(run)}


class _Pieces:
    """A `ReplyStream` into a queue, which opens itself."""

    def __init__(self, pieces: asyncio.Queue[str | None]) -> None:
        self._pieces = pieces

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`."""
        del invocation_id, call_type, evidence, to, instead
        return self

    async def write(self, text: str) -> None:
        """See `ReplyStream.write`."""
        self._pieces.put_nowait(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """See `ReplyStream.close`: nothing to do, as the whole reply follows."""
