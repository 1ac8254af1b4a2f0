"""One question to one meeting: everything that the steps of its answer ask of that meeting.

Nothing here waits but `prepare` and `weigh`: the first reads what has been said since the last question, the
second asks what vectors say of this one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast

from context.answering.follow_up import Exchange, FollowUp, follow_up
from context.answering.planning import TokenManager
from context.builder import ContextBuilder, Remembers, format_context_as_system_prompt
from context.checking import sources_of
from context.corpora import Passage, Query
from context.evidence.verdicts import Claim, witnesses
from context.features import Features
from context.language.korean import language_of
from context.language.since import missed, since_in
from context.manager import ContextManager
from context.models import (
    AgentCallType,
    AgentContext,
    Invocation,
    Participant,
    TopicSegment,
    Utterance,
)
from context.plain.answer import QuotedAnswer
from context.plain.asking import Asking
from context.plain.door import answer, answer_from, by_words, decided_here
from context.plain.meaning import Meaning
from context.plain.record import Record
from context.ports import Tokenizer
from context.reading.requests import request_in
from context.thread.briefing import build_context_prompt
from context.vectors import Vectors
from worker.agent.graph.parts import AskedIn
from worker.agent.material import NOTHING_MORE, Extras, Prompt
from worker.agent.prompting import prompt_for
from worker.agent.quoting import quoted, quoted_lines
from worker.agent.topic_lines import TopicLines

if TYPE_CHECKING:
    from worker.agent.desks import Desks

_BUILDER: Final = ContextBuilder()
_REMEMBERED: Final = 5
"""Questions of one asker: a follow-up reaches back a few turns at most."""
_REPLIES: Final = 200
_ONE_PLACE: Final = 6
"""What came closest to a question is one matter where it was said within so many utterances."""
_STALE_MS: Final = 600_000
"""After ten minutes "why?" is about what is being said now."""
_FOLLOWED: Final = 15
"""So many of what was found are shown with the lines right after them: answers stand behind questions."""
_FOLLOWING: Final = 3
LOOKED_AT: Final = 64
"""So many lines, the likeliest by their words, get vectors for a question, and their neighbours, too."""


class Desk:
    """One meeting, prepared for one question."""

    _follows: tuple[FollowUp | None] | None = None

    def __init__(self, desks: Desks, invocation: Invocation, manager: ContextManager) -> None:
        self.desks = desks
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
        await self.desks.read_up(self.meeting)

    async def weigh(self, question: str) -> None:
        """Ask what vectors say of the question; without them words alone decide."""
        encoder = self.desks.encoder
        self.meaning = await encoder.meaning(self.meeting, question, self._wanted(question))
        self.close = await encoder.closeness(self.meeting, question)
        if self.meaning is not None and question == self.invocation.text:
            self.request = request_in(question, self.meaning.question)
            self.call_type = self.request.call_type

    def _wanted(self, question: str) -> list[int]:
        """The lines whose vectors a question needs first: the likeliest by words, and their neighbours."""
        said, index = self.meeting.utterances, self.desks.index(self.meeting)
        if not said or not index.holds(said):
            return []
        likely = by_words(question, index, len(said), LOOKED_AT)
        return list(dict.fromkeys(place + step for step in (0, -1, -2, 1) for place in likely))

    def count_context(self) -> None:
        """Tell the size of what a call of this type gets to see, where no model was shown it."""
        text = format_context_as_system_prompt(
            self.context(), language=self.language, zone=self.desks.zone, tokenizer=self.tokenizer
        )
        self.desks.on_prompt(self.tokenizer.count(text))

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

    def quotes(
        self, passages: Sequence[Passage] = (), question: str = "", follows: FollowUp | None = None
    ) -> QuotedAnswer:
        """The extractive answer; from `passages` where that is asked for, or this meeting has none.

        `question`: how the asker's is to be read; empty: as it was asked. `follows`: what it takes from the
        turn before. No network, and quick.
        """
        asked = question or self.invocation.text
        here = self._own_quotes(asked, passages, follows)
        if not passages or since_in(asked) is not None:
            return here
        return answer_from(asked, passages, language=self.language, zone=self.desks.zone, besides=here)

    def _own_quotes(
        self,
        question: str,
        passages: Sequence[Passage] = (),
        follows: FollowUp | None = None,
    ) -> QuotedAnswer:
        attendance = self.meeting.attendance
        asking = Asking(
            question=question,
            call_type=self.call_type,
            missed=missed(attendance.people.get(self.invocation.by), self.invocation.at_ms),
            now_ms=self.invocation.at_ms,
            earlier=passages,
            follows=follows,
            people=tuple(attendance.people.values()),
            asker=attendance.name_of(self.invocation.by),
            meaning=self.meaning,
            thresholds=self.desks.thresholds,
        )
        return answer(asking, self.desks.record(self.meeting, question, self.language))

    def prompt(self, extras: Extras = NOTHING_MORE) -> Prompt:
        """The prompt for one desk, within the model's budget."""
        prompt = prompt_for(
            self.invocation,
            self.context(),
            self.meeting,
            self._found(extras),
            language=self.language,
            budget=self.desks.budget,
            tokenizer=self.desks.tokenizer,
            thread=self._thread if extras.history else lambda _tokens: "",
            extras=extras,
            zone=self.desks.zone,
            config=self.desks.budgets,
            level=self.desks.level(self.meeting),
        )
        self.desks.on_prompt(prompt.tokens)
        return prompt

    def _thread(self, tokens: int) -> str:
        """What was asked and answered before, as far as this asker may see it; "" where there is nothing."""
        return build_context_prompt(
            self.meeting.thread,
            self.invocation,
            budget=tokens,
            tokenizer=self.desks.tokenizer,
            language=self.language,
            quote=quoted,
        ).text

    def _found(self, extras: Extras) -> list[Utterance]:
        """Utterances of this meeting for the question, most wanted first: passages, then the briefing's."""
        archive = self.meeting.utterances
        found = _BUILDER.context(
            extras.query or self.invocation.text,
            min(self.desks.budget.shown, self.desks.budgets.limits_of("evidence").max_output),
            archive=self.meeting,
            tokenizer=self.desks.tokenizer,
            index=self.desks.index(self.meeting),
            close=self.close,
        )
        own = [each for each in extras.passages if each.corpus == "meeting"]
        ids = dict.fromkeys(id_ for each in own for id_ in each.utterances if 0 < id_ <= len(archive))
        if since_in(self.invocation.text) is not None:
            # What changed since a moment is looked up, not found by words.
            ids = dict.fromkeys((*self._own_quotes(self.invocation.text).evidence, *ids))
        return [archive[id_ - 1] for id_ in _with_what_follows((*ids, *found.wanted), len(archive))]

    @property
    def asked_in(self) -> AskedIn:
        """The question in its place."""
        return AskedIn(
            question=self.invocation.text,
            meeting_id=self.meeting.meeting_id,
            tenant=self.desks.tenant,
            asker=self.invocation.by,
            private=self.invocation.private,
            language=self.language,
            call_type=self.call_type,
            now_ms=self.invocation.at_ms,
            after_utterance=self.invocation.after_utterance,
        )

    @property
    def tokens(self) -> TokenManager:
        """The shares of this model's prompts."""
        return TokenManager.of(self.desks.budget)

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts as the model does."""
        return self.desks.tokenizer

    def query(self, text: str, features: Features) -> Query:
        """What to look up, by whom and where.

        What only some may read is looked into for them alone, so never for an answer that all can read.
        """
        stats = self.meeting.speakers.speaker_stats.get(self.invocation.by)
        since = since_in(text)
        if since is not None and since.last_meeting:
            text = decided_here(self._record()) or text  # what it may have changed
        return Query(
            text=text,
            meeting_id=self.meeting.meeting_id,
            tenant=self.desks.tenant,
            asker=self.invocation.by if self.invocation.private else "",
            asker_name=stats.name if stats else "",
            topic=self.manager.current_topic,
            mode=features.retrieval_mode,
        )

    def topics(self) -> Sequence[TopicSegment]:
        """All topics of the meeting so far."""
        return self.meeting.segments

    def planning_input(self, most: int) -> str:
        """Seed 000's planning input in at most so many tokens, each line unable to close its block."""
        text = _BUILDER.build_planning_input_context(
            cast("Remembers", self.manager),
            zone=self.desks.zone,
            limit=most,
            tokenizer=self.tokenizer,
            timestamps=self.meeting.config.l0_include_timestamps,
        )
        return quoted_lines(text)

    def required_topics(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """Topics by name in full, with what they rest on, and the names that no topic has."""
        return _BUILDER.build_required_topic_context(
            cast("Remembers", self.manager), list(names), told=self._topic
        )

    def _topic(self, segment: TopicSegment) -> str:
        return TopicLines([segment], self.tokenizer, templates=self.desks.budgets.topic_templates).text

    def topics_fit(self) -> bool:
        """Whether a prompt shows all topics anyway."""
        return self.desks.topics_shown(self.meeting, self.call_type)

    def history(self) -> Sequence[Exchange]:
        """The asker's own last questions with their answers, oldest first: what a follow-up may point at.

        Private ones only where this question is private too; none from before a long silence.
        """
        turns = self.meeting.thread.earlier(self.invocation)
        own = [turn for turn in turns if turn.by == self.invocation.by][-_REMEMBERED:]
        replies = {reply.invocation_id: reply for reply in self.meeting.replies[-_REPLIES:]}
        said: list[Exchange] = []
        for turn in own:
            reply = replies.get(turn.question.id)
            if reply is not None and self.invocation.at_ms - reply.answered_at_ms > _STALE_MS:
                continue
            evidence = reply.evidence if reply is not None else ()
            if reply is not None and reply.declined and not _in_one_place(evidence):
                evidence = ()
            answer = turn.answer.content if turn.answer else ""
            said.append(Exchange(turn.question.content, answer, evidence))
        return said

    def follows(self) -> FollowUp | None:
        """What the question takes from the asker's turn before; None where it stands alone."""
        if self._follows is None:
            self._follows = (
                follow_up(self.invocation.text, self.history(), self.names(), self.request.wish),
            )
        return self._follows[0]

    def sources(self, evidence: Sequence[int]) -> Mapping[int, str]:
        """What utterances say, with their speakers' names, as the checks read it."""
        archive = self.meeting.utterances
        return sources_of([archive[id_ - 1] for id_ in evidence if 0 < id_ <= len(archive)])

    def names(self) -> Sequence[str]:
        """Give the names of the participants."""
        return [stats.name for stats in self.meeting.speakers.speaker_stats.values()]

    def witnesses(self, claims: Sequence[Claim]) -> Sequence[Utterance]:
        """The utterances that claims are held against: what they cite, and what was said on it later."""
        return witnesses(claims, self.meeting.utterances, self.desks.index(self.meeting))

    def _record(self) -> Record:
        return self.desks.record(self.meeting, self.invocation.text, self.language)


def _in_one_place(evidence: Sequence[int]) -> bool:
    return bool(evidence) and max(evidence) - min(evidence) <= _ONE_PLACE


def _with_what_follows(wanted: Sequence[int], last: int) -> list[int]:
    """The ids, each once; behind each of the first ones those right after it, as answers follow questions."""
    first = (id_ + step for id_ in wanted[:_FOLLOWED] for step in range(_FOLLOWING + 1) if id_ + step <= last)
    return list(dict.fromkeys((*first, *wanted[_FOLLOWED:])))


async def weighed(desk: Desk, question: str, patience_s: float | None) -> bool:
    """Prepare the desk and ask the encoder; False where it was too late: then words alone decide."""
    await desk.prepare()
    try:
        async with asyncio.timeout(patience_s):
            await desk.weigh(question)
    except TimeoutError:
        return False
    return True
