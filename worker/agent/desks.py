"""Whoever prepares questions: what all desks share, and each meeting's index of words.

The index is kept here, beside the fold, and brought up to date when a question comes: some 30 µs per new
utterance, in slices that leave the loop to others. In a room it is kept up to date as people speak
(`Thinking.keep_read`), so that no asker waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from typing import Final, Protocol, cast
from weakref import WeakKeyDictionary

from context.budget import ModelBudget, budget_for
from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.sent import level_for_next
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import (
    AgentCallType,
    Invocation,
)
from context.plain.asking import Thresholds
from context.plain.meaning import Meaning
from context.plain.record import Record, record_of
from context.ports import Tokenizer
from context.retrieval import LexicalIndex
from context.vectors import Vectors
from worker.agent.desk import Desk
from worker.agent.prompting import all_topics_fit

_SLICE: Final = 200
"""Utterances read at a stretch: some 6 ms."""


class Encoder(Protocol):
    """What vectors say of a question; None of it where there is no embedder. Never raises."""

    async def closeness(self, meeting: Meeting, question: str) -> Vectors | None:
        """How close each utterance's passage is (`dense.per_utterance`)."""
        ...

    async def meaning(self, meeting: Meeting, question: str, wanted: Sequence[int]) -> Meaning | None:
        """The vectors of the question and of the lines; `wanted`: the places that need one first."""
        ...


class NoEncoder:
    """Where there is no embedder: words alone decide."""

    async def closeness(self, _meeting: Meeting, _question: str) -> Vectors | None:
        """Know nothing: words decide."""
        return None

    async def meaning(self, _meeting: Meeting, _question: str, _wanted: Sequence[int]) -> Meaning | None:
        """Know nothing: words decide."""
        return None


class Desks:
    """Prepares questions of any meeting; forgets a meeting's index with its manager."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        model_name: str | None = None,
        budget: ModelBudget | None = None,
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
        zone: tzinfo = UTC,
        on_prompt: Callable[[int], None] = lambda _tokens: None,
        tenant: str = "default",
        encoder: Encoder | None = None,
        thresholds: Thresholds | None = None,
        budgets: BudgetConfig | None = None,
        on_level: Callable[[Meeting, CompressionLevel], None] = lambda _meeting, _level: None,
    ) -> None:
        """`model_name`: whose budget the prompts keep; None where there is no model; `budget`: another one
        for it. `zone`: for times.

        `on_prompt` is told the size of each prompt, in tokens. `encoder`: what vectors say of a question.
        `thresholds`: how sure quotes without a model have to be. `budgets`: how prompts are shared out;
        `on_level` is told the level that each prompt is held to (2 in compression mode).
        """
        self.budgets = budgets or BudgetConfig()
        self._on_level = on_level
        self.encoder = encoder or NoEncoder()
        self.thresholds = thresholds or Thresholds()
        self.tenant = tenant
        self.on_prompt = on_prompt
        self._wake_words = tuple(wake_words)
        self.zone = zone
        self.tokenizer = tokenizer
        self.budget = budget or budget_for(model_name or "")
        self._indices: WeakKeyDictionary[Meeting, LexicalIndex] = WeakKeyDictionary()

    def __call__(self, invocation: Invocation, manager: object) -> Desk:
        """The desk of one question; `manager` is the meeting's `ContextManager`."""
        return Desk(self, invocation, cast("ContextManager", manager))

    def index(self, meeting: Meeting) -> LexicalIndex:
        """The meeting's index, as far as it has been read."""
        index = self._indices.get(meeting)
        if index is None:
            index = self._indices[meeting] = LexicalIndex()
        return index

    async def read_up(self, meeting: Meeting) -> None:
        """Bring the index up to the last utterance. Two at once do no harm: an id counts once."""
        index = self.index(meeting)
        while news := meeting.utterances[len(index) : len(index) + _SLICE]:
            for utterance in news:
                index.add(utterance)
            await asyncio.sleep(0)

    def level(self, meeting: Meeting) -> CompressionLevel:
        """The level that the meeting's next answer is held to: what its models were sent so far decides."""
        level = level_for_next(meeting.prompts, self.budgets)
        self._on_level(meeting, level)
        return level

    def record(self, meeting: Meeting, question: str, language: str) -> Record:
        """Give the record that answers are quoted from."""
        return record_of(
            question,
            utterances=meeting.utterances,
            segments=meeting.segments,
            language=language,
            index=self.index(meeting),
            zone=self.zone,
            wake_words=self._wake_words,
        )

    def topics_shown(self, meeting: Meeting, call_type: AgentCallType) -> bool:
        """Whether a prompt of this call type shows all topics."""
        return all_topics_fit(
            meeting.segments, call_type, budget=self.budget, tokenizer=self.tokenizer, config=self.budgets
        )
