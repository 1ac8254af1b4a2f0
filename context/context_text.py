"""A context written out for a prompt (seed 000 §4.4), in Korean or English."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.budget import ExactTokenizer, fit
from context.models import AgentContext, Participant, TopicSegment
from context.ports import Tokenizer

LABELS: Final = ("Key Points", "Decisions", "Pending", "Participants", "Keywords")
"""Of a topic's five lists, as the seed spells them."""
WORDS: Final = {
    "ko": {
        "meeting": "## 현재 회의 정보",
        "id": "회의 ID",
        "time": "현재 시각",
        "call": "호출 유형",
        "topic": "현재 토픽",
        "none": "미정",
        "participants": "## 참여자",
        "recent": "## 최근 발화 (L0)",
        "topics": "## 토픽별 요약 (L1)",
        "pending": "## 미해결 사항",
        "labels": "핵심 내용|결정|미해결|참여자|키워드",
        "planning_recent": "## L0 최근 발화",
        "planning_topics": "## L1 토픽 목록",
        "required": "## L1 토픽 상세",
        "nothing": "- 없음",
        "left_out": "(토픽 {}개 생략)",
    },
    "en": {
        "meeting": "## The meeting",
        "id": "Meeting ID",
        "time": "Current time",
        "call": "Call type",
        "topic": "Current topic",
        "none": "none yet",
        "participants": "## Participants",
        "recent": "## Recent utterances (L0)",
        "topics": "## Topics so far (L1)",
        "pending": "## Open items",
        "labels": "|".join(LABELS),
        "planning_recent": "## L0 recent utterances",
        "planning_topics": "## L1 topics",
        "required": "## L1 topics in full",
        "nothing": "- none",
        "left_out": "({} topics left out)",
    },
}
"""Headings and labels, by language."""


SIZES: Final = {
    "IMMEDIATE_RESPONSE": (1500, 0),
    "SUMMARY": (750, 1000),
    "SEARCH": (750, 1000),
    "ACTION_EXTRACTION": (3000, 1000),
}
"""Tokens of utterances and of topics by call type, the rest of the text included (seed 000 §10.3.4)."""
_OTHER: Final = (1500, 1000)
_EXACT: Final = ExactTokenizer()
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
