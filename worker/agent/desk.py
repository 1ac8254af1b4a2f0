"""A meeting's side of an answer: its index, its quotes, and the prompt for a model.

The index of a meeting's words is kept here, beside the fold, and brought up to date when a question
comes: some 30 µs per new utterance, in slices that leave the loop to others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Final, cast
from weakref import WeakKeyDictionary

from context.answers import DEFAULT_WAKE_WORDS, ExtractiveAnswer, answer
from context.budget import budget_for
from context.call_types import call_type
from context.korean import language_of
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import AgentCallType, Invocation, Utterance
from context.ports import Tokenizer
from context.retrieval import LexicalIndex
from worker.agent.material import Prompt
from worker.agent.prompting import prompt_for

_NEIGHBOURS: Final = 1
_HITS: Final = 12
_SLICE: Final = 200
"""Utterances read at a stretch: some 6 ms."""


class MeetingDesks:
    """Prepares questions of any meeting; forgets a meeting's index with its manager."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        model_name: str | None = None,
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
        zone: tzinfo = UTC,
    ) -> None:
        """`model_name`: whose budget the prompts keep; None where there is no model. `zone`: for times."""
        self._wake_words = tuple(wake_words)
        self._zone = zone
        self._tokenizer = tokenizer
        self._budget = budget_for(model_name or "")
        self._indices: WeakKeyDictionary[Meeting, LexicalIndex] = WeakKeyDictionary()

    def __call__(self, invocation: Invocation, manager: object) -> MeetingDesk:
        """The desk of one question; `manager` is the meeting's `ContextManager`."""
        meeting = cast("ContextManager", manager).meeting
        return MeetingDesk(self, invocation, meeting)

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
        return prompt_for(
            desk.invocation,
            desk.meeting,
            desk.passages(),
            language=desk.language,
            budget=self._budget,
            tokenizer=self._tokenizer,
        )


class MeetingDesk:
    """One question to one meeting."""

    def __init__(self, desks: MeetingDesks, invocation: Invocation, meeting: Meeting) -> None:
        self._desks = desks
        self.invocation = invocation
        self.meeting = meeting
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

    def passages(self) -> Iterator[Utterance]:
        """Utterances for the prompt, most wanted first; the same one may come twice.

        What the question's words point to, each with its neighbours; then the newest, backwards. For a
        summary or a list of actions: the current topic as a whole before what the words point to.
        """
        recent = reversed(self.meeting.window.utterances)
        if self.call_type in ("SUMMARY", "ACTION_EXTRACTION"):
            yield from reversed(self.meeting.buffer.utterances)
            yield from self._found()
        else:
            yield from self._found()
        yield from recent

    def _found(self) -> Iterator[Utterance]:
        archive = self.meeting.utterances
        for id_, _score in self._desks.index(self.meeting).search(self.invocation.text, _HITS):
            yield archive[id_ - 1]
            for near in range(id_ - _NEIGHBOURS, id_ + _NEIGHBOURS + 1):
                if 0 < near <= len(archive):
                    yield archive[near - 1]
