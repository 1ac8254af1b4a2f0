"""A desk's further drawers: what the steps around planning, retrieval and checking ask a meeting for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final, Protocol, cast

from context.answering.follow_up import Exchange, FollowUp, follow_up
from context.answering.token_plan import TokenManager
from context.budget import ModelBudget
from context.budgets.configuration import BudgetConfig
from context.builder import ContextBuilder, Remembers
from context.checking import sources_of
from context.corpora import Query
from context.evidence.verdicts import Claim
from context.evidence.witnesses import witnesses
from context.features import Features
from context.language.since import since_in
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import AgentCallType, Invocation, TopicSegment, Utterance
from context.plain.door import decided_here
from context.plain.record import Record
from context.ports import Tokenizer
from context.reading.requests import Request
from context.retrieval import LexicalIndex
from worker.agent.graph.ports import AskedIn
from worker.agent.quoting import quoted_lines
from worker.agent.topic_lines import TopicLines

_BUILDER: Final = ContextBuilder()
_REMEMBERED: Final = 5
"""Questions of one asker: a follow-up reaches back a few turns at most."""
_REPLIES: Final = 200
_ONE_PLACE: Final = 6
"""What came closest to a question is one matter where it was said within so many utterances."""
_STALE_MS: Final = 600_000
"""After ten minutes "why?" is about what is being said now."""


def _in_one_place(evidence: Sequence[int]) -> bool:
    return bool(evidence) and max(evidence) - min(evidence) <= _ONE_PLACE


class Office(Protocol):
    """What all desks share."""

    @property
    def tenant(self) -> str: ...  # noqa: D102 - whose meetings these are
    @property
    def budget(self) -> ModelBudget: ...  # noqa: D102 - of the model that answers
    @property
    def budgets(self) -> BudgetConfig: ...  # noqa: D102 - how its prompts are shared out
    @property
    def tokenizer(self) -> Tokenizer: ...  # noqa: D102 - counts as it does
    @property
    def zone(self) -> tzinfo: ...  # noqa: D102 - for times of day

    def record(self, meeting: Meeting, question: str, language: str) -> Record:
        """What is quoted from."""
        ...

    def index(self, meeting: Meeting) -> LexicalIndex:
        """The meeting's words, as far as they have been read."""
        ...

    def topics_shown(self, meeting: Meeting, call_type: AgentCallType) -> bool:
        """Whether a prompt of this call type shows all topics."""
        ...


class Research:
    """One question to one meeting."""

    invocation: Invocation
    manager: ContextManager
    meeting: Meeting
    language: str
    call_type: AgentCallType
    request: Request
    """What is asked for."""
    office: Office
    _follows: tuple[FollowUp | None] | None = None

    @property
    def asked_in(self) -> AskedIn:
        """The question in its place."""
        return AskedIn(
            question=self.invocation.text,
            meeting_id=self.meeting.meeting_id,
            tenant=self.office.tenant,
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
        return TokenManager.of(self.office.budget)

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts as the model does."""
        return self.office.tokenizer

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
            tenant=self.office.tenant,
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
            zone=self.office.zone,
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
        return TopicLines([segment], self.tokenizer, templates=self.office.budgets.topic_templates).text

    def topics_fit(self) -> bool:
        """Whether a prompt shows all topics anyway."""
        return self.office.topics_shown(self.meeting, self.call_type)

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
        """Of the participants."""
        return [stats.name for stats in self.meeting.speakers.speaker_stats.values()]

    def witnesses(self, claims: Sequence[Claim]) -> Sequence[Utterance]:
        """The utterances that claims are held against: what they cite, and what was said on it later."""
        return witnesses(claims, self.meeting.utterances, self.office.index(self.meeting))

    def _record(self) -> Record:
        return self.office.record(self.meeting, self.invocation.text, self.language)
