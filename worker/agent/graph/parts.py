"""What the steps of an answer work with: small doors, each of which may be absent.

A part that is None is left out: its step passes the state on unchanged and says so in its record. None
of these may raise for a part of theirs that is away. `context.corpora.Retriever` is the fifth door.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from context.corpora.passage import Passage, Retriever
from context.features import CompressionStrategy, Features
from context.models import AgentCallType, Frozen, Invocation, PromptRecord


class AskedIn(Frozen):
    """A question in its place: what an answer kept for another question must share to be this one's too."""

    question: str
    meeting_id: str
    tenant: str = "default"
    asker: str = ""
    private: bool = False
    language: str = "ko"
    call_type: AgentCallType = "IMMEDIATE_RESPONSE"
    now_ms: int = 0
    """Meeting time."""
    after_utterance: int = 0
    """The last utterance on the record when it was asked."""


class CachedAnswer(Frozen):
    """An answer that was given before and still stands."""

    text: str
    evidence: tuple[int, ...] = ()
    similarity: float = 1.0
    quality: float = 1.0
    tokens_saved: int = 0


class NewAnswer(Frozen):
    """A verified answer on its way into the cache."""

    text: str
    evidence: tuple[int, ...]
    quality: float
    tokens: int
    took_ms: float
    personal: bool = False
    """Made with what is known of the asker: it is kept for them alone."""


class AnswerMemory(Protocol):
    """Answers that were given: one per meeting or tenant, as the guards decide."""

    async def find(self, asked: AskedIn, manager: object, features: Features) -> CachedAnswer | None:
        """An answer whose question means the same and whose evidence is unchanged in `manager`'s meeting."""
        ...

    async def keep(self, asked: AskedIn, given: NewAnswer, manager: object, features: Features) -> None:
        """Keep a verified answer."""
        ...


class Slots(Protocol):
    """What a text names, by kind: people, dates, amounts, decisions, actions …; each as it was said."""

    def extract(self, text: str, language: str) -> Mapping[str, Sequence[str]]:
        """Pure, some milliseconds at most."""
        ...


class Remembered(Frozen):
    """What the agent knows beside the record of this meeting's talk."""

    profile: str = ""
    """Of the asker, in plain prose."""
    name: str = ""
    """The asker's, as the profile tells it."""
    tasks: tuple[str, ...] = ()
    """What the asker has taken on, as far as the profile tells it."""
    health: bool = False
    """Whether the profile tells something of the asker's health."""
    working: str = ""
    compressed: str = ""
    semantic: str = ""
    tokens: int = 0


class TurnMemory(Protocol):
    """The agent's memory of its own exchanges, rebuilt from the meeting's thread."""

    async def recall(
        self,
        invocation: Invocation,
        manager: object,
        slots: Mapping[str, Sequence[str]],
        features: Features,
        *,
        max_tokens: int,
    ) -> Remembered:
        """What bears on a question, the earlier turns taken in; tiers only where the flag is on."""
        ...

    def widening(self, invocation: Invocation, manager: object, language: str) -> str:
        """What is known of the asker that a search is widened by; "" where nothing is."""
        ...

    def notices(self, invocation: Invocation, manager: object, answer: str, language: str) -> Sequence[str]:
        """What the asker should be told beside this answer, a line each."""
        ...


class Compressed(Frozen):
    """Passages made shorter, and what that came to."""

    passages: tuple[Passage, ...]
    tokens_before: int
    tokens_after: int


class Compressor(Protocol):
    """Makes passages shorter with regard to a question."""

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        *,
        target_tokens: int,
        strategy: CompressionStrategy,
        on_prompt: Callable[[PromptRecord], None] = lambda _prompt: None,
    ) -> Compressed:
        """At most `target_tokens` together; where the abstract step is away, by extraction.

        `on_prompt` is told what a model was sent for it.
        """
        ...


class EarlierTalk(Protocol):
    """What earlier meetings of the same room left behind."""

    async def passages(
        self, manager: object, question: str, *, reader: str = "", within: int
    ) -> Sequence[Passage]:
        """What of it bears on a question, best first, in `within` tokens.

        `reader`: who alone will see the answer; "": everybody.
        """
        ...


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The doors that a process has."""

    retriever: Retriever | None = None
    answers: AnswerMemory | None = None
    slots: Slots | None = None
    memory: TurnMemory | None = None
    compressor: Compressor | None = None
    earlier: EarlierTalk | None = None
