"""One run of the graph: what its steps work with, what they have found, and the answer that they make."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict

from context.budgets.workflows import Purpose
from context.corpora.passage import Passage
from context.features import Features
from context.models import AnswerRun, PromptRecord, Reply, ToolUse
from context.plain.answer import QuotedAnswer
from context.ports import ChatMessage, PortError
from context.prompts.answer_prompts import WORDING
from context.question import Question
from context.thread.memory import HierarchicalMemory
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadline, Deadlines
from worker.agent.calls.hourly_tokens import HourlyTokens
from worker.agent.calls.structured import ask
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.growing_answer import GrowingAnswer
from worker.agent.prompt.prompting import Prompt
from worker.agent.question.question_context import QuestionContext, QuestionContextSettings
from worker.agent.question.remembering import Remembered
from worker.agent.reply.speaking import Speech
from worker.clock import monotonic_s

M = TypeVar("M", bound=BaseModel)

_JUDGED_TOKENS: Final = 4_000
"""Tokens that a window of 8K holds beside rules, verdict and repair."""


@dataclass(frozen=True, slots=True)
class AnswerMeans:
    """What a process answers with; nothing of it belongs to one meeting."""

    model: CalledModel | None
    """The model that answers; without one, answers are made of quotes."""
    context_settings: QuestionContextSettings
    _: KW_ONLY
    deadlines: Deadlines = field(default_factory=Deadlines)
    max_tokens: int = 1000
    """The length of an answer, at most."""
    clock: Callable[[], float] = monotonic_s
    features: Features = field(default_factory=Features)
    """Seed 002's flags, which a question may set otherwise for itself."""
    parts: AnswerParts = field(default_factory=AnswerParts)
    judge: CalledModel | None = None
    """The model that plans and grades; without one, words are compared."""
    judged_tokens: int = _JUDGED_TOKENS
    """Tokens of what the judge is shown at most, beside its rules."""
    hourly: HourlyTokens = field(default_factory=HourlyTokens)
    """What a meeting may send to models in an hour; where that is used up, answers are made of quotes."""
    verifier: Verifier | None = None
    """Holds what the model said against the record; without one an answer says that it is unverified."""
    on_step: Callable[[str, float], None] = lambda _step, _took_s: None
    """Told the name of each step that has ended, and its seconds."""


class RunAccount(AnswerRun):
    """The reply's `AnswerRun` while it grows."""

    model_config = ConfigDict(frozen=False)


@dataclass(slots=True)
class Run:
    """One run of the graph: LangGraph's runtime context, which unlike the state holds more than data."""

    means: AnswerMeans
    question: Question
    """The question as it was read where it came in."""
    question_context: QuestionContext
    speech: Speech
    features: Features
    model: CalledModel | None
    """The model that answers this question; None: quotes do."""
    on_begin: Callable[[str], None] = lambda _step: None
    """Told the name of each step as it begins."""
    first: Deadline = field(init=False)
    """The moment by which the asker sees the first words."""
    whole: Deadline = field(init=False)
    """The moment by which the answer is complete."""
    began_s: float = field(init=False)
    """When the question came, on `AnswerMeans.clock`."""
    account: RunAccount = field(default_factory=RunAccount)
    answer: GrowingAnswer = field(default_factory=GrowingAnswer)
    prompts: list[PromptRecord] = field(default_factory=list)
    """What was sent to models on the way, in order."""
    tools: list[ToolUse] = field(default_factory=list)
    """What was looked up on the way: a turn of the thread holds it (seed 001)."""
    quotes: QuotedAnswer | None = None
    """The answer made of quotes, as `extractive` keeps it; None until a step needs it."""
    passages: Sequence[Passage] = ()
    """What the searches have found, shortened where compression is on."""
    unshortened: Mapping[str, str] = field(default_factory=dict)
    """The texts of passages before a model shortened them, by id: claims are held against these."""
    prompt: Prompt | None = None
    """The answering model's last prompt; None where none was made."""
    recalled: Remembered | None = None
    """What is known of the asker, where prompts may show it."""
    tiers: HierarchicalMemory | None = None
    """What was asked and answered before, where prompts show it in tiers (seed 002)."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Let the time for the answer begin now."""
        limits, clock = self.means.deadlines, self.means.clock
        self.began_s = clock()
        self.first, self.whole = Deadline(limits.first_token_s, clock), Deadline(limits.answer_s, clock)

    async def weigh(self) -> None:
        """Weigh the question by its vectors, and note which of them came late."""
        within_s = self.means.deadlines.encoder_s
        if within_s is not None:
            within_s = max(0.0, self.began_s + within_s - self.means.clock())
        if late := await self.question_context.weigh(within_s=within_s):
            self.note("weigh", late)

    @property
    def parts(self) -> AnswerParts:
        """The parts that the process answers with beside its models."""
        return self.means.parts

    @property
    def is_spent(self) -> bool:
        """Whether the meeting has sent as much to models in this hour as it may."""
        return self.means.hourly.are_spent(self.question_context.meeting, self.question.at_ms)

    @property
    def thinks(self) -> bool:
        """Whether there is a model to answer this question that may be asked now."""
        return self.model is not None and not self.model.is_resting and not self.is_spent

    @property
    def judges(self) -> bool:
        """Whether there is also a model that plans and grades, and may be asked now."""
        return self.thinks and self.means.judge is not None and not self.means.judge.is_resting

    def shares(self, purpose: Purpose) -> Mapping[str, int]:
        """Tokens, by producer, of what the judge may be shown for this purpose."""
        return self.question_context.settings.budgets.shares(purpose, self.means.judged_tokens)

    async def judged(
        self,
        step: str,
        purpose: Purpose,
        messages: Sequence[ChatMessage],
        shape: type[M],
        *,
        shown: Mapping[str, str],
        within_s: float,
        max_tokens: int,
    ) -> M | None:
        """The judge's reply in the given shape; None where it is away, late or makes no sense.

        Words decide then, which is noted for the `step`. `shown`: what of the messages each producer brought.
        """
        judge = self.means.judge
        assert judge is not None
        try:
            async with asyncio.timeout(within_s):
                return await ask(
                    judge,
                    messages,
                    shape,
                    name=purpose,
                    max_tokens=max_tokens,
                    tokenizer=self.question_context.tokenizer,
                    shown=shown,
                    on_prompt=self.prompts.append,
                )
        except (PortError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                judge.gave_up(purpose)
            self.note(step, f"by words: {type(error).__name__}")
            return None

    def extractive(self) -> QuotedAnswer:
        """The answer made of quotes, made once for what was found last."""
        if self.quotes is None:
            self.quotes = self.question_context.quotes(self.passages)
        return self.quotes

    def rests_elsewhere(self) -> None:
        """Note, before the words are said, that they rest on other meetings or documents, or may."""
        self.answer.elsewhere = True
        self.speech.instead = WORDING[self.question_context.language]["withheld"]

    def note(self, step: str, why: str) -> None:
        """Note in the account why a step did less than it might."""
        self.account.notes[step] = why

    def reply(self, *, now_ms: int) -> Reply:
        """The reply for the meeting's record: what was said, and how it came about.

        `now_ms`: the present moment in meeting time; the reply is never dated before its question.
        """
        asked = self.question
        self.account.latency_ms = round(1000 * (self.means.clock() - self.began_s), 3)
        self.account.prompts = tuple(self.prompts)
        return Reply(
            id=f"reply-{asked.id}",
            invocation_id=asked.id,
            by=asked.by,
            via=asked.via,
            question=asked.text,
            text=self.speech.text.strip(),
            call_type=self.question_context.call_type,
            evidence=self.answer.evidence,
            certainty=self.answer.certainty,
            declined=self.answer.declined,
            degraded=self.answer.degraded,
            private=asked.private,
            asked_at_ms=asked.at_ms,
            answered_at_ms=max(asked.at_ms, now_ms),
            sources=self.answer.sources,
            elsewhere=self.answer.elsewhere,
            run=AnswerRun(**dict(self.account)),
            tools=tuple(self.tools),
        )
