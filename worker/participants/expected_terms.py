"""The terms that a meeting's speech engine is told to expect, from all that everybody in the room may read.

What the meeting's own state says is read anew for every stretch. Documents and earlier meetings are read
beside the meeting, when somebody speaks and at most once a minute; nobody waits for them. What is not there
when a stretch begins is not told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final, Protocol

import structlog

from context.fold.meeting import Meeting
from context.ports import PortError
from context.terms import Term, known_terms, likely, open_to_all, spoken_last
from worker.meeting.session import Session

log = structlog.get_logger(__name__)

READ_AGAIN_S: Final = 60.0
"""So long terms of an earlier meeting may still be told of which words were erased."""
WITHIN_S: Final = 2.0


class WrittenTerms(Protocol):
    """Port of what is written elsewhere and open to everybody of the tenant."""

    async def written(self, meeting: Meeting) -> list[Term]:
        """Give the terms of documents and earlier meetings that this one may talk of. Raises `PortError`."""


class RunBeside(Protocol):
    """Port that runs work beside the meeting, and ends it with the meeting."""

    def __call__(self, coro: Coroutine[Any, Any, None], *, name: str) -> object:
        """Start `coro` as a task with this name."""


class ExpectedTerms:
    """The `stt.spoken_terms.Terms` of one meeting."""

    def __init__(
        self,
        session: Session,
        *,
        configured: Sequence[str] = (),
        wake_words: Sequence[str] = (),
        written: WrittenTerms | None = None,
        run: RunBeside | None = None,
    ) -> None:
        """`configured`: those of the settings. `written` is asked in work that `run` starts."""
        self._session, self._configured, self._wake_words = session, configured, wake_words
        self._source, self._run = written, run
        self._written: list[Term] = []
        self._read_at_s: float | None = None

    def __call__(self) -> tuple[str, ...]:
        """Give the terms for a stretch that begins now, the likeliest first."""
        meeting = self._session.manager.meeting
        terms = known_terms(meeting, wake_words=self._wake_words, configured=self._configured)
        if open_to_all(meeting):
            self._read_on()
            terms += self._written
        return likely(terms, spoken_last(meeting))

    def _read_on(self) -> None:
        now_s = self._session.clock.monotonic_s()
        if self._source is None or self._run is None:
            return
        if self._read_at_s is None or now_s - self._read_at_s >= READ_AGAIN_S:
            self._read_at_s = now_s
            self._run(self._read_terms(self._source), name="expected-terms")

    async def _read_terms(self, source: WrittenTerms) -> None:
        """Read what is written elsewhere; where that fails nothing of it is told any more."""
        try:
            async with asyncio.timeout(WITHIN_S):
                self._written = await source.written(self._session.manager.meeting)
        except (PortError, TimeoutError) as error:
            self._written = []
            log.info("written_terms_unread", error=str(error) or type(error).__name__)
        except Exception:  # a defect here costs terms, and not the meeting
            self._written = []
            log.exception("written_terms_failed")
