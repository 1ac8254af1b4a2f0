"""What an answer is made from, and how the answering part gets it from a meeting."""

from __future__ import annotations

from collections.abc import Mapping

from context.corpora import Passage
from context.models import (
    AgentContext,
    Frozen,
    PromptRecord,
    Utterance,
)
from context.ports import ChatMessage


class Prompt(Frozen):
    """What a model is asked, and what it may cite."""

    messages: tuple[ChatMessage, ...]
    shown: tuple[Utterance, ...]
    """Utterances of this meeting, and stand-ins for passages from elsewhere (see `worker.agent.quoting`)."""
    tokens: int = 0
    """Of all messages; 0 where nobody counted."""
    context: AgentContext | None = None
    """What it tells of the meeting."""
    thread: str = ""
    """What it shows of earlier exchanges."""
    cited_as: Mapping[int, str] = {}
    """For the stand-ins: how they are named in the answer."""
    headings: tuple[str, ...] = ()
    """The names of the meeting's topics, which may stand above what is cited."""
    record: PromptRecord | None = None
    """What it counts, by producer; None where nobody counted."""
    steering: tuple[str, ...] = ()
    """What of it is meant to steer the model (`context.language.instructions`): nobody's word but its own."""
    asked: tuple[str, ...] = ()
    """The question and those before it that it shows: they bear out nothing."""


class Extras(Frozen):
    """What the steps found beside the meeting's own briefing."""

    query: str = ""
    """What the briefing is made for; empty: the question."""
    passages: tuple[Passage, ...] = ()
    topics: tuple[str, ...] = ()
    """Names of the topics that planning asked for."""
    profile: str = ""
    memory: str = ""
    lacking: tuple[str, ...] = ()
    """What a first answer lacked: this is the second one."""
    before: str = ""
    """That first answer."""
    history: bool = True
    evidence: bool = True


NOTHING_MORE = Extras()
