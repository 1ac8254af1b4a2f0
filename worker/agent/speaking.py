"""One answer on its way out: what was written so far, and a way out that may fail underneath.

A room that is gone must not cost the record its answer: when the stream fails, the rest is only
collected.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from context.inert import inert
from context.models import AgentCallType, Invocation
from context.ports import PortError
from worker.ports import ReplyStream

log = structlog.get_logger(__name__)

WRITE_S: Final = 5.0
"""A room that takes longer than this for one piece is as good as gone."""
_GOES_ON: Final = ("(", "[", ":")
_CHUNK: Final = re.compile(r".+?(?:[.!?。？！][\"'”’)*]*(?=\s)\s*|\n+|$)", re.DOTALL)


class ReplyOpener(Protocol):
    """`Outlet.open_reply`, or the session's."""

    async def __call__(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """Start an answer; `to` = one participant alone, None = everybody."""
        ...


class Speech:
    """The text of one answer, streamed as it grows. Opened by its first words."""

    def __init__(self, invocation: Invocation, call_type: AgentCallType, opener: ReplyOpener) -> None:
        self._invocation = invocation
        self._call_type = call_type
        self._opener = opener
        self._stream: ReplyStream | None = None
        self._lost = False
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """Everything said so far."""
        return "".join(self._pieces)

    @property
    def begun(self) -> bool:
        """True once the asker has seen something."""
        return bool(self._pieces)

    async def say(self, text: str, *, evidence: Sequence[int] = ()) -> None:
        """The next piece. `evidence` counts at the opening only; the full list goes with `close`."""
        text = inert(text)
        if not self._pieces:
            text = text.lstrip()
        elif text[:1] in _GOES_ON and self._pieces[-1].endswith("]"):
            text = f" {text}"  # a link in two pieces
        if not text:
            return
        self._pieces.append(text)
        if self._lost:
            return
        try:
            async with asyncio.timeout(WRITE_S):
                if self._stream is None:
                    self._stream = await self._opener(
                        self._invocation.id,
                        self._call_type,
                        evidence=evidence,
                        to=self._invocation.by if self._invocation.private else None,
                    )
                await self._stream.write(text)
        except (PortError, TimeoutError) as error:
            self._lose(error)

    @staticmethod
    def sentences(text: str) -> list[str]:
        """A text that is there already, in pieces that read well as they arrive."""
        return _CHUNK.findall(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """That was all; `evidence` is what the answer rests on in the end."""
        if self._stream is None or self._lost:
            return
        try:
            async with asyncio.timeout(WRITE_S):
                await self._stream.close(evidence=evidence)
        except (PortError, TimeoutError) as error:
            self._lose(error)

    def _lose(self, error: Exception) -> None:
        self._lost = True
        log.warning(
            "reply_stream_lost", invocation=self._invocation.id, error=str(error) or type(error).__name__
        )
