"""What one call of the agent gets to see (seed 000 §4, §10.2.4), as values and as text, in Korean or English.

| call type | utterances | topics | written out |
|---|---|---|---|
| IMMEDIATE_RESPONSE | last 10 | none | at most 1,500 tokens |
| SUMMARY, SEARCH | last 5 | all | 1,750 |
| ACTION_EXTRACTION | the open topic's | all | 4,000 |

Any other call type gets the last 10 utterances and all topics. The values hold all of these; the
text counts no more tokens than the table says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, Protocol

from context.briefing import Briefing, briefing
from context.budget import ExactTokenizer, fit, shared
from context.language.closed_lists import wording
from context.language.korean import language_of
from context.models import AgentContext, Participant, TopicSegment, Utterance
from context.ports import Tokenizer
from context.retrieval.lexical import LexicalIndex
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
        index: LexicalIndex | None = None,
        close: Vectors | None = None,
    ) -> Briefing:
        """The briefing on `query` within `budget` tokens. `close`: as in `briefing`."""
        return briefing(query, archive.utterances, archive.segments, budget, tokenizer, index, close=close)

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


LABELS: Final = ("Key Points", "Decisions", "Pending", "Participants", "Keywords")
"""Of a topic's five lists, as the seed spells them."""
WORDS: Final = wording("context")
"""Headings and labels, by language."""


SIZES: Final = {
    "IMMEDIATE_RESPONSE": (1500, 0),
    "SUMMARY": (750, 1000),
    "SEARCH": (750, 1000),
    "ACTION_EXTRACTION": (3000, 1000),
}
"""Tokens of utterances and of topics by call type, the rest of the text included (seed 000 §10.3.4)."""
_OTHER: Final = (1500, 1000)
_FACTS, _PEOPLE, _RECENT, _TOPICS, _PENDING = range(5)
_HEADINGS: Final = ("meeting", "participants", "recent", "topics", "pending")
_JOINT_TOKENS: Final = 2

Place = tuple[int, int]
"""A part of the text, and the place of a piece in it."""


def format_context_as_system_prompt(
    ctx: AgentContext,
    *,
    language: str = "ko",
    zone: tzinfo = UTC,
    limit: int | None = None,
    tokenizer: Tokenizer = _EXACT,
) -> str:
    """The context as text, in `ko` or `en`; empty parts are left out. Times in `zone`.

    Never more than `limit` tokens, by default the call type's size. What is too long is shown with its newest
    utterances, decisions and open items first, then topics' names, then whole topics, the newest before the
    others; how many topics are left out is said.
    """
    words = WORDS["en" if language == "en" else "ko"]
    l0, l1 = SIZES.get(ctx.call_type, _OTHER)
    limit = l0 + l1 if limit is None else limit
    whole = _pieces(ctx, words, zone)
    text = _joined(whole, words)
    if tokenizer.count(text) <= limit:
        return text
    frame = sum(tokenizer.count(words[name]) + _JOINT_TOKENS for name in (*_HEADINGS, "left_out"))
    left = limit - frame
    shown: dict[Place, str] = {}
    costs: dict[Place, int] = {}
    for place, piece in _most_wanted_first(ctx, words, whole, limit * l0 // (l0 + l1) - frame, tokenizer):
        cost = tokenizer.count(piece) + _JOINT_TOKENS
        if cost - costs.get(place, 0) <= left:
            left -= cost - costs.get(place, 0)
            shown[place], costs[place] = piece, cost
    hidden = len(ctx.topic_segments or ()) - sum(part == _TOPICS for part, _ in shown)
    if hidden:
        shown[_TOPICS, -1] = words["left_out"].format(hidden)
    return fit(_joined(shown, words), limit, tokenizer)


def _pieces(ctx: AgentContext, words: Mapping[str, str], zone: tzinfo) -> dict[Place, str]:
    """Everything, in the order in which it stands."""
    parts: tuple[Iterable[str], ...] = (
        (
            f"- {words['id']}: {ctx.meeting_id}",
            f"- {words['time']}: {ctx.current_time.astimezone(zone).isoformat()}",
            f"- {words['call']}: {ctx.call_type}",
            f"- {words['topic']}: {ctx.current_topic or words['none']}",
        ),
        (_participant_line(each, ctx) for each in ctx.participants),
        (
            f"[{u.absolute_timestamp.astimezone(zone):%H:%M:%S}] {u.speaker_name}: {u.text}"
            for u in ctx.recent_utterances or ()
        ),
        (
            "\n".join(topic_lines(each, words["labels"].split("|"), bullet="- "))
            for each in ctx.topic_segments or ()
        ),
        (f"- {item}" for item in ctx.pending_items or ()),
    )
    return {(part, at): piece for part, pieces in enumerate(parts) for at, piece in enumerate(pieces)}


def _most_wanted_first(
    ctx: AgentContext, words: Mapping[str, str], whole: Mapping[Place, str], l0: int, tokenizer: Tokenizer
) -> Iterator[tuple[Place, str]]:
    """The pieces; what comes again for the same place takes its place. `l0`: tokens of utterances."""
    newest_first = sorted(whole, reverse=True)
    yield from ((place, piece) for place, piece in whole.items() if place[0] == _FACTS)
    recent = [each for each in newest_first if each[0] == _RECENT]
    yield from _newest_lines([(place, whole[place]) for place in recent], l0, tokenizer)
    topics = list(enumerate(ctx.topic_segments or ()))[::-1]
    yield from _open_first(ctx, topics, words["labels"].split("|")[1])
    yield from ((place, whole[place]) for place in sorted(whole) if place[0] == _PEOPLE)
    yield from (((_TOPICS, at), f"### {topic.name}") for at, topic in topics if not topic.key_decisions)
    yield from ((place, whole[place]) for place in newest_first if place[0] == _TOPICS)


def _newest_lines(
    recent: Sequence[tuple[Place, str]], room: int, tokenizer: Tokenizer
) -> Iterator[tuple[Place, str]]:
    """As many lines as fit into `room` tokens, the newest, cut if need be, first."""
    for number, (place, whole) in enumerate(recent):
        line = whole if number else fit(whole, room - _JOINT_TOKENS, tokenizer)
        room -= tokenizer.count(line) + _JOINT_TOKENS
        if room < 0 or not line:
            return
        yield place, line


def _open_first(
    ctx: AgentContext, topics: Sequence[tuple[int, TopicSegment]], label: str
) -> Iterator[tuple[Place, str]]:
    """What was decided and what is open, topic by topic; then what is open of no topic."""
    waiting = {item: (_PENDING, at) for at, item in enumerate(ctx.pending_items or ())}
    for at, topic in topics:
        if topic.key_decisions:
            yield (_TOPICS, at), f"### {topic.name}\n- {label}: {', '.join(topic.key_decisions)}"
        for item in topic.pending_items:
            if item in waiting:
                yield waiting.pop(item), f"- {item}"
    yield from ((place, f"- {item}") for item, place in waiting.items())


def _joined(pieces: Mapping[Place, str], words: Mapping[str, str]) -> str:
    parts = []
    for part, name in enumerate(_HEADINGS):
        texts = [pieces[place] for place in sorted(pieces) if place[0] == part]
        if texts:
            parts.append(("\n\n" if part == _TOPICS else "\n").join([words[name], *texts]))
    return "\n\n".join(parts)


def topic_lines(segment: TopicSegment, labels: Sequence[str], bullet: str) -> list[str]:
    """A topic's name, its summary and those of its lists that hold something, under `labels`."""
    lists = (
        segment.key_points,
        segment.key_decisions,
        segment.pending_items,
        segment.participants,
        segment.keywords,
    )
    lines = [f"### {segment.name}"]
    if segment.summary:
        lines.append(segment.summary)
    return lines + [
        f"{bullet}{label}: {', '.join(values)}" for label, values in zip(labels, lists, strict=True) if values
    ]


def _participant_line(participant: Participant, ctx: AgentContext) -> str:
    role = ctx.speaker_roles.get(participant.user_id) or participant.role
    return f"- {participant.name} ({role})" if role else f"- {participant.name}"
