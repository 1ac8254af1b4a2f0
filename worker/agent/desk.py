"""A meeting's side of an answer: its index, its quotes, and the prompt for a model.

The index of a meeting's words is kept here, beside the fold, and brought up to date when a question
comes: some 30 µs per new utterance, in slices that leave the loop to others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from typing import Final, cast
from weakref import WeakKeyDictionary

from context.addressing import DEFAULT_WAKE_WORDS
from context.answers import ExtractiveAnswer, answer
from context.briefing import briefing
from context.budget import ModelBudget, budget_for
from context.budgets.allocation import thread_share
from context.builder import ContextBuilder, Remembers
from context.call_types import call_type
from context.korean import language_of
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import AgentCallType, AgentContext, Invocation, Participant, Utterance
from context.ports import Tokenizer
from context.retrieval import LexicalIndex
from context.thread.briefing import thread_context
from worker.agent.material import Prompt
from worker.agent.prompting import prompt_for
from worker.agent.quoting import quoted

_BUILDER: Final = ContextBuilder()
_SLICE: Final = 200
"""Utterances read at a stretch: some 6 ms."""


class MeetingDesks:
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
    ) -> None:
        """`model_name`: whose budget the prompts keep; None where there is no model; `budget`: another one
        for it. `zone`: for times.

        `on_prompt` is told the size of each prompt, in tokens.
        """
        self._on_prompt = on_prompt
        self._wake_words = tuple(wake_words)
        self._zone = zone
        self._tokenizer = tokenizer
        self._budget = budget or budget_for(model_name or "")
        self._indices: WeakKeyDictionary[Meeting, LexicalIndex] = WeakKeyDictionary()

    def __call__(self, invocation: Invocation, manager: object) -> MeetingDesk:
        """The desk of one question; `manager` is the meeting's `ContextManager`."""
        return MeetingDesk(self, invocation, cast("ContextManager", manager))

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

    def quotes(self, desk: MeetingDesk) -> ExtractiveAnswer:
        """The extractive answer of one desk."""
        return answer(
            desk.invocation.text,
            utterances=desk.meeting.utterances,
            segments=desk.meeting.segments,
            call_type=desk.call_type,
            language=desk.language,
            index=self.index(desk.meeting),
            zone=self._zone,
            wake_words=self._wake_words,
        )

    def prompt(self, desk: MeetingDesk) -> Prompt:
        """The prompt for one desk, within the model's budget."""
        context = desk.context()
        prompt = prompt_for(
            desk.invocation,
            context,
            desk.meeting,
            self._passages(desk, context),
            language=desk.language,
            budget=self._budget,
            tokenizer=self._tokenizer,
            thread=self.thread(desk),
        )
        self._on_prompt(sum(self._tokenizer.count(message.content) for message in prompt.messages))
        return prompt

    def thread(self, desk: MeetingDesk) -> str:
        """What was asked and answered before, as far as this asker may see it; "" where there is nothing."""
        return thread_context(
            desk.meeting.thread,
            desk.invocation,
            budget=thread_share(self._budget),
            tokenizer=self._tokenizer,
            language=desk.language,
            quote=quoted,
        ).text

    def _passages(self, desk: MeetingDesk, context: AgentContext) -> list[Utterance]:
        """Utterances for the prompt, most wanted first; the same one may come twice.

        A summary and a list of actions live of the context's own utterances, a question of the briefing.
        """
        archive = desk.meeting.utterances
        found = briefing(
            desk.invocation.text,
            archive,
            desk.meeting.segments,
            self._budget.l0 * 3 // 4,
            self._tokenizer,
            self.index(desk.meeting),
        )
        briefed = [archive[id_ - 1] for id_ in found.utterances]
        newest_first = list(reversed(context.recent_utterances or []))
        if desk.call_type in ("SUMMARY", "ACTION_EXTRACTION"):
            return [*newest_first, *briefed]
        return [*briefed, *newest_first]


class MeetingDesk:
    """One question to one meeting."""

    def __init__(self, desks: MeetingDesks, invocation: Invocation, manager: ContextManager) -> None:
        self._desks = desks
        self.invocation = invocation
        self.manager = manager
        self.meeting = manager.meeting
        self.language = language_of(invocation.text)
        self.call_type: AgentCallType = call_type(invocation.text)

    async def prepare(self) -> None:
        """Read what has been said since the last question; after a restore that is everything."""
        await self._desks.read_up(self.meeting)

    def quotes(self) -> ExtractiveAnswer:
        """The extractive answer."""
        return self._desks.quotes(self)

    def prompt(self) -> Prompt:
        """Rules, context and question for a model, within its budget."""
        return self._desks.prompt(self)

    def context(self) -> AgentContext:
        """What a call of this type gets to see (seed 000 §4)."""
        people = self.meeting.speakers.speaker_stats.values()
        return _BUILDER.build_context(
            self.call_type,
            cast("Remembers", self.manager),  # its roles are narrower strings than the builder asks for
            self.invocation.text,
            [Participant(user_id=one.user_id, name=one.name) for one in people],
        )
