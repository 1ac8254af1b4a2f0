"""A context written out for a prompt (seed 000 §4.4), in Korean or English."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.models import AgentContext, Participant, TopicSegment

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
    },
}
"""Headings and labels, by language."""


def format_context_as_system_prompt(ctx: AgentContext, *, language: str = "ko", zone: tzinfo = UTC) -> str:
    """The context as text, in `ko` or `en`; empty parts are left out. Times in `zone`."""
    words = WORDS["en" if language == "en" else "ko"]
    parts = [
        [
            words["meeting"],
            f"- {words['id']}: {ctx.meeting_id}",
            f"- {words['time']}: {ctx.current_time.astimezone(zone).isoformat()}",
            f"- {words['call']}: {ctx.call_type}",
            f"- {words['topic']}: {ctx.current_topic or words['none']}",
        ]
    ]
    if ctx.participants:
        parts.append([words["participants"], *(_participant_line(p, ctx) for p in ctx.participants)])
    if ctx.recent_utterances:
        lines = (
            f"[{u.absolute_timestamp.astimezone(zone):%H:%M:%S}] {u.speaker_name}: {u.text}"
            for u in ctx.recent_utterances
        )
        parts.append([words["recent"], *lines])
    if ctx.topic_segments:
        parts.append([words["topics"]])
        parts += [topic_lines(s, words["labels"].split("|"), bullet="- ") for s in ctx.topic_segments]
    if ctx.pending_items:
        parts.append([words["pending"], *(f"- {item}" for item in ctx.pending_items)])
    return "\n\n".join("\n".join(part) for part in parts)


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
