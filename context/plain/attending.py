"""Who was there: from the roster, which knows when each came and went, though nobody may have said so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from context.attendance import Attendee
from context.models import AgentCallType, Utterance
from context.plain.answer import QuotedAnswer
from context.plain.record import Record
from context.text import inert_name

_WORDS: Final = {
    "ko": {
        "lead": "회의 참석 기록에 있는 사람입니다 ({count}명):",
        "since": "{at} 입장",
        "until": "{at} 퇴장",
        "here": "지금 있음",
        "speakers": "발언한 사람입니다 ({count}명, 참석 기록은 없습니다):",
    },
    "en": {
        "lead": "On the record of who was here ({count}):",
        "since": "joined {at}",
        "until": "left {at}",
        "here": "still here",
        "speakers": "Those who spoke ({count}; I have no record of who was here):",
    },
}


def attended(people: Sequence[Attendee], record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Everybody on the roster, with when they came and went; of whom there is no roster, the speakers."""
    words = _WORDS[record.language]
    began = record.utterances[0] if record.utterances else None
    if people:
        lines = [words["lead"].format(count=len(people))]
        lines += [f"- **{inert_name(each.name)}**{_span(each, began, record)}" for each in people]
    else:
        names = list(dict.fromkeys(said.speaker_name for said in record.utterances))
        lines = [words["speakers"].format(count=len(names)), *(f"- **{inert_name(name)}**" for name in names)]
    return QuotedAnswer(text="\n".join(lines), evidence=(), call_type=wanted)


def _span(each: Attendee, first: Utterance | None, record: Record) -> str:
    """When somebody came and went, by the clock; nothing where no word tells what the clock said."""
    if first is None:
        return ""
    words = _WORDS[record.language]
    start = first.absolute_timestamp.astimezone(record.zone) - timedelta(milliseconds=first.start_ms)

    def at(ms: int) -> str:
        return f"{start + timedelta(milliseconds=ms):%H:%M:%S}"

    came = words["since"].format(at=at(each.joined_at_ms))
    gone = not each.present and each.left_at_ms is not None
    went = words["until"].format(at=at(each.left_at_ms or 0)) if gone else words["here"]
    return f" ({came}, {went})"
