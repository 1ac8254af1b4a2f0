"""One run of the graph: what its steps work with, and what they leave behind beside the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from context.answering.follow_up import FollowUp
from context.budgets.configuration import BudgetConfig
from context.budgets.sent import sent_again
from context.budgets.workflows import Purpose
from context.corpora.passage import Passage
from context.evidence.verdicts import Claim
from context.features import Features
from context.models import AnswerRun, Invocation, PromptRecord, Reply, ToolUse
from context.plain.answer import Certainty, QuotedAnswer
from context.ports import ChatMessage
from worker.agent.calling import CalledModel, Deadline
from worker.agent.desk import Desk
from worker.agent.graph.parts import AnswerParts, Remembered
from worker.agent.prompting import Prompt
from worker.agent.speaking import Speech
from worker.agent.verifying import Verifier


@dataclass(slots=True)
class AnswerOutcome:
    """How an answer came out."""

    evidence: tuple[int, ...] = ()
    certainty: Certainty = "answer"
    degraded: bool = False
    sources: tuple[str, ...] = ()

    @property
    def declined(self) -> bool:
        """Whether there is no answer."""
        return self.certainty == "none"


@dataclass(slots=True)
class RunRecord:
    """What the run is remembered by."""

    quality_score: float | None = None
    tokens_used: int = 0
    cache_hit: bool = False
    retrieval_count: int = 0
    compression_applied: bool = False
    complexity: str = ""
    stopped_because: str = ""
    corrected: bool = False
    quality_gain: float = 0.0
    first_words_ms: float | None = None
    steps: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    tools: list[ToolUse] = field(default_factory=list)
    """What was looked up on the way: a turn of the thread holds it (seed 001)."""
    prompts: list[PromptRecord] = field(default_factory=list)
    verified: bool | None = None
    taken_back: int = 0

    def took(self, step: str, seconds: float) -> None:
        """A step ended."""
        self.steps[step] = round(self.steps.get(step, 0.0) + 1000 * seconds, 3)


@dataclass(slots=True)
class Run:
    """The runtime context of one invocation; never part of the state."""

    invocation: Invocation
    manager: object
    desk: Desk
    speech: Speech
    features: Features
    parts: AnswerParts
    model: CalledModel | None
    """That answers."""
    judge: CalledModel | None
    """That plans and grades."""
    judged_tokens: int
    """Of what it is shown at most, beside its rules: what its window holds."""
    budgets: BudgetConfig
    verifier: Verifier | None
    """That holds what the model said against the record."""
    verify_s: float
    """For that, behind the last word."""
    encoder_s: float | None
    """For what vectors say; None: as long as it takes."""
    first: Deadline
    """Until the asker sees something."""
    whole: Deadline
    """Until the answer is complete."""
    max_tokens: int
    zone: tzinfo | None
    clock: Callable[[], float]
    on_step: Callable[[str, float], None]
    began_s: float
    outcome: AnswerOutcome = field(default_factory=AnswerOutcome)
    record: RunRecord = field(default_factory=RunRecord)
    question: str = ""
    """What was asked, read in the light of the turn before it."""
    follows: FollowUp | None = None
    """What the question takes from the asker's turn before."""
    quotes: QuotedAnswer | None = None
    """The extractive answer, where a step before has needed it."""
    passages: Sequence[Passage] = ()
    """What was found last."""
    prompt: Prompt | None = None
    recalled: Remembered | None = None
    """What is known of the asker, where a prompt was shown it."""
    prepared: bool = False
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
    def thinks(self) -> bool:
        """Is there a model that may be asked now?"""
        return self.model is not None and not self.model.is_resting

    @property
    def judges(self) -> bool:
        """Is there a model that plans and grades, and may be asked now?"""
        return self.thinks and self.judge is not None and not self.judge.is_resting

    def shares(self, purpose: Purpose) -> Mapping[str, int]:
        """Tokens by producer of what `judge` is shown for this purpose."""
        return self.budgets.shares(purpose, self.judged_tokens)

    def sent_again(self, purpose: Purpose, repair: Sequence[ChatMessage]) -> None:
        """The last prompt for this purpose went out once more, with what was wrong behind it."""
        last = next(each for each in reversed(self.record.prompts) if each.purpose == purpose)
        self.record.prompts.append(sent_again(last, repair, self.desk.tokenizer))

    async def ready(self) -> None:
        """Prepare the desk, once for each question."""
        if not self.prepared:
            self.prepared = True
            await self.desk.prepare()

    def extractive(self) -> QuotedAnswer:
        """The extractive answer, made once for what was found last."""
        if self.quotes is None:
            if self.follows is not None:
                self.quotes = self.desk.quotes(self.passages, self.question, self.follows)
            elif self.passages or self.question != self.invocation.text:
                self.quotes = self.desk.quotes(self.passages, self.question)
            else:
                self.quotes = self.desk.quotes()
        return self.quotes

    def note(self, step: str, why: str) -> None:
        """Say why a step did less than it might."""
        self.record.notes[step] = why

    def reply(self, recorded: AnswerRun, *, now_ms: int) -> Reply:
        """What was said, as the meeting keeps it. `now_ms`: the present moment in meeting time."""
        asked, outcome = self.invocation, self.outcome
        return Reply(
            id=f"reply-{asked.id}",
            invocation_id=asked.id,
            by=asked.by,
            via=asked.via,
            question=asked.text,
            text=self.speech.text.strip(),
            call_type=self.desk.call_type,
            evidence=outcome.evidence,
            certainty=outcome.certainty,
            declined=outcome.declined,
            degraded=outcome.degraded,
            private=asked.private,
            asked_at_ms=asked.at_ms,
            answered_at_ms=max(asked.at_ms, now_ms),
            sources=outcome.sources,
            run=recorded,
            tools=tuple(self.record.tools),
        )

    def recorded(self) -> AnswerRun:
        """The run so far, for the reply."""
        kept = self.record
        return AnswerRun(
            quality_score=kept.quality_score,
            tokens_used=kept.tokens_used,
            latency_ms=round(1000 * (self.clock() - self.began_s), 3),
            first_words_ms=kept.first_words_ms,
            cache_hit=kept.cache_hit,
            retrieval_count=kept.retrieval_count,
            compression_applied=kept.compression_applied,
            steps=dict(kept.steps),
            notes=dict(kept.notes),
            complexity=kept.complexity,
            stopped_because=kept.stopped_because,
            corrected=kept.corrected,
            quality_gain=kept.quality_gain,
            prompts=tuple(kept.prompts),
            verified=kept.verified,
            taken_back=kept.taken_back,
        )
