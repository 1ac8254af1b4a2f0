"""A meeting's side of an answer: its index, its quotes, and the prompt for a model.

The index of a meeting's words is kept here, beside the fold, and brought up to date when a question
comes: some 30 µs per new utterance, in slices that leave the loop to others. In a room it is kept up to
date as people speak (`Thinking.keep_read`), so that no asker waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, timedelta, tzinfo
from functools import partial
from typing import Final, Protocol, cast
from weakref import WeakKeyDictionary

from context.answering.follow_up import FollowUp
from context.budget import ModelBudget, budget_for
from context.budgets.configuration import BudgetConfig
from context.budgets.levels import CompressionLevel
from context.budgets.sent import level_for_next
from context.builder import ContextBuilder, Remembers
from context.corpora import Passage
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.catching_up import missed
from context.language.korean import language_of
from context.language.since import since_in
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import AgentCallType, AgentContext, Invocation, Participant, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.asking import Asking, Thresholds
from context.plain.door import answer, answer_from, by_words
from context.plain.meaning import Meaning
from context.plain.record import Record, record_of
from context.ports import Tokenizer
from context.reading.requests import request_in
from context.retrieval import LexicalIndex
from context.thread.briefing import build_context_prompt
from context.vectors import Vectors
from worker.agent.material import NOTHING_MORE, Extras, Prompt
from worker.agent.prompting import all_topics_fit, prompt_for
from worker.agent.quoting import quoted
from worker.agent.research import Research

_BUILDER: Final = ContextBuilder()
_SLICE: Final = 200
"""Utterances read at a stretch: some 6 ms."""


_FOLLOWED: Final = 15
"""So many of what was found are shown with the lines right after them: answers stand behind questions."""
_FOLLOWING: Final = 3
LOOKED_AT: Final = 64
"""So many lines, the likeliest by their words, get vectors for a question, and their neighbours, too."""


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
        """Nothing."""
        return None

    async def meaning(self, _meeting: Meeting, _question: str, _wanted: Sequence[int]) -> Meaning | None:
        """Nothing."""
        return None


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
        self._thresholds = thresholds or Thresholds()
        self.tenant = tenant
        self._on_prompt = on_prompt
        self._wake_words = tuple(wake_words)
        self.zone = zone
        self.tokenizer = tokenizer
        self.budget = budget or budget_for(model_name or "")
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

    def level(self, meeting: Meeting) -> CompressionLevel:
        """The level that the meeting's next answer is held to: what its models were sent so far decides."""
        level = level_for_next(meeting.prompts, self.budgets)
        self._on_level(meeting, level)
        return level

    def record(self, meeting: Meeting, question: str, language: str) -> Record:
        """What is quoted from."""
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

    def quotes(
        self,
        desk: MeetingDesk,
        passages: Sequence[Passage] = (),
        question: str = "",
        follows: FollowUp | None = None,
    ) -> QuotedAnswer:
        """One desk's extractive answer; from elsewhere where that is asked for, or this meeting has none."""
        here = self._own_quotes(desk, question or desk.invocation.text, passages, follows)
        if not passages or since_in(question or desk.invocation.text) is not None:
            return here
        return answer_from(
            question or desk.invocation.text, passages, language=desk.language, zone=self.zone, besides=here
        )

    def _own_quotes(
        self,
        desk: MeetingDesk,
        question: str,
        passages: Sequence[Passage] = (),
        follows: FollowUp | None = None,
    ) -> QuotedAnswer:
        attendance = desk.meeting.attendance
        asking = Asking(
            question=question,
            call_type=desk.call_type,
            missed=missed(attendance.people.get(desk.invocation.by), desk.invocation.at_ms),
            now_ms=desk.invocation.at_ms,
            earlier=passages,
            follows=follows,
            people=tuple(attendance.people.values()),
            asker=attendance.name_of(desk.invocation.by),
            meaning=desk.meaning,
            thresholds=self._thresholds,
        )
        return answer(asking, self.record(desk.meeting, question, desk.language))

    def prompt(self, desk: MeetingDesk, extras: Extras = NOTHING_MORE) -> Prompt:
        """The prompt for one desk, within the model's budget."""
        prompt = prompt_for(
            desk.invocation,
            desk.context(),
            desk.meeting,
            self._found(desk, extras),
            language=desk.language,
            budget=self.budget,
            tokenizer=self.tokenizer,
            thread=partial(self._thread, desk) if extras.history else lambda _tokens: "",
            extras=extras,
            zone=self.zone,
            config=self.budgets,
            level=self.level(desk.meeting),
        )
        self._on_prompt(prompt.tokens)
        return prompt

    def _thread(self, desk: MeetingDesk, tokens: int) -> str:
        """What was asked and answered before, as far as this asker may see it; "" where there is nothing."""
        return build_context_prompt(
            desk.meeting.thread,
            desk.invocation,
            budget=tokens,
            tokenizer=self.tokenizer,
            language=desk.language,
            quote=quoted,
        ).text

    def _found(self, desk: MeetingDesk, extras: Extras) -> list[Utterance]:
        """Utterances of this meeting for the question, most wanted first: passages, then the briefing's."""
        archive = desk.meeting.utterances
        found = _BUILDER.context(
            extras.query or desk.invocation.text,
            min(self.budget.shown, self.budgets.limits_of("evidence").max_output),
            archive=desk.meeting,
            tokenizer=self.tokenizer,
            index=self.index(desk.meeting),
            close=desk.close,
        )
        own = [each for each in extras.passages if each.corpus == "meeting"]
        ids = dict.fromkeys(id_ for each in own for id_ in each.utterances if 0 < id_ <= len(archive))
        if since_in(desk.invocation.text) is not None:
            # What changed since a moment is looked up, not found by words.
            ids = dict.fromkeys((*self._own_quotes(desk, desk.invocation.text).evidence, *ids))
        return [archive[id_ - 1] for id_ in _with_what_follows((*ids, *found.wanted), len(archive))]


def _with_what_follows(wanted: Sequence[int], last: int) -> list[int]:
    """The ids, each once; behind each of the first ones those right after it, as answers follow questions."""
    first = (id_ + step for id_ in wanted[:_FOLLOWED] for step in range(_FOLLOWING + 1) if id_ + step <= last)
    return list(dict.fromkeys((*first, *wanted[_FOLLOWED:])))


class MeetingDesk(Research):
    """One question to one meeting."""

    def __init__(self, desks: MeetingDesks, invocation: Invocation, manager: ContextManager) -> None:
        self._desks = self.office = desks
        self.invocation = invocation
        self.manager = manager
        self.meeting = manager.meeting
        self.language = language_of(invocation.text)
        self.request = request_in(invocation.text)
        self.call_type: AgentCallType = self.request.call_type
        self.close: Vectors | None = None
        self.meaning: Meaning | None = None

    async def prepare(self) -> None:
        """Read what has been said since the last question; after a restore that is everything."""
        await self._desks.read_up(self.meeting)

    async def weigh(self, question: str) -> None:
        """Ask what vectors say of the question; without them words alone decide."""
        encoder = self._desks.encoder
        self.meaning = await encoder.meaning(self.meeting, question, self._wanted(question))
        self.close = await encoder.closeness(self.meeting, question)
        if self.meaning is not None and question == self.invocation.text:
            self.request = request_in(question, self.meaning.question)
            self.call_type = self.request.call_type

    def _wanted(self, question: str) -> list[int]:
        """The lines whose vectors a question needs first: the likeliest by words, and their neighbours."""
        said, index = self.meeting.utterances, self._desks.index(self.meeting)
        if not said or not index.holds(said):
            return []
        likely = by_words(question, index, len(said), LOOKED_AT)
        return list(dict.fromkeys(place + step for step in (0, -1, -2, 1) for place in likely))

    def quotes(
        self, passages: Sequence[Passage] = (), question: str = "", follows: FollowUp | None = None
    ) -> QuotedAnswer:
        """The extractive answer to the question as it is to be read, from `passages` where there is none."""
        return self._desks.quotes(self, passages, question, follows)

    def prompt(self, extras: Extras = NOTHING_MORE) -> Prompt:
        """Rules, context and question for a model, within its budget."""
        return self._desks.prompt(self, extras)

    def context(self) -> AgentContext:
        """What a call of this type gets to see (seed 000 §4)."""
        people = self.meeting.speakers.speaker_stats.values()
        began = self.meeting.started_at
        return _BUILDER.build_context(
            self.call_type,
            cast("Remembers", self.manager),  # its roles are narrower strings than the builder asks for
            self.invocation.text,
            [Participant(user_id=one.user_id, name=one.name) for one in people],
            now=began + timedelta(milliseconds=self.invocation.at_ms) if began is not None else None,
        )
