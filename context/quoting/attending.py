# ruff: noqa: E501  # patterns read better unbroken
"""Who was there: from the roster, which knows when each came and went, though nobody may have said so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from context.attendance import Attendee
from context.inert import inert_name
from context.language.addressing import wake
from context.models import AgentCallType, Utterance
from context.quoting.quotes import ExtractiveAnswer
from context.quoting.record import Record

_ASKS_KO: Final = re.compile(
    r"(?:누가|누구(?:누구|랑|하고)?|어떤\s?(?:사람|분)|몇\s?(?:명|분)(?:이나|이)?)\S{0,3}\s?(?:다\s|지금\s|여기\s?|같이\s)*(?:참석|참여|참가|들어\s?(?:왔|와)|와\s?있|왔(?:어|나|는|지|습)|있(?:어|었|나|는|습)|들어와)"
    r"|(?:참석자|참가자|참여자|참석\s?인원|참석한\s?(?:사람|분))(?:들)?(?:은|는|이|가)?\s?(?:모두\s|다\s|총\s)*(?:누구|누가|몇|알려|뭐|어떻게|\W*$)"
)
_ASKS_EN: Final = re.compile(
    r"\bwho(?:\s(?:all|else))?(?:'s|\s(?:is|was|are|were|has|have))?\s(?:all\s|been\s|currently\s)*(?:attend(?:ed|ing|s)?|here|there|present|in attendance|(?:in|on|at)\s(?:this|the|our|today's)\s(?:meeting|call|room|session)|join(?:ed)?(?!\w)|left)\b"
    r"|\b(?:who (?:are|were)|list|name|show me|tell me)\s(?:all\s)?(?:the\s|our\s)?(?:participants|attendees)\b|\bhow many (?:people|of us|participants|attendees)\s(?:(?:are|were)\s(?:here|there|present|(?:in|on|at)\s(?:this|the)\s(?:meeting|call))|attended|joined)",
    re.IGNORECASE,
)
_THE_MEETING: Final = re.compile(
    r"(?:(?:이|이번)\s)?회의(?:에|실에)?|미팅(?:에)?|지금|여기(?:에)?|오늘|우리|같이|\b(?:(?:in|on|at|to)?\s?(?:this|the|our|today's) (?:meeting|call|room|session)|now|today|here|so far|currently)\b",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"^[가-힣]{0,4}(?=[\s?.!]|$)")
_MORE: Final = re.compile(
    r"[가-힣]{2,}|\b(?!(?:so|and|again|please|all|yet|then|else|late|early|already|can|you|me)\b)[a-z]{3,}",
    re.IGNORECASE,
)
_SPOKEN_OF: Final = re.compile(
    r"참석|참가자|참여자|\battend|\bparticipants?\b|\bjoin(?:ed|ing|s)?\b", re.IGNORECASE
)
_WEAK: Final = re.compile(r"왔|있|들어|\bthere\b|\bleft\b", re.IGNORECASE)
"""누가 왔어?: of visitors as well; only with a word for the meeting."""
_BARE: Final = re.compile(
    r"^\W*(?:so |and )?who(?: all| else)? (?:was|were) (?:all )?there\W*$", re.IGNORECASE
)
"""No more than that: of this meeting, unless they spoke of another."""
_LOOKED_THROUGH: Final = 2000
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


def asks_who_attended(question: str, record: Record) -> bool:
    """Whether `question` asks who is or was in this meeting.

    One that names anything else (who attended the fair?) does not; nor, where people spoke of attending
    something, one that does not say that it means this meeting.
    """
    found = _ASKS_KO.search(question) or _ASKS_EN.search(question)
    if found is None:
        return False
    behind = _ENDING.sub("", question[found.end() :])
    rest = _THE_MEETING.sub(" ", f"{question[: found.start()]} {behind}")
    if _MORE.search(rest):
        return False
    if _BARE.search(question):
        return not _spoken_of(record)
    meant = _THE_MEETING.search(question) is not None
    return meant or not (_WEAK.search(found.group()) or _spoken_of(record))


def attended(people: Sequence[Attendee], record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """Everybody on the roster, with when they came and went; of whom there is no roster, the speakers."""
    words = _WORDS[record.language]
    began = record.utterances[0] if record.utterances else None
    if people:
        lines = [words["lead"].format(count=len(people))]
        lines += [f"- **{inert_name(each.name)}**{_span(each, began, record)}" for each in people]
    else:
        names = list(dict.fromkeys(said.speaker_name for said in record.utterances))
        lines = [words["speakers"].format(count=len(names)), *(f"- **{inert_name(name)}**" for name in names)]
    return ExtractiveAnswer(text="\n".join(lines), evidence=(), declined=False, call_type=wanted)


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


def _spoken_of(record: Record) -> bool:
    """Whether anybody spoke of attending something, questions to the agent apart."""
    return any(
        _SPOKEN_OF.search(said.text) and wake(said.text, record.wake_words) is None
        for said in record.utterances[-_LOOKED_THROUGH:]
    )
