"""One answer on its way out, and the agent's own lines about an answer, in the asker's language.

A room that is gone must not cost the record its answer: when the stream fails, the rest of the text is only
collected.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Final, Literal, Protocol

import structlog

from context.language.closed_lists import wording
from context.models import AgentCallType
from context.ports import PortError
from context.primitives.text import inert
from context.prompts.answer_prompts import WORDING
from context.question import Question
from context.statements.verdicts import VerdictFault
from worker.outlets import ReplyStream

log = structlog.get_logger(__name__)

WRITE_S: Final = 5.0
"""A room that takes longer than this for one piece is as good as gone."""
CLOSE_S: Final = 1.0
"""How long an answer that is broken off, or cancelled when all is said, may take to close its stream."""
_GOES_ON: Final = ("(", "[", ":")
_CHUNK: Final = re.compile(r".+?(?:[.!?。？！][\"'”’)*]*(?=\s)\s*|\n+|$)", re.DOTALL)


class ReplyOpener(Protocol):
    """Opens the stream of a reply, as `Outlet.open_reply` does."""

    async def __call__(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`. Raises `PortError`."""
        ...


class Speech:
    """The text of one answer, streamed as it grows; its first words open the stream."""

    def __init__(self, question: Question, opener: ReplyOpener) -> None:
        self._question = question
        self._opener = opener
        self.instead = ""
        """What they are told from now on who see this meeting alone; "": they may hear the answer itself."""
        self._stream: ReplyStream | None = None
        self._for_all = True
        """Whether those who see this meeting alone hear the stream, too."""
        self._lost = False
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """Everything said so far."""
        return "".join(self._pieces)

    @property
    def begun(self) -> bool:
        """Whether anything was said yet."""
        return bool(self._pieces)

    async def say(self, text: str, *, evidence: Sequence[int] = ()) -> None:
        """Say the next piece of the answer. Never raises for a room: its stream is given up.

        `evidence` counts with the first piece only, which opens the stream; the full list goes with `close`.
        """
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
                if self._stream is not None and self._for_all and self.instead:
                    # The rest is not for everybody who has heard so far: it goes out by itself.
                    await self._stream.close()
                    self._stream = None
                if self._stream is None:
                    self._stream = await self._opened(evidence)
                await self._stream.write(text)
        except (PortError, TimeoutError) as error:
            self._lose(error)

    async def _opened(self, evidence: Sequence[int]) -> ReplyStream:
        self._for_all = not self.instead
        asked = self._question
        return await self._opener(
            asked.id, asked.call_type, evidence=evidence, to=asked.to, instead=self.instead
        )

    @staticmethod
    def sentences(text: str) -> list[str]:
        """Cut a whole text into the pieces in which it is streamed: sentences and lines, nothing left out."""
        return _CHUNK.findall(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """End the answer; `evidence`: the utterances that it rests on in the end."""
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
            "reply_stream_lost", invocation=self._question.id, error=str(error) or type(error).__name__
        )


AnswerNotice = Literal[
    "late",
    "unavailable",
    "spent",
    "broke_off",
    "unsupported",
    "empty",
    "tool_call",
    "refused",
    "not_found",
    "superseded",
    "no_answer",
    "correction",
    "unverified",
    "doubt",
    "said_instead",
    "cut",
]
"""What the agent may have to say about an answer, by the key of its line."""

_TEXTS: Final = {
    language: {**texts, "not_found": WORDING[language]["not_found"]}
    for language, texts in wording("replies").items()
}


def taken_back(claim: str, why: VerdictFault, said: str, language: str) -> str:
    """The line that takes a claim back; `said`: what the record says instead, "" where that is not known."""
    texts = _TEXTS[language]
    line = texts["taken_back"].format(claim=claim, why=texts[why])
    return f"{line}: {said}" if said else f"{line}."


def unverified_mark(language: str) -> str:
    """What stands behind a sentence of which nobody will judge whether it is borne out."""
    return _TEXTS[language]["unverified_mark"]


def unverified(claims: Sequence[str], language: str) -> str:
    """The line that names the sentences of an answer for which no verdict came."""
    return _TEXTS[language]["unverified_claims"].format(claims=", ".join(f"“{claim}”" for claim in claims))


def notice(kind: AnswerNotice, language: str, *, quoted: bool = True) -> str:
    """What the agent says about an answer; `language` is `ko` or `en`. `quoted`: whether quotes follow it."""
    texts = _TEXTS[language]
    return texts[kind] if quoted else texts.get(f"{kind}_alone", texts[kind])
