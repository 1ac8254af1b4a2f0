"""One run of the graph: what its steps work with, and what they leave behind beside the state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict

from context.answering.follow_up import FollowUp
from context.budgets.workflows import Purpose
from context.corpora.passage import Passage
from context.evidence.verdicts import Claim
from context.features import Features
from context.models import AnswerRun, Invocation, PromptRecord, Reply, ToolUse
from context.plain.answer import Certainty, QuotedAnswer
from context.ports import ChatMessage, PortError
from worker.agent.calling import CalledModel, Deadline, Deadlines
from worker.agent.desk import Desk, DeskSettings
from worker.agent.graph.parts import AnswerParts
from worker.agent.prompting import Prompt
from worker.agent.remembering import Remembered
from worker.agent.speaking import Speech
from worker.agent.structured import ask
from worker.agent.verifying import Verifier
from worker.clock import monotonic_s

M = TypeVar("M", bound=BaseModel)

_JUDGED_TOKENS: Final = 4_000
"""What a window of 8K holds beside rules, verdict and repair."""


@dataclass(frozen=True, slots=True)
class AnswerMeans:
    """What a process answers with; nothing of it belongs to one meeting."""

    model: CalledModel | None
    """That answers; None: quotes do."""
    desk_settings: DeskSettings
    _: KW_ONLY
    deadlines: Deadlines = field(default_factory=Deadlines)
    max_tokens: int = 1000
    """Of an answer."""
    clock: Callable[[], float] = monotonic_s
    features: Features = field(default_factory=Features)
    parts: AnswerParts = field(default_factory=AnswerParts)
    judge: CalledModel | None = None
    """That plans and grades; without one, words do."""
    judged_tokens: int = _JUDGED_TOKENS
    """Of what the judge is shown at most, beside its rules."""
    verifier: Verifier | None = None
    """That holds what the model said against the record; without one it is unverified, and says so."""
    on_step: Callable[[str, float], None] = lambda _step, _took_s: None
    """Told each step and its seconds."""


class RunRecord(AnswerRun):
    """What the run is remembered by, while it grows."""

    model_config = ConfigDict(frozen=False)


@dataclass(slots=True)
class Run:
    """The runtime context of one invocation; never part of the state."""

    means: AnswerMeans
    invocation: Invocation
    desk: Desk
    speech: Speech
    features: Features
    model: CalledModel | None
    """That answers this question."""
    first: Deadline
    """Until the asker sees something."""
    whole: Deadline
    """Until the answer is complete."""
    began_s: float
    question: str
    """What was asked, read in the light of the turn before it."""
    record: RunRecord = field(default_factory=RunRecord)
    evidence: tuple[int, ...] = ()
    certainty: Certainty = "answer"
    degraded: bool = False
    sources: tuple[str, ...] = ()
    prompts: list[PromptRecord] = field(default_factory=list)
    """What was sent to models on the way, in order."""
    tools: list[ToolUse] = field(default_factory=list)
    """What was looked up on the way: a turn of the thread holds it (seed 001)."""
    follows: FollowUp | None = None
    """What the question takes from the asker's turn before."""
    quotes: QuotedAnswer | None = None
    """The extractive answer, where a step before has needed it."""
    passages: Sequence[Passage] = ()
    """What was found last."""
    prompt: Prompt | None = None
    recalled: Remembered | None = None
    """What is known of the asker, where a prompt was shown it."""
    corrections: int = 0
    """Second answers that were tried: one at most."""
    claims: list[Claim] = field(default_factory=list)
    """What the model has said and nobody has verified yet."""
    standing: list[Claim] = field(default_factory=list)
    """What it has said and was not taken back."""
    grounding: float | None = None
    """The share of its claims that stood, 0 to 1; None while there are no verdicts."""
    poor: bool = False
    """Did a model grade the answer badly?"""
    noticed: bool = False
    """Was the asker told something that holds for them alone?"""

    @property
    def parts(self) -> AnswerParts:
        """What the process has beside models."""
        return self.means.parts

    @property
    def thinks(self) -> bool:
        """Is there a model that may be asked now?"""
        return self.model is not None and not self.model.is_resting

    @property
    def judges(self) -> bool:
        """Is there a model that plans and grades, and may be asked now?"""
        return self.thinks and self.means.judge is not None and not self.means.judge.is_resting

    @property
    def declined(self) -> bool:
        """Whether there is no answer."""
        return self.certainty == "none"

    def shares(self, purpose: Purpose) -> Mapping[str, int]:
        """Tokens by producer of what the judge is shown for this purpose."""
        return self.desk.settings.budgets.shares(purpose, self.means.judged_tokens)

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
        """What the judge says; None where it is away, late or makes no sense: then words decide, as noted."""
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
                    tokenizer=self.desk.tokenizer,
                    shown=shown,
                    on_prompt=self.prompts.append,
                )
        except (PortError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                judge.gave_up(purpose)
            self.note(step, f"by words: {type(error).__name__}")
            return None

    def extractive(self) -> QuotedAnswer:
        """The extractive answer, made once for what was found last."""
        if self.quotes is None:
            self.quotes = self.desk.quotes(self.passages, self.question, self.follows)
        return self.quotes

    def note(self, step: str, why: str) -> None:
        """Say why a step did less than it might."""
        self.record.notes[step] = why

    def reply(self, *, now_ms: int) -> Reply:
        """What was said and how it came about, as the meeting keeps it. `now_ms`: now, in meeting time."""
        asked = self.invocation
        self.record.latency_ms = round(1000 * (self.means.clock() - self.began_s), 3)
        self.record.prompts = tuple(self.prompts)
        return Reply(
            id=f"reply-{asked.id}",
            invocation_id=asked.id,
            by=asked.by,
            via=asked.via,
            question=asked.text,
            text=self.speech.text.strip(),
            call_type=self.desk.call_type,
            evidence=self.evidence,
            certainty=self.certainty,
            declined=self.declined,
            degraded=self.degraded,
            private=asked.private,
            asked_at_ms=asked.at_ms,
            answered_at_ms=max(asked.at_ms, now_ms),
            sources=self.sources,
            run=AnswerRun(**dict(self.record)),
            tools=tuple(self.tools),
        )
