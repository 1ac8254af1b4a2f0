"""Seed 000's contexts (§4, §10.2.4): what one call of the agent is shown, as values and as text.

| call type | utterances | topics | written out |
|---|---|---|---|
| IMMEDIATE_RESPONSE | last 10 | none | at most 1,500 tokens |
| SUMMARY, SEARCH | last 5 | all | 1,750 |
| ACTION_EXTRACTION | the open topic's | all | 4,000 |

Any other call type gets the last 10 utterances and all topics. `AgentContext` holds all of these; its text,
in Korean or English, counts no more tokens than the table says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final

from context.budget import ExactTokenizer, fit, shared
from context.dating import EPOCH, dated, local
from context.language.closed_lists import wording
from context.language.edits import edit_mark
from context.language.korean import language_of
from context.models import AgentContext, Participant, TopicSegment
from context.ports import Tokenizer

if TYPE_CHECKING:
    from context.manager import ContextManager

IMMEDIATE_TURNS: Final = 10
BACKGROUND_TURNS: Final = 5
PLANNING_TOKENS: Final = 3000
"""Tokens of a planning input; the seed gives it no size."""
_EXACT: Final = ExactTokenizer()
__all__ = ["ContextBuilder", "format_context_as_system_prompt"]


def _in_full(segment: TopicSegment) -> str:
    return "\n".join(topic_lines(segment, LABELS, bullet=""))


class ContextBuilder:
    """Seed 000's `ContextBuilder` (§10.2.4): makes contexts from a `ContextManager`, and changes nothing."""

    def build_context(
        self,
        call_type: str,
        context_manager: ContextManager,
        user_query: str | None = None,
        participants: list[Participant] | None = None,
        *,
        now: datetime | None = None,
    ) -> AgentContext:
        """The context for a call of this type; an unknown type gets the last 10 utterances and all topics.

        `now`: the time that it is given; None: that of the last utterance, else of the meeting's start.
        """
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
            current_time=now or moment or EPOCH,
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
        """What a planner reads: the topic, the last `l0_limit` lines, and the topics it may ask for by name.

        It is in the meeting's language, its times in `zone`, and says so where there are no lines or topics.
        At most `limit` tokens: half of them for the lines, the rest for the newest topics; how many are left
        out is said. `timestamps`: whether lines tell their times.
        """
        language = _language_of(ctx)
        words = WORDS[language]
        head = [fit(f"## {words['topic']}: {ctx.current_topic}", limit // 8, tokenizer), ""]
        said = []
        for each in ctx.get_l0_utterances(limit=l0_limit):
            time = f"[{local(each.absolute_timestamp, zone):%H:%M:%S}] " if timestamps else ""
            topic = each.topic or ctx.current_topic
            mark = edit_mark(each.corrected_by, language)
            said.append(f"{time}{each.speaker_name} (topic: {topic}){mark}: {each.text}")
        head += [words["planning_recent"], *(shared(said, limit // 2, tokenizer) or [words["nothing"]])]
        head += ["", words["planning_topics"]]
        topics = [
            f"- {s.name} (utterances {s.start_utterance_id}~{s.end_utterance_id})"
            for s in ctx.get_l1_segments()
        ]
        left_out = words["left_out"].format(len(topics))
        left = limit - _cost(("\n".join(head), left_out), tokenizer)
        shown = _newest(topics, left, tokenizer)
        if len(shown) < len(topics):
            shown.insert(0, words["left_out"].format(len(topics) - len(shown)))
        return "\n".join([*head, *(shown or [words["nothing"]])])

    def build_required_topic_context(
        self, ctx: ContextManager, topic_names: list[str], *, told: Callable[[TopicSegment], str] = _in_full
    ) -> tuple[str, list[str]]:
        """The text of the topics with these names, and those names that no topic has; `("", [])` for none.

        Several topics of one name are all given, in order. `told` writes a topic's text; by default as the
        seed does, with all its lists.
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
"""Labels of a topic's five lists, as the seed spells them."""
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
_JOINT_TOKENS: Final = 2
_HEADINGS: Final = ("meeting", "participants", "recent", "topics", "pending")


def format_context_as_system_prompt(
    ctx: AgentContext,
    *,
    language: str = "ko",
    zone: tzinfo = UTC,
    limit: int | None = None,
    tokenizer: Tokenizer = _EXACT,
    timestamps: bool = True,
) -> str:
    """The context as text for a system prompt (seed 000 §4.4), in `ko` or `en`, with times in `zone`.

    Empty parts are left out. It has at most `limit` tokens, by default the call type's size. Where all of it
    is too long, topics are told by their names and decisions, and of each part the newest is shown; how many
    topics are left out is said. `timestamps`: whether lines tell their times.
    """
    words = WORDS["en" if language == "en" else "ko"]
    labels = words["labels"].split("|")
    now = local(ctx.current_time, zone)
    facts = [
        f"- {words['id']}: {ctx.meeting_id}",
        f"- {words['time']}: {now.isoformat() if dated(now) else f'{now:%H:%M:%S}'}",
        f"- {words['call']}: {ctx.call_type}",
        f"- {words['topic']}: {ctx.current_topic or words['none']}",
    ]
    people = _people(ctx)
    said = []
    for one in ctx.recent_utterances or ():
        time = f"[{local(one.absolute_timestamp, zone):%H:%M:%S}] " if timestamps else ""
        said.append(f"{time}{one.speaker_name}{edit_mark(one.corrected_by, language)}: {one.text}")
    segments = ctx.topic_segments or ()
    topics = ["\n".join(topic_lines(each, labels, bullet="- ")) for each in segments]
    pending = [f"- {item}" for item in ctx.pending_items or ()]
    l0, l1 = SIZES.get(ctx.call_type, _OTHER)
    limit = l0 + l1 if limit is None else limit
    text = _joined([facts, people, said, topics, pending], words)
    if tokenizer.count(text) <= limit:
        return text
    left = limit - _cost((*facts, *(words[name] for name in (*_HEADINGS, "left_out"))), tokenizer)
    people = _newest(people, left // 8, tokenizer)
    left -= _cost(people, tokenizer)
    room = left * l0 // (l0 + l1)
    said[-1:] = [fit(line, room - _JOINT_TOKENS, tokenizer) for line in said[-1:]]
    said = _newest(said, room, tokenizer)
    left -= _cost(said, tokenizer)
    pending = _newest(pending, left // 3, tokenizer)
    left -= _cost(pending, tokenizer)
    decided = (f"\n- {labels[1]}: {', '.join(s.key_decisions)}" if s.key_decisions else "" for s in segments)
    named = [f"### {each.name}{what}" for each, what in zip(segments, decided, strict=True)]
    topics = _newest(named, left, tokenizer)
    if len(topics) < len(segments):
        topics.insert(0, words["left_out"].format(len(segments) - len(topics)))
    return fit(_joined([facts, people, said, topics, pending], words), limit, tokenizer)


def _people(ctx: AgentContext) -> list[str]:
    """A line for each participant: the name, and the role where one is known."""
    people = []
    for each in ctx.participants:
        role = ctx.speaker_roles.get(each.user_id) or each.role
        people.append(f"- {each.name} ({role})" if role else f"- {each.name}")
    return people


def _newest(texts: Sequence[str], room: int, tokenizer: Tokenizer) -> list[str]:
    """The last texts, in order, as many as fit into `room` tokens; one that is too long hides no others."""
    shown: list[str] = []
    for text in reversed(texts):
        if (cost := _cost([text], tokenizer)) <= room:
            shown.insert(0, text)
            room -= cost
    return shown


def _cost(texts: Iterable[str], tokenizer: Tokenizer) -> int:
    return sum(tokenizer.count(text) + _JOINT_TOKENS for text in texts)


def _joined(parts: Sequence[Sequence[str]], words: Mapping[str, str]) -> str:
    """The parts, in the order of `_HEADINGS`, each under its heading; empty ones are left out."""
    told = []
    for name, texts in zip(_HEADINGS, parts, strict=True):
        between = "\n\n" if name == "topics" else "\n"
        if texts:
            told.append(between.join([words[name], *texts]))
    return "\n\n".join(told)


def topic_lines(segment: TopicSegment, labels: Sequence[str], bullet: str) -> list[str]:
    """A topic's name, its summary and those of its lists that hold something, under `labels`."""
    lists = (
        segment.key_points,
        segment.key_decisions,
        segment.pending_items,
        segment.participants,
        segment.keywords,
    )
    told = [
        f"{bullet}{label}: {', '.join(values)}" for label, values in zip(labels, lists, strict=True) if values
    ]
    return [f"### {segment.name}", *([segment.summary] if segment.summary else []), *told]
