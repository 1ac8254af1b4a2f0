"""What an answer is made from, and how the answering part gets it from a meeting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from context.models import AgentCallType, Frozen, Invocation, Utterance
from context.ports import ChatMessage


class Prompt(Frozen):
    """What a model is asked, and what it may cite."""

    messages: tuple[ChatMessage, ...]
    shown: tuple[Utterance, ...]


class Quotes(Protocol):
    """An answer in the meeting's own words (`context.answers.ExtractiveAnswer`)."""

    @property
    def text(self) -> str:
        """Ready to be shown."""
        ...

    @property
    def evidence(self) -> Sequence[int]:
        """The utterances quoted."""
        ...

    @property
    def declined(self) -> bool:
        """True where the record holds no answer."""
        ...


class Desk(Protocol):
    """One meeting, prepared for one question."""

    call_type: AgentCallType
    language: str
    """`ko` or `en`: the question's."""

    async def prepare(self) -> None:
        """What takes long, in slices; called once, before the others."""
        ...

    def quotes(self) -> Quotes:
        """The extractive answer; needs no network and must be quick."""
        ...

    def prompt(self) -> Prompt:
        """Rules, context and question for a model, within its budget."""
        ...


class DeskFor(Protocol):
    """Prepares a question."""

    def __call__(self, invocation: Invocation, manager: object) -> Desk:
        """Determine the call type; build nothing yet."""
        ...
