"""A meeting's side of an answer: its index, its quotes, and the prompt for a model.

The index of a meeting's words is kept here, beside the fold, and brought up to date when it is used
(some 30 µs per new utterance); `read_up` does that ahead of time, e.g. after a restore.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast
from weakref import WeakKeyDictionary

from context.budget import budget_for
from context.korean import language_of
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import AgentCallType, Invocation, Utterance
from context.ports import Tokenizer
from context.retrieval import LexicalIndex
from worker.agent.material import Prompt
from worker.agent.prompting import prompt_for
from worker.agent.quotes import Quotes, call_type_of, quotes_for

_NEIGHBOURS: Final = 1
_HITS: Final = 12


class MeetingDesks:
    """Prepares questions of any meeting; forgets a meeting's index with its manager."""

    def __init__(self, tokenizer: Tokenizer, *, model_name: str | None = None) -> None:
        """`model_name`: whose budget the prompts keep; None where there is no model."""
        self._tokenizer = tokenizer
        self._budget = budget_for(model_name or "")
        self._indices: WeakKeyDictionary[Meeting, LexicalIndex] = WeakKeyDictionary()

    def __call__(self, invocation: Invocation, manager: object) -> MeetingDesk:
        """The desk of one question; `manager` is the meeting's `ContextManager`."""
        meeting = cast("ContextManager", manager).meeting
        return MeetingDesk(self, invocation, meeting)

    def read_up(self, meeting: Meeting) -> LexicalIndex:
        """The meeting's index, up to its last utterance."""
        index = self._indices.get(meeting)
        if index is None:
            index = self._indices[meeting] = LexicalIndex()
        for utterance in meeting.utterances[len(index) :]:
            index.add(utterance)
        return index

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
    """One question to one meeting. Looks the index up when first needed."""

    def __init__(self, desks: MeetingDesks, invocation: Invocation, meeting: Meeting) -> None:
        self._desks = desks
        self.invocation = invocation
        self.meeting = meeting
        self.language = language_of(invocation.text)
        self.call_type: AgentCallType = call_type_of(invocation.text)

    def quotes(self) -> Quotes:
        """The extractive answer."""
        return quotes_for(
            self.invocation.text, self.meeting, self._desks.read_up(self.meeting), language=self.language
        )

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
        for id_, _score in self._desks.read_up(self.meeting).search(self.invocation.text, _HITS):
            yield archive[id_ - 1]
            for near in range(id_ - _NEIGHBOURS, id_ + _NEIGHBOURS + 1):
                if 0 < near <= len(archive):
                    yield archive[near - 1]
