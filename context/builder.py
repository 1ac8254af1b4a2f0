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
from typing import TYPE_CHECKING, Final

from context.budget import ExactTokenizer, fit, shared
from context.language.closed_lists import wording
from context.language.korean import language_of
from context.models import AgentContext, Participant, TopicSegment
from context.ports import Tokenizer

if TYPE_CHECKING:
    from context.manager import ContextManager

IMMEDIATE_TURNS: Final = 10
BACKGROUND_TURNS: Final = 5
PLANNING_TOKENS: Final = 3000
"""Of a planning input; the seed gives it no size."""
_EXACT: Final = ExactTokenizer()
__all__ = ["ContextBuilder", "format_context_as_system_prompt"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _in_full(segment: TopicSegment) -> str:
    return "\n".join(topic_lines(segment, LABELS, bullet=""))


class ContextBuilder:
    """Puts contexts together. Reads the manager, changes nothing, and knows no clock."""

    def build_context(
        self,
        call_type: str,
        context_manager: ContextManager,
        user_query: str | None = None,
        participants: list[Participant] | None = None,
        *,
        now: datetime | None = None,
    ) -> AgentContext:
        """The context for a call. `now` defaults to the moment of the last utterance."""
        _ = user_query  # the seed's signature; what is relevant to a question is the briefing's business
        match call_type:
            case "SUMMARY" | "SEARCH":
                recent = context_manager.get_l0_utterances(limit=BACKGROUND_TURNS)
            case "ACTION_EXTRACTION":
                recent = context_manager.get_topic_utterances()
            case _:
                recent = context_manager.get_l0_utterances(limit=IMMEDIATE_TURNS)
        topics = None if call_type == "IMMEDIATE_RESPONSE" else context_manager.get_l1_segments()
        pending = dict.fromkeys(item for segment in topics or () for item in segment.pending_items)
        newest = context_manager.get_l0_utterances(limit=1)
        moment = newest[0].absolute_timestamp if newest else context_manager.meeting.started_at
        return AgentContext(
            meeting_id=context_manager.meeting_id,
            current_time=now or moment or _EPOCH,
            call_type=call_type,
            recent_utterances=recent,
            current_topic=context_manager.current_topic,
            topic_segments=topics,
            pending_items=list(pending) or None,
            participants=list(participants or []),
            speaker_roles={**context_manager.speaker_context.infer_roles()},
        )

    def build_planning_input_context(
        self,
        ctx: ContextManager,
        l0_limit: int = 10,
        *,
        zone: tzinfo = UTC,
        limit: int = PLANNING_TOKENS,
        tokenizer: Tokenizer = _EXACT,
        timestamps: bool = True,
    ) -> str:
        """What a planner reads: the topic, the last lines, and the topics it may ask for by name.

        In the meeting's own language; times in `zone`. At most `limit` tokens: half of them for the lines,
        the rest for topics, the newest first; how many are left out is said. `timestamps`: whether lines tell
        their times.
        """
        words = WORDS[_language_of(ctx)]
        head = [fit(f"## {words['topic']}: {ctx.current_topic}", limit // 8, tokenizer), ""]
        said = []
        for each in ctx.get_l0_utterances(limit=l0_limit):
            time = f"[{each.absolute_timestamp.astimezone(zone):%H:%M:%S}] " if timestamps else ""
            topic = each.topic or ctx.current_topic
            said.append(f"{time}{each.speaker_name} (topic: {topic}): {each.text}")
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
        self, ctx: ContextManager, topic_names: list[str], *, told: Callable[[TopicSegment], str] = _in_full
    ) -> tuple[str, list[str]]:
        """The topics of these names in full, and the names that no topic has.

        Several topics of one name are all given, in order. Nothing asked: `("", [])`. `told`: a topic's text,
        where another one is wanted than the seed's.
        """
        by_name: dict[str, list[TopicSegment]] = {name: [] for name in topic_names}
        for segment in ctx.get_l1_segments():
            if segment.name in by_name:
                by_name[segment.name].append(segment)
        missing = [name for name, segments in by_name.items() if not segments]
        blocks = [told(segment) for segments in by_name.values() for segment in segments]
        heading = WORDS[_language_of(ctx)]["required"]
        return f"{heading}\n" + "\n\n".join(blocks) if blocks else "", missing


def _language_of(ctx: ContextManager) -> str:
    """`ko` or `en`: what the meeting was opened with, else as its newest lines are."""
    if ctx.meeting.language in WORDS:
        return ctx.meeting.language
    said = " ".join(utterance.text for utterance in ctx.get_l0_utterances())
    return language_of(said) if said else "ko"


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
    utterances, decisions and open items first, then whole topics, the newest before the others; how many
    topics are left out is said.
    """
    words = WORDS["en" if language == "en" else "ko"]
    l0, l1 = SIZES.get(ctx.call_type, _OTHER)
    limit = l0 + l1 if limit is None else limit
    whole = _pieces(ctx, words, zone)
    text = _joined(whole, words)
    if tokenizer.count(text) <= limit:
        return text

    def cost_of(piece: str) -> int:
        return tokenizer.count(piece) + _JOINT_TOKENS

    frame = sum(cost_of(words[name]) for name in (*_HEADINGS, "left_out"))
    left, room = limit - frame, limit * l0 // (l0 + l1) - frame
    shown: dict[Place, str] = {}
    for place, piece in _most_wanted_first(ctx, words["labels"].split("|")[1], whole):
        if place[0] == _RECENT and not any(part == _RECENT for part, _ in shown):
            piece = fit(piece, room - _JOINT_TOKENS, tokenizer)  # noqa: PLW2901  the newest, cut if need be
        cost = cost_of(piece)
        room -= cost if place[0] == _RECENT else 0
        more = cost - (cost_of(shown[place]) if place in shown else 0)
        if piece and more <= left and (place[0] != _RECENT or room >= 0):
            left -= more
            shown[place] = piece
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
    ctx: AgentContext, label: str, whole: Mapping[Place, str]
) -> Iterator[tuple[Place, str]]:
    """The pieces; what comes again for the same place takes its place. `label`: of decisions.

    The newest lines; what was decided and what is open, topic by topic; what is open of no topic.
    """
    newest_first = sorted(whole.items(), reverse=True)
    yield from (item for item in whole.items() if item[0][0] == _FACTS)
    yield from (item for item in newest_first if item[0][0] == _RECENT)
    pending = {item: (_PENDING, at) for at, item in enumerate(ctx.pending_items or ())}
    for at, topic in reversed([*enumerate(ctx.topic_segments or ())]):
        decided = f"\n- {label}: {', '.join(topic.key_decisions)}" if topic.key_decisions else ""
        yield (_TOPICS, at), f"### {topic.name}{decided}"
        yield from ((pending[item], f"- {item}") for item in topic.pending_items if item in pending)
    yield from (item for item in whole.items() if item[0][0] in {_PENDING, _PEOPLE})
    yield from (item for item in newest_first if item[0][0] == _TOPICS)


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
