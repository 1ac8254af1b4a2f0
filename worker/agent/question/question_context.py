"""The context of one question: everything that the steps of its answer ask of the meeting.

Nothing here waits but `prepare`, which reads what has been said since the last question, and `weigh`, which
compares this one with what was said by their vectors. The meeting's index of words is its manager's, brought
up to date when a question comes, some 30 µs per new utterance; in a room it is kept up to date as people
speak (`Thinking.keep_read`), so that no asker waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Final

from context.answering.evidence_lines import briefing
from context.answering.follow_up import PastQuestion, history
from context.answering.planning import TokenManager
from context.budgets.configuration import BudgetConfig
from context.budgets.tokens import ModelBudget, budget_for, fit
from context.builder import ContextBuilder
from context.corpora.passage import Passage, Query
from context.corpora.sources import rrf_fusion
from context.features import Features
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.manager import ContextManager
from context.models import AgentCallType, AgentContext, Participant, TopicSegment, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.answer_inputs import QuestionVectors, Thresholds
from context.plain.facade import (
    VECTOR_CANDIDATES,
    answer,
    asks_next_time,
    decided_here,
    places_by_words,
    with_outside_quotes,
)
from context.plain.record import Record, record_of
from context.ports import Tokenizer
from context.primitives.vectors import Vectors
from context.prompts.quoting import quoted, quoted_lines
from context.question import Question
from context.retrieval.lexical import LexicalIndex
from context.thread.briefing import build_context_prompt
from context.thread.memory import HierarchicalMemory
from context.thread.turns_from_elsewhere import NOTHING_LEFT_OUT, TurnsFromElsewhere
from worker.agent.prompt.producers import NO_EXTRAS, Extras
from worker.agent.prompt.prompting import Prompt, prompt_for
from worker.agent.prompt.topic_lines import TopicLines
from worker.agent.question.encoder import Encoder

_BUILDER: Final = ContextBuilder()
_SLICE_UTTERANCES: Final = 200
"""Utterances that are read in one go, which takes some 6 ms."""
_FOLLOWED_IDS: Final = 15
"""So many of what was found are shown with the lines right after them: answers stand behind questions."""
_FOLLOWING_LINES: Final = 3
_LINE_S: Final = 0.025
"""What the vector of a line takes, on a machine that has other things to do, too."""
_WORTHWHILE_LINES: Final = 16
"""A question waits for lines where all are there in time, or at least so many, the likeliest first."""


@dataclass(frozen=True, slots=True)
class QuestionContextSettings:
    """What all questions to a process have in common."""

    tokenizer: Tokenizer
    """Counts as the answering model does."""
    budget: ModelBudget = field(default_factory=lambda: budget_for(""))
    """The answering model's window and its parts; by default those of an unknown model, 8K."""
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS
    """The agent's names, by which it is addressed."""
    zone: tzinfo = UTC
    """The time zone of the times of day that are told."""
    on_prompt: Callable[[int], None] = lambda _tokens: None
    """Told the size of each prompt, in tokens."""
    tenant: str = "default"
    encoder: Encoder | None = None
    """Compares questions and lines by their vectors; without one, words alone decide."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    """How likely an answer made of quotes has to be right."""
    budgets: BudgetConfig = field(default_factory=BudgetConfig)
    """How prompts are shared out among producers."""

    def question_context(self, question: Question, manager: ContextManager) -> QuestionContext:
        """The context of one question, which was read, to one meeting."""
        return QuestionContext(question, manager, self)


async def read_up(manager: ContextManager) -> None:
    """Bring a meeting's index up to its last utterance, in slices that leave the loop to others."""
    while True:
        if not manager.index_more(_SLICE_UTTERANCES):
            return
        await asyncio.sleep(0)


class QuestionContext:
    """One meeting as the answer to one question needs it: quotes, prompts, and what is looked up."""

    def __init__(
        self, question: Question, manager: ContextManager, settings: QuestionContextSettings
    ) -> None:
        self.question = question
        self.manager = manager
        self.settings = settings
        self.tokenizer = settings.tokenizer
        self.meeting = manager.meeting
        self.language: str = question.language
        self.call_type: AgentCallType = question.call_type
        self.erasures = len(manager.meeting.erasures)
        """How many erasures the meeting had when the question was taken up."""
        self._close: Vectors | None = None
        self._meaning: QuestionVectors | None = None
        self._answered: tuple[tuple[object, ...], QuotedAnswer] | None = None

    async def prepare(self) -> None:
        """Read what has been said since the last question; after a restore that is everything."""
        await read_up(self.manager)

    async def weigh(self, *, within_s: float | None = None) -> str:
        """Read what was said, and compare it with the question by their vectors (`encoder` of the settings).

        Vectors that are not there within `within_s` are gone without: words alone decide then, on the whole
        or for the lines without. Which ones these are is told; "" where all are there, and where there is no
        encoder.
        """
        encoder, asked, wanted = self.settings.encoder, None, list[int]()
        self._meaning = self._close = None
        if encoder is None:
            await self.prepare()
            return ""
        question = self.question.matter
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), asyncio.TaskGroup() as beside:
                asking = beside.create_task(encoder.question_vector(self.meeting, question))
                await asyncio.sleep(0)  # the question is on its way before its words are looked up
                await self.prepare()
                wanted = self._needed(question)
                asked = await asking
                if asked is not None:
                    missing = self._without(encoder.meaning(self.meeting, asked), wanted)
                    least = min(len(missing), _WORTHWHILE_LINES)
                    if within_s is None or least * _LINE_S <= within_s:
                        await encoder.embed_lines(self.meeting, missing)
                    else:  # a few of many would change nothing: the next question finds them
                        encoder.want_lines(self.meeting, missing)
        await self.prepare()
        if asked is None:
            return "the question's vector is not there: by words alone"
        self._meaning = encoder.meaning(self.meeting, asked)
        self._close = encoder.closeness(self.meeting, asked)
        without = len(self._without(self._meaning, wanted))
        return f"{without} of {len(wanted)} lines have no vector: these by words" if without else ""

    def _without(self, meaning: QuestionVectors, wanted: Sequence[int]) -> list[int]:
        """The places of `wanted` whose lines have no vector."""
        known = meaning.padded(len(self.meeting.utterances)).has_vector()
        return [place for place in wanted if not known[place]]

    def _needed(self, question: str) -> list[int]:
        """The places of the lines whose vectors are needed: the likeliest by words, and their neighbours."""
        utterances, index = self.meeting.utterances, self.manager.index
        likely = (
            places_by_words(question, index, len(utterances), VECTOR_CANDIDATES)
            if utterances and index.holds(utterances)
            else ()
        )
        near = dict.fromkeys(place + step for step in (0, -1, -2, 1) for place in likely)
        return [place for place in near if 0 <= place < len(utterances)]

    def _here(self, earlier: Sequence[Passage]) -> QuotedAnswer:
        """The answer from this meeting alone, made once for what was said and is known of it by now.

        A search asks for it before and after, and only what changed since the last meeting needs what was
        found in between (`earlier`).
        """
        key = (
            *(len(self.meeting.utterances), len(self.meeting.segments), len(self.meeting.erasures)),
            *(self.meeting.corrections.revision, id(self._meaning)),
        )
        if self.question.since is None and self._answered is not None and self._answered[0] == key:
            return self._answered[1]
        made = answer(
            self.question,
            self._record(),
            earlier=earlier,
            meaning=self._meaning,
            thresholds=self.settings.thresholds,
        )
        self._answered = key, made
        return made

    @property
    def now(self) -> datetime | None:
        """The moment of the question; None in a meeting that has not begun."""
        began = self.meeting.started_at
        return began + timedelta(milliseconds=self.question.at_ms) if began is not None else None

    def context(self) -> AgentContext:
        """What a call of this question's type gets to see of the meeting (seed 000 §4)."""
        people = self.meeting.speakers.speaker_stats.values()
        return _BUILDER.build_context(
            self.call_type,
            self.manager,
            self.question.text,
            [Participant(user_id=one.user_id, name=one.name) for one in people],
            now=self.now,
        )

    def quotes(self, passages: Sequence[Passage] = ()) -> QuotedAnswer:
        """The answer made of quotes from this meeting, and of `passages` where it is better answered there.

        It waits for nothing.
        """
        question = self.question
        here = self._here(passages)
        if not passages or question.since is not None:
            return here
        return with_outside_quotes(
            question.matter, passages, language=self.language, zone=self.settings.zone, besides=here
        )

    def prompt(self, extras: Extras = NO_EXTRAS) -> Prompt:
        """The prompt for the model that answers, within its budget; `extras`: what the steps have found."""
        left_out = NOTHING_LEFT_OUT
        if not extras.evidence:
            left_out = TurnsFromElsewhere.of(self.meeting.thread.turns, self.meeting.replies)
        earlier = partial(self._tiers, extras.tiers) if extras.tiers else partial(self._thread, left_out)
        shown = extras.history and self.meeting.thread.policy.enabled
        thread = earlier if shown else None
        prompt = self._prompt_of(extras, self._utterances_for(extras), thread)
        self.settings.on_prompt(prompt.record.tokens)
        remembers = bool(prompt.thread or extras.profile) and extras.evidence
        elsewhere = bool(prompt.cited_as) or (remembers and self.has_answered_elsewhere)
        return prompt.model_copy(update={"elsewhere": elsewhere}) if elsewhere else prompt

    def _prompt_of(
        self, extras: Extras, found: Sequence[Utterance] = (), thread: Callable[[int], str] | None = None
    ) -> Prompt:
        return prompt_for(
            self.question,
            self.context(),
            self.meeting,
            found,
            language=self.language,
            budget=self.settings.budget,
            tokenizer=self.tokenizer,
            thread=thread or (lambda _tokens: ""),
            extras=extras,
            zone=self.settings.zone,
            config=self.settings.budgets,
        )

    @property
    def has_answered_elsewhere(self) -> bool:
        """Whether an answer that this asker may see rests on other meetings or documents."""
        asked = self.question
        return any(
            reply.rests_elsewhere and (not reply.private or (asked.private and reply.by == asked.by))
            for reply in self.meeting.replies
        )

    def _thread(self, left_out: TurnsFromElsewhere, tokens: int) -> str:
        """What was asked and answered before, as far as this asker may see it; "" where there is nothing."""
        return build_context_prompt(
            self.meeting.thread,
            self.question,
            budget=tokens,
            tokenizer=self.tokenizer,
            language=self.language,
            quote=quoted,
            left_out=left_out,
        ).text

    def _tiers(self, tiers: HierarchicalMemory, tokens: int) -> str:
        """The same in tiers, what lasts first; "" where nothing was asked before."""
        tier_texts = tiers.retrieve_context(self.question.text, tokens)
        text = "\n".join(filter(None, (tier_texts.semantic, tier_texts.compressed, tier_texts.working)))
        return fit(quoted_lines(text), tokens, self.tokenizer)

    def _utterances_for(self, extras: Extras) -> list[Utterance]:
        """Utterances of this meeting for the question, most wanted first, so that what is cut is the worst.

        The briefing's ranking and that of the passages that were found are fused into one. Behind each of the
        first ones stand those right after it, as answers follow questions; behind them all the rest of the
        meeting, newest first, so that a meeting that fits is shown whole, whatever is asked.
        """
        archive, budgets = self.meeting.utterances, self.settings.budgets
        last = len(archive)
        chosen = briefing(
            extras.query or self.question.matter,
            archive,
            self.meeting.segments,
            min(self.settings.budget.shown, budgets.limits_of("evidence").max_output),
            self.tokenizer,
            self._index(),
            close=self._close,
            intent=self.question.intent or "fact",
        )
        passages = (passage for passage in extras.passages if passage.corpus == "meeting")
        own = [id_ for passage in passages for id_ in passage.utterances if 0 < id_ <= last]
        ranked = [id_ for id_, _ in rrf_fusion([chosen.wanted, own])]
        # What changed since a moment, and when people meet next, is looked up, not found by words.
        looks_up = self.question.since is not None or asks_next_time(self.question.matter)
        looked_up = self.quotes().evidence if looks_up else ()
        wanted = list(dict.fromkeys((*looked_up, *ranked)))
        followed = (id_ + step for id_ in wanted[:_FOLLOWED_IDS] for step in range(_FOLLOWING_LINES + 1))
        ids = dict.fromkeys((*followed, *wanted[_FOLLOWED_IDS:], *range(last, 0, -1)))
        return [archive[id_ - 1] for id_ in ids if id_ <= last]

    @property
    def tokens(self) -> TokenManager:
        """Seed 002's shares of the answering model's prompts."""
        return TokenManager.of(self.settings.budget)

    def query(self, text: str, features: Features) -> Query:
        """The search that `text` asks for: what is looked up, for whom and where.

        For a public answer its `asker` is "", so that nothing is found that only some may read. A summary and
        a list of tasks are of this meeting alone: no notes of earlier ones are looked for.
        """
        stats = self.meeting.speakers.speaker_stats.get(self.question.by)
        since = self.question.since
        decided = decided_here(self._record()) if since is not None and since.last_meeting else ""
        return Query(
            text=decided or text,  # what was decided here may have changed what was decided before
            is_question=not decided,
            meeting_id=self.meeting.meeting_id,
            tenant=self.settings.tenant,
            asker=self.question.to or "",
            asker_name=stats.name if stats else "",
            topic=self.manager.current_topic,
            mode=features.retrieval_mode,
            notes_at=None if self.call_type in ("SUMMARY", "ACTION_EXTRACTION") else self.now,
        )

    def planning_input(self, most: int) -> str:
        """Seed 000's planning input (§10.2.4), quoted, in at most `most` tokens."""
        text = _BUILDER.build_planning_input_context(
            self.manager,
            zone=self.settings.zone,
            limit=most,
            tokenizer=self.tokenizer,
            timestamps=self.meeting.config.l0_include_timestamps,
        )
        return quoted_lines(text)

    def required_topics(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """The text of the topics of these names, in full with citations; and the names without a topic."""
        return _BUILDER.build_required_topic_context(
            self.manager, list(names), told=lambda topic: self._topics([topic]).text
        )

    def topics_fit(self) -> bool:
        """Whether a prompt tells all that is known of every topic, so that none need be chosen.

        What is found for the question comes behind the topics and takes nothing from them.
        """
        return len(self.meeting.segments) < 2 or "topics" in self._prompt_of(NO_EXTRAS).whole

    def _topics(self, segments: Sequence[TopicSegment]) -> TopicLines:
        return TopicLines(segments, self.tokenizer, templates=self.settings.budgets.topic_templates)

    def history(self) -> Sequence[PastQuestion]:
        """The asker's last questions with their answers, oldest first: what a follow-up may point at."""
        return history(self.meeting, self.question)

    def names(self) -> Sequence[str]:
        """The names of all who spoke."""
        return [stats.name for stats in self.meeting.speakers.speaker_stats.values()]

    def _index(self) -> LexicalIndex:
        """The meeting's index; what was said or corrected since `prepare`, mostly little, is read now."""
        while self.manager.index_more(_SLICE_UTTERANCES):
            pass
        return self.manager.index

    def _record(self) -> Record:
        """The meeting in the form from which the engine without a model quotes."""
        return record_of(
            self.question.matter,
            utterances=self.meeting.utterances,
            people=tuple(self.meeting.attendance.people.values()),
            segments=self.meeting.segments,
            language=self.language,
            index=self._index(),
            zone=self.settings.zone,
            wake_words=self.settings.wake_words,
        )
