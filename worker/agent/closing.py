"""The closing summary of a meeting, as Markdown: from its topics' summaries, each point with its witness.

Deterministic and quick, so it is there before the room goes. A topic whose last words no summary has
seen yet (its job is late or failed) is completed by the extractive engine on the spot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Final

from context.inert import inert_quote
from context.language.korean import language_of
from context.meeting import Meeting
from context.models import Statement, Summary, TopicSegment, Utterance
from context.plain.door import summarise
from context.topics.topic_titles import title_of
from worker.agent.citations import attribution

_MOST_POINTS: Final = 5
_MOST_WITNESSES: Final = 2

_WORDS: Final = {
    "title": ("회의 요약", "Meeting summary"),
    "topics": ("주제", "Topics"),
    "decisions": ("결정 사항", "Decisions"),
    "actions": ("할 일", "Actions"),
    "open": ("미결 사항", "Open items"),
    "talk": ("발언 시간", "Talk time"),
    "owner": ("담당", "owner"),
    "due": ("기한", "due"),
    "turns": ("발언 {}회", "{} turns"),
    "one_turn": ("발언 1회", "1 turn"),
    "nothing": ("기록된 발언이 없습니다.", "Nothing was said on the record."),
    "nothing_transcribed": (
        "말소리 {}초를 들었지만 글로 옮기지 못했습니다. 운영자에게 알려 주세요.",
        "{} s of speech were heard and none of it could be transcribed. Please tell whoever runs this.",
    ),
    "nothing_heard": (
        "마이크는 켜져 있었지만 말소리를 듣지 못했습니다. 마이크를 확인해 주세요.",
        "Microphones were on, but nobody was heard. Please check them.",
    ),
}


def closing_summary(meeting: Meeting, language: str = "auto", *, zone: tzinfo | None = None) -> str:
    """Topics with key points, decisions, actions, open items, talk time; ends without a newline.

    `language`: `ko`, `en`, or `auto` for what was mostly spoken. `zone`: for the times of day.
    """
    if not meeting.utterances:
        return _silent(meeting, "ko" if language == "auto" else language)
    language = _spoken(meeting, language)
    page = _Page(meeting.utterances, language, zone)
    notes = [(segment, _complete(meeting, segment, language)) for segment in meeting.segments]
    pending = [
        item for _, note in notes for item in note.pending if item.status not in ("done", "superseded")
    ]
    decisions = [item for _, note in notes for item in note.decisions if item.status != "superseded"]
    sections = [
        f"# {_heading(meeting, language)}",
        page.topics(notes),
        page.listed("decisions", decisions),
        page.listed("actions", [item for item in pending if item.owner or item.due]),
        page.listed("open", [item for item in pending if not (item.owner or item.due)]),
        page.talk(meeting),
    ]
    return "\n\n".join(section for section in sections if section)


def _silent(meeting: Meeting, language: str) -> str:
    """Of a meeting without a word; where there should have been some, it says so."""
    nothing = _word("nothing", language)
    empty = meeting.speech.emptiness(meeting.utterances)
    if empty is None:
        return nothing
    return f"{nothing} {_word(empty, language).format(round(meeting.speech.heard_ms / 1000))}"


class _Page:
    """Renders sections; an empty one is an empty text."""

    def __init__(self, utterances: Sequence[Utterance], language: str, zone: tzinfo | None) -> None:
        self._utterances = utterances
        self._language = language
        self._zone = zone

    def topics(self, notes: Iterable[tuple[TopicSegment, Summary]]) -> str:
        parts = [f"## {_word('topics', self._language)}"]
        for number, (segment, note) in enumerate(notes, 1):
            begin = self._begin(segment.start_utterance_id)
            points = note.key_points or note.sentences
            title = title_of(segment, self._utterances)
            lines = [f"### {number}. {_line(title)}{begin}"]
            lines.extend(self._bullet(point) for point in points[:_MOST_POINTS])
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    def listed(self, heading: str, statements: Sequence[Statement]) -> str:
        if not statements:
            return ""
        unique = {(item.text, item.evidence): item for item in statements}
        bullets = "\n".join(self._bullet(item) for item in unique.values())
        return f"## {_word(heading, self._language)}\n{bullets}"

    def talk(self, meeting: Meeting) -> str:
        stats = sorted(meeting.speakers.speaker_stats.values(), key=lambda one: (-one.talk_ms, one.user_id))
        if not stats:
            return ""
        lines = [f"## {_word('talk', self._language)}"]
        for one in stats:
            many = "one_turn" if one.utterance_count == 1 else "turns"
            turns = _word(many, self._language).format(one.utterance_count)
            lines.append(f"- {_line(one.name)}: {_duration(one.talk_ms)} ({turns})")
        return "\n".join(lines)

    def _bullet(self, statement: Statement) -> str:
        details = [
            f"{_word(label, self._language)}: {_line(value)}"
            for label, value in (("owner", statement.owner), ("due", statement.due))
            if value
        ]
        named = f" ({', '.join(details)})" if details else ""
        witnesses = ", ".join(
            attribution(self._utterances[id_ - 1], self._zone)
            for id_ in statement.evidence[:_MOST_WITNESSES]
            if 0 < id_ <= len(self._utterances)
        )
        return f"- {_line(statement.text)}{named}{f' — {witnesses}' if witnesses else ''}"

    def _begin(self, id_: int) -> str:
        if not 0 < id_ <= len(self._utterances):
            return ""
        moment = self._utterances[id_ - 1].absolute_timestamp
        return f" ({moment.astimezone(self._zone) if self._zone else moment:%H:%M})"


def _complete(meeting: Meeting, segment: TopicSegment, language: str) -> Summary:
    """The topic's summary, with what it has not seen yet folded in."""
    first = max(segment.start_utterance_id, segment.covered_until + 1)
    unseen = meeting.utterances[first - 1 : segment.end_utterance_id]
    if not unseen:
        return segment.notes
    return summarise(
        segment.notes, unseen, language=language, max_tokens=meeting.config.l1_summary_max_tokens
    )


def _spoken(meeting: Meeting, language: str) -> str:
    """The language of most utterances, where none is given: one Korean guest doesn't turn the page."""
    if language in ("ko", "en"):
        return language
    korean = sum(language_of(said.text) == "ko" for said in meeting.utterances)
    return "ko" if korean * 2 >= len(meeting.utterances) else "en"


def _heading(meeting: Meeting, language: str) -> str:
    title = meeting.opened.title if meeting.opened else None
    return f"{_word('title', language)}: {_line(title)}" if title else _word("title", language)


def _duration(ms: int) -> str:
    seconds = round(ms / 1000)
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _line(text: str) -> str:
    """Somebody's words on one line of Markdown."""
    return inert_quote(" ".join(text.split()))


def _word(key: str, language: str) -> str:
    korean, english = _WORDS[key]
    return korean if language == "ko" else english
