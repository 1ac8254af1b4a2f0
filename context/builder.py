"""What one call of the agent gets to see (seed 000 §4, §10.2.4), as values and as text.

| call type | utterances | topics | written out |
|---|---|---|---|
| IMMEDIATE_RESPONSE | last 10 | none | at most 1,500 tokens |
| SUMMARY, SEARCH | last 5 | all | 1,750 |
| ACTION_EXTRACTION | the open topic's | all | 4,000 |

Any other call type gets the last 10 utterances and all topics. The values hold all of these; the
text (`context.context_text`) counts no more tokens than the table says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, Protocol

from context.briefing import Briefing, briefing
from context.budget import ExactTokenizer, fit, shared
from context.context_text import LABELS, WORDS, format_context_as_system_prompt, topic_lines
from context.language.korean import language_of
from context.models import AgentContext, Participant, Statement, TopicSegment, Utterance
from context.ports import Tokenizer
from context.retrieval.lexical import LexicalIndex
from context.values import changed
from context.vectors import Vectors

IMMEDIATE_TURNS: Final = 10
BACKGROUND_TURNS: Final = 5
PLANNING_TOKENS: Final = 3000
"""Of a planning input; the seed gives it no size."""
_EXACT: Final = ExactTokenizer()
__all__ = ["ContextBuilder", "format_context_as_system_prompt"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Roles(Protocol):
    """`SpeakerContext`, as far as the builder asks it."""

    def infer_roles(self) -> dict[str, str]:
        """Infer each participant's role, by their id."""
        ...


class Remembers(Protocol):
    """`ContextManager`, as far as the builder asks it."""

    @property
    def meeting_id(self) -> str: ...  # the manager's
    @property
    def current_topic(self) -> str: ...
    @property
    def speaker_context(self) -> Roles: ...

    def get_l0_utterances(self, limit: int | None = None) -> list[Utterance]: ...
    def get_topic_utterances(self) -> list[Utterance]: ...
    def get_l1_segments(self) -> list[TopicSegment]: ...


class Archive(Protocol):
    """A meeting's record, as far as a briefing asks it."""

    @property
    def utterances(self) -> Sequence[Utterance]: ...  # the meeting's
    @property
    def segments(self) -> Sequence[TopicSegment]: ...


def _in_full(segment: TopicSegment) -> str:
    return "\n".join(topic_lines(segment, LABELS, bullet=""))


class ContextBuilder:
    """Puts contexts together. Reads the manager, changes nothing, and knows no clock."""

    def build_context(
        self,
        call_type: str,
        context_manager: Remembers,
        user_query: str | None = None,
        participants: list[Participant] | None = None,
        *,
        now: datetime | None = None,
    ) -> AgentContext:
        """The context for a call. `now` defaults to the moment of the last utterance."""
        _ = user_query  # the seed's signature; what is relevant to a question is the briefing's business
        match call_type:
            case "IMMEDIATE_RESPONSE":
                recent, topics = context_manager.get_l0_utterances(limit=IMMEDIATE_TURNS), None
            case "SUMMARY" | "SEARCH":
                recent = context_manager.get_l0_utterances(limit=BACKGROUND_TURNS)
                topics = context_manager.get_l1_segments()
            case "ACTION_EXTRACTION":
                recent, topics = context_manager.get_topic_utterances(), context_manager.get_l1_segments()
            case _:
                recent = context_manager.get_l0_utterances(limit=IMMEDIATE_TURNS)
                topics = context_manager.get_l1_segments()
        return AgentContext(
            meeting_id=context_manager.meeting_id,
            current_time=now or _last_moment(context_manager),
            call_type=call_type,
            recent_utterances=list(recent),
            current_topic=context_manager.current_topic,
            topic_segments=topics,
            pending_items=_pending(topics),
            participants=list(participants or []),
            speaker_roles=context_manager.speaker_context.infer_roles(),
        )

    def context(
        self,
        query: str,
        budget: int,
        *,
        archive: Archive,
        tokenizer: Tokenizer,
        at: datetime | None = None,
        index: LexicalIndex | None = None,
        close: Vectors | None = None,
    ) -> Briefing:
        """The briefing on `query` within `budget` tokens, as of the moment `at` (default: now).

        Only what had begun by `at` is shown, and only the decisions count that stood then, changed since or
        not. Vectors are left out then: passages may go on behind the moment. `close`: as in `briefing`.
        """
        heard: Sequence[Utterance] = archive.utterances
        if at is None:
            return briefing(query, heard, archive.segments, budget, tokenizer, index, close=close)
        heard = [utterance for utterance in heard if utterance.absolute_timestamp <= at]
        until = max((utterance.id for utterance in heard), default=0)
        return briefing(query, heard, _as_of(archive.segments, until), budget, tokenizer, index)

    def build_planning_input_context(
        self,
        ctx: Remembers,
        l0_limit: int = 10,
        *,
        language: str = "auto",
        zone: tzinfo = UTC,
        limit: int = PLANNING_TOKENS,
        tokenizer: Tokenizer = _EXACT,
        timestamps: bool = True,
    ) -> str:
        """What a planner reads: the topic, the last lines, and the topics it may ask for by name.

        In `ko` or `en`; `auto` is the meeting's own language. Times in `zone`. At most `limit` tokens: half
        of them for the lines, the rest for topics, the newest first; how many are left out is said.
        `timestamps`: whether lines tell their times.
        """
        words = WORDS[_spoken(ctx, language)]
        head = [fit(f"## {words['topic']}: {ctx.current_topic}", limit // 8, tokenizer), ""]
        said = [
            f"{f'[{u.absolute_timestamp.astimezone(zone):%H:%M:%S}] ' if timestamps else ''}{u.speaker_name}"
            f" (topic: {u.topic or ctx.current_topic}): {u.text}"
            for u in ctx.get_l0_utterances(limit=l0_limit)
        ]
        head += [words["planning_recent"], *(shared(said, limit // 2, tokenizer) or [words["nothing"]])]
        head += ["", words["planning_topics"]]
        topics = [
            f"- {s.name} (utterances {s.start_utterance_id}~{s.end_utterance_id})"
            for s in ctx.get_l1_segments()
        ]
        left_out = words["left_out"].format(len(topics))
        left = limit - sum(tokenizer.count(line) + 1 for line in (*head, left_out))
        shown: list[str] = []
        while len(shown) < len(topics) and (left := left - tokenizer.count(topics[-1 - len(shown)]) - 1) >= 0:
            shown.insert(0, topics[-1 - len(shown)])
        if len(shown) < len(topics):
            shown.insert(0, words["left_out"].format(len(topics) - len(shown)))
        return "\n".join([*head, *(shown or [words["nothing"]])])

    def build_required_topic_context(
        self,
        ctx: Remembers,
        topic_names: list[str],
        *,
        language: str = "auto",
        told: Callable[[TopicSegment], str] = _in_full,
    ) -> tuple[str, list[str]]:
        """The topics of these names in full, and the names that no topic has.

        Several topics of one name are all given, in order. Nothing asked: `("", [])`.
        `language`: of the heading; the labels are the seed's. `told`: a topic's text, where another one is
        wanted than the seed's.
        """
        wanted = list(dict.fromkeys(topic_names))
        if not wanted:
            return "", []
        by_name: dict[str, list[TopicSegment]] = {}
        for segment in ctx.get_l1_segments():
            by_name.setdefault(segment.name, []).append(segment)
        missing = [name for name in wanted if name not in by_name]
        blocks = [told(segment) for name in wanted for segment in by_name.get(name, [])]
        if not blocks:
            return "", missing
        heading = WORDS[_spoken(ctx, language)]["required"]
        return f"{heading}\n" + "\n\n".join(blocks), missing


def _as_of(segments: Sequence[TopicSegment], until: int) -> list[TopicSegment]:
    """The topics with the decisions that stood when utterance `until` had been said."""
    then = []
    for segment in segments:
        if segment.start_utterance_id > until:
            break
        notes = segment.notes
        stood = tuple(
            _stood(d, until) for d in notes.decisions if max(d.evidence, default=until + 1) <= until
        )
        then.append(changed(segment, {"notes": changed(notes, {"decisions": stood})}))
    return then


def _stood(decision: Statement, until: int) -> Statement:
    by = decision.superseded_by or ""
    if not by.isdigit() or int(by) <= until:
        return decision
    return changed(decision, {"status": "decided", "superseded_by": None})


def _pending(topics: Sequence[TopicSegment] | None) -> list[str] | None:
    """What is open in all topics shown, each item once; None where no topics are shown."""
    if topics is None:
        return None
    return list(dict.fromkeys(item for segment in topics for item in segment.pending_items)) or None


def _spoken(ctx: Remembers, language: str) -> str:
    """`ko` or `en`: as told, else what the meeting was opened with, else as its newest lines are."""
    for told in (language, getattr(getattr(ctx, "meeting", None), "language", "auto")):
        if told in WORDS:
            return str(told)
    said = " ".join(utterance.text for utterance in ctx.get_l0_utterances())
    return language_of(said) if said else "ko"


def _last_moment(ctx: Remembers) -> datetime:
    """When the last utterance was said; where nothing was, the meeting's start, or the epoch."""
    recent = ctx.get_l0_utterances(limit=1)
    if recent:
        return recent[-1].absolute_timestamp
    started = getattr(getattr(ctx, "meeting", None), "started_at", None)
    return started if isinstance(started, datetime) else _EPOCH
