"""What an answer is made from, and how the answering part gets it from a meeting."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from context.answering.follow_up import Exchange, FollowUp
from context.answering.token_plan import TokenManager
from context.corpora import Passage, Query
from context.evidence.verdicts import Claim
from context.features import Features
from context.models import (
    AgentCallType,
    AgentContext,
    Frozen,
    Invocation,
    PromptRecord,
    TopicSegment,
    Utterance,
)
from context.plain.answer import Certainty
from context.ports import ChatMessage, Tokenizer
from context.reading.requests import Request
from worker.agent.graph.ports import AskedIn


class Prompt(Frozen):
    """What a model is asked, and what it may cite."""

    messages: tuple[ChatMessage, ...]
    shown: tuple[Utterance, ...]
    """Utterances of this meeting, and stand-ins for passages from elsewhere (see `worker.agent.sources`)."""
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


class Quotes(Protocol):
    """An answer in the meeting's own words (`context.plain.answer.QuotedAnswer`)."""

    @property
    def text(self) -> str:
        """Ready to be shown."""
        ...

    @property
    def evidence(self) -> Sequence[int]:
        """The utterances quoted."""
        ...

    @property
    def certainty(self) -> Certainty:
        """Whether this is an answer, what comes closest, or that there is none."""
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
    request: Request
    """What is asked for; by words alone until `weigh`."""

    async def prepare(self) -> None:
        """What takes long, in slices; called once, before the others."""
        ...

    async def weigh(self, question: str) -> None:
        """What takes an encoder: what the question asks for, and what vectors say of it. Never raises."""
        ...

    def quotes(
        self, passages: Sequence[Passage] = (), question: str = "", follows: FollowUp | None = None
    ) -> Quotes:
        """The extractive answer, from `passages` where the meeting has none; no network, and quick.

        `question`: how the asker's is to be read; empty: as it was asked. `follows`: what it takes from
        the turn before.
        """
        ...

    def prompt(self, extras: Extras = NOTHING_MORE) -> Prompt:
        """Rules, context and question for a model, within its budget."""
        ...

    @property
    def asked_in(self) -> AskedIn:
        """The question in its place."""
        ...

    @property
    def tokens(self) -> TokenManager:
        """The shares of this model's prompts."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts as the model does."""
        ...

    def query(self, text: str, features: Features) -> Query:
        """What to look up, by whom and where."""
        ...

    def topics(self) -> Sequence[TopicSegment]:
        """All topics of the meeting so far."""
        ...

    def planning_input(self, most: int) -> str:
        """Seed 000's planning input in at most so many tokens, safe to be shown to a model."""
        ...

    def required_topics(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """Topics by name in full, safe to be shown, and the names that no topic has."""
        ...

    def topics_fit(self) -> bool:
        """Whether a prompt shows all topics anyway."""
        ...

    def history(self) -> Sequence[Exchange]:
        """The asker's own last questions with their answers, oldest first."""
        ...

    def follows(self) -> FollowUp | None:
        """What the question takes from the turn before; None where it stands alone."""
        ...

    def sources(self, evidence: Sequence[int]) -> Mapping[int, str]:
        """What utterances say, with their speakers' names, as the checks read it."""
        ...

    def names(self) -> Sequence[str]:
        """Of the participants."""
        ...

    def witnesses(self, claims: Sequence[Claim]) -> Sequence[Utterance]:
        """The utterances of this meeting that claims are held against."""
        ...


class DeskFor(Protocol):
    """Prepares a question."""

    def __call__(self, invocation: Invocation, manager: object) -> Desk:
        """Determine the call type; build nothing yet."""
        ...


async def weighed(desk: Desk, question: str, patience_s: float | None) -> bool:
    """Prepare the desk and ask the encoder; False where it was too late: then words alone decide."""
    await desk.prepare()
    try:
        async with asyncio.timeout(patience_s):
            await desk.weigh(question)
    except TimeoutError:
        return False
    return True
