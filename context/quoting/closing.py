# ruff: noqa: E501  # patterns read better unbroken
"""What a question in the meeting came to: the decision that closes it, or the yes or no it got.

"Where are we doing it?" … "Let's take the museum, then." names no venue, and answers "which venue did we pick?".
"They want nine thousand more." — "Absolutely not." answers "are we paying them more?".
"""

from __future__ import annotations

import re
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.language.korean import has_hangul
from context.models import Utterance
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.questions import Asked, coverage, take_apart

_WITHIN: Final = 6
_CLOSED_SHARE: Final = 0.8
_VERDICT_WITHIN: Final = 2
_YES_OR_NO_EN: Final = re.compile(
    r"^\W*(?:(?:so|and|but|wait|ok|okay)[\s,]+)*(?:are|is|do|does|did|will|can|could|should|have|has|was|were)\b",
    re.IGNORECASE,
)
_OPEN_KO: Final = re.compile(r"언제|누가|누구|얼마|어디|무엇|뭐|뭘|왜|어떻게|어떤|어느|무슨|몇")
VERDICT: Final = re.compile(
    r"^\W*(?:(?:well|um|uh|oh|hmm)[\s,.]+)*(?:no\b(?! (?:problem|worries|idea))|absolutely|agreed|yes\b|deal\b|not (?:a chance|now|yet)\b|definitely|approved|we (?:can't|cannot|can not)\b|we'll (?:look at|decide|come back to) (?:it|that)|let's (?:leave|park|postpone)|next (?:time|meeting)\b)"
    r"|^\W*(?:음|아|저기)?[\s,.]*(?:아니요|아뇨|안\s?(?:돼|됩|되겠)|그건\s?안|그건\s?(?:어렵|곤란|무리)|불가|좋습니다|그럽시다|그렇게\s?(?:하죠|합시다|해요)|동의|승인|그건[^.]{0,20}(?:다음|나중|미루|금요일|월요일)|(?:다음|나중)에)",
    re.IGNORECASE,
)


def closes(decided_at: Utterance, asked: Asked, record: Record) -> float:
    """How much of the subject the question covers that a decision closes, where it asks for the same kind of thing."""
    if asked.kind is None:
        return 0.0
    for step in range(1, _WITHIN + 1):
        before = record.get(decided_at.id - step)
        if before is None or before.topic_id != decided_at.topic_id:
            return 0.0
        kinds = {kind_of(part.text, record.names) for part in split(before)}
        if kinds & {"decision", "open"}:
            return 0.0  # what was asked before that is settled already, or put off
        if "question" in kinds and (asks := take_apart(before.text)).kind == asked.kind:
            bare = all(worth < 1.0 for worth in asks.importance)  # when would that be?
            about = record.leading_to(before, before.text) if bare else before.text
            return _CLOSED_SHARE * coverage(asked, about, asked.importance)
    return 0.0


def verdict_on(best: Found, question: str, asked: Asked, record: Record) -> list[Found]:
    """To a question for yes or no: the last clear yes or no within two turns of what it found."""
    if asked.kind is not None or asked.saying or best.decision or not _for_yes_or_no(question):
        return []
    given: list[Found] = []
    for turn in record.after(best.utterance, _VERDICT_WITHIN):
        if turn.speaker_id != best.utterance.speaker_id and VERDICT.search(turn.text) is not None:
            given = [Found(turn.text, turn, best.score, replies=True)]
    return given


def _for_yes_or_no(question: str) -> bool:
    if has_hangul(question):
        return _OPEN_KO.search(question) is None
    return _YES_OR_NO_EN.search(question) is not None
