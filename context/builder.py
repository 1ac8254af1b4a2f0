"""Seed 000's contexts (§10.2.4): what one call of the agent is shown, as values, and what a planner reads.

| call type | utterances | topics |
|---|---|---|
| IMMEDIATE_RESPONSE | last 10 | none |
| SUMMARY, SEARCH | last 5 | all |
| ACTION_EXTRACTION | the open topic's | all |

Any other call type gets the last 10 utterances and all topics. `AgentContext` holds all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final

from context.budgets.tokens import ExactTokenizer, fit, shared
from context.language.closed_lists import wording
from context.language.edits import edit_mark
from context.language.korean import language_of
from context.models import AgentContext, Participant, TopicSegment
from context.ports import Tokenizer
from context.primitives.undated import EPOCH, local

if TYPE_CHECKING:
    from context.manager import ContextManager

IMMEDIATE_TURNS: Final = 10
BACKGROUND_TURNS: Final = 5
PLANNING_TOKENS: Final = 3000
"""Tokens of a planning input; the seed gives it no size."""
JOINT_TOKENS: Final = 2
"""Tokens that may join a text to the next one."""
_EXACT_TOKENIZER: Final = ExactTokenizer()


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
        tokenizer: Tokenizer = _EXACT_TOKENIZER,
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
        left = limit - cost_of(("\n".join(head), left_out), tokenizer)
        shown = newest(topics, left, tokenizer)
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


def newest(texts: Sequence[str], room: int, tokenizer: Tokenizer) -> list[str]:
    """The last texts, in order, as many as fit into `room` tokens; one that is too long hides no others."""
    shown: list[str] = []
    for text in reversed(texts):
        if (cost := cost_of([text], tokenizer)) <= room:
            shown.insert(0, text)
            room -= cost
    return shown


def cost_of(texts: Iterable[str], tokenizer: Tokenizer) -> int:
    """The tokens of the texts, and of what joins them."""
    return sum(tokenizer.count(text) + JOINT_TOKENS for text in texts)


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
