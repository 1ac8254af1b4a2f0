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

from context.models import AgentCallType
from context.ports import PortError
from context.prompts.answering import WORDING
from context.question import Question
from context.text import inert
from context.verdicts import VerdictFault
from worker.ports import ReplyStream

log = structlog.get_logger(__name__)

WRITE_S: Final = 5.0
"""A room that takes longer than this for one piece is as good as gone."""
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


Notice = Literal[
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

_LINES: Final[dict[Notice, tuple[str, str]]] = {
    "late": (
        "답변 생성이 늦어지고 있어, 기록에 있는 발언을 그대로 전해 드립니다.",
        "The answer is taking too long, so here is what was said, word for word.",
    ),
    "unavailable": (
        "지금은 언어 모델을 쓸 수 없어, 기록에 있는 발언을 그대로 전해 드립니다.",
        "The language model is not available, so here is what was said, word for word.",
    ),
    "spent": (
        "이 회의가 한 시간에 쓸 수 있는 토큰을 다 써서 언어 모델 없이 답합니다. 기록에 있는 발언입니다.",
        "This meeting has used its tokens of this hour, so no language model answers. This is what was said:",
    ),
    "broke_off": (
        "답변이 중간에 끊겼습니다. 관련 발언은 다음과 같습니다.",
        "The answer broke off. This is what was said about it:",
    ),
    "unsupported": (
        "기록에서 근거를 찾지 못한 답변은 전해 드리지 않습니다. 관련 발언은 다음과 같습니다.",
        "An answer that the record does not bear out is not given. This is what was said about it:",
    ),
    "empty": (
        "언어 모델이 빈 답변을 보내, 기록에 있는 발언을 그대로 전해 드립니다.",
        "The language model sent an empty answer, so here is what was said, word for word.",
    ),
    "tool_call": (
        "언어 모델이 답변 대신 도구 호출을 보내, 기록에 있는 발언을 그대로 전해 드립니다.",
        "The language model called a tool instead of answering, so here is what was said, word for word.",
    ),
    "refused": (
        "언어 모델이 답변을 거절하여, 기록에 있는 발언을 그대로 전해 드립니다.",
        "The language model refused to answer, so here is what was said, word for word.",
    ),
    "not_found": (
        WORDING["ko"]["not_found"],
        WORDING["en"]["not_found"],
    ),
    "correction": ("앞의 답변을 정정합니다:", "Correction:"),
    "unverified": (
        "(검증을 거치지 않은 답변입니다. 인용된 발언을 직접 확인해 주세요.)",
        "(This answer was not verified: please look at what it cites.)",
    ),
    "doubt": (
        "이 답변은 질문에 충분히 답하지 못했을 수 있습니다.",
        "This may not answer all of the question.",
    ),
    "said_instead": ("관련 발언은 다음과 같습니다.", "This is what was said about it:"),
    "cut": (
        "(답변이 너무 길어 여기서 줄였습니다. 더 알고 싶은 부분을 다시 질문해 주세요.)",
        "(This answer was too long and is cut here: please ask for the part that you want to know more of.)",
    ),
    "superseded": (
        "(새 질문이 들어와 이 답변은 여기서 중단합니다.)",
        "(Stopped here: a newer question took its place.)",
    ),
    "no_answer": (
        "지금은 답변할 수 없습니다. 잠시 뒤에 다시 질문해 주세요.",
        "I cannot answer right now. Please ask again in a moment.",
    ),
}

_ALONE: Final[dict[Notice, tuple[str, str]]] = {
    "late": (
        "답변 생성이 늦어지고 있으며, 기록에서도 관련 발언을 찾지 못했습니다.",
        "The answer is taking too long, and I find nothing about it in the record.",
    ),
    "unavailable": (
        "지금은 언어 모델을 쓸 수 없으며, 기록에서도 관련 발언을 찾지 못했습니다.",
        "The language model is not available, and I find nothing about it in the record.",
    ),
    "spent": (
        "이 회의가 한 시간에 쓸 수 있는 토큰을 다 썼고, 언어 모델 없이는 관련 발언을 찾지 못했습니다.",
        "This meeting has used its tokens of this hour, and without a language model I find nothing.",
    ),
    "broke_off": ("답변이 중간에 끊겼습니다.", "The answer broke off."),
    "unsupported": (
        "이 회의의 기록에서 근거를 찾을 수 있는 답변이 없습니다.",
        "No answer to this could be verified in the record of this meeting.",
    ),
    "empty": (
        "언어 모델이 빈 답변을 보냈으며, 기록에서도 관련 발언을 찾지 못했습니다.",
        "The language model sent an empty answer, and I find nothing about it in the record.",
    ),
    "tool_call": (
        "언어 모델이 답변 대신 도구 호출을 보냈으며, 기록에서도 관련 발언을 찾지 못했습니다.",
        "The language model called a tool instead of answering, and I find nothing about it in the record.",
    ),
    "refused": (
        "언어 모델이 답변을 거절했으며, 기록에서도 관련 발언을 찾지 못했습니다.",
        "The language model refused to answer, and I find nothing about it in the record.",
    ),
}
"""The same notices where no quote follows; the others are the same with and without one."""

_TAKEN_BACK: Final[dict[VerdictFault, tuple[str, str]]] = {
    "contradicted": ("기록과 다릅니다", "the record says otherwise"),
    "not_said": ("기록에 없는 내용입니다", "the record does not say so"),
    "not_decided": ("결정된 내용이 아닙니다", "that was not decided"),
    "changed_later": ("이후 변경되었습니다", "that was changed later"),
}


def taken_back(claim: str, why: VerdictFault, said: str, language: str) -> str:
    """The line that takes a claim back; `said`: what the record says instead, "" where that is not known."""
    korean, english = _TAKEN_BACK[why]
    line = f"정정: “{claim}” – {korean}" if language == "ko" else f"Correction: “{claim}” – {english}"
    return f"{line}: {said}" if said else f"{line}."


def unverified_mark(language: str) -> str:
    """What stands behind a sentence of which nobody will judge whether it is borne out."""
    return " (미검증)" if language == "ko" else " (unverified)"


def unverified(claims: Sequence[str], language: str) -> str:
    """The line that names the sentences of an answer for which no verdict came."""
    named = ", ".join(f"“{claim}”" for claim in claims)
    return f"(미검증: {named})" if language == "ko" else f"(Not verified: {named})"


def notice(kind: Notice, language: str, *, quoted: bool = True) -> str:
    """What the agent says about an answer; `language` is `ko` or `en`. `quoted`: whether quotes follow it."""
    korean, english = _LINES[kind] if quoted else _ALONE.get(kind, _LINES[kind])
    return korean if language == "ko" else english
