# ruff: noqa: E501  # patterns read better unbroken
"""What is left open: what somebody put off, does not know yet, or waits for, and nobody settled since."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.language.addressing import wake
from context.models import AgentCallType
from context.quoting.quotes import ExtractiveAnswer, Found, nothing, quoting
from context.quoting.record import Record
from context.retrieval.questions import Asked, coverage, take_apart

_ASKS: Final = re.compile(
    r"(?:정해지지|결정되지|확정되지|결정하지|정하지|확정하지|해결되지)\s?(?:않은|못한)|(?:안|못)\s?(?:정해진|정한|결정된|결정한|확정된|끝난|해결된)|미정|미결|보류(?:된|한)?\s?(?:거|것|건|게|안건)|(?:남은|남아\s?있는)\s?(?:문제|이슈|안건|논의|결정|질문|과제|거|것|게)"
    r"|\b(?:still|left|remains?|remaining)\s(?:\w+\s)?(?:open|undecided|unresolved|unclear|unsettled|unanswered|to (?:be )?(?:decided?|settled?|resolved?|discuss(?:ed)?))\b|\bopen (?:questions?|issues?|points?|items?)\b|\b(?:undecided|unresolved|unsettled)\b|\bwhat (?:haven't|have we not|did we not|didn't) (?:we )?(?:decided?|settled?|agreed?|resolved?)|\bwhat(?:'s| is) (?:still )?(?:left )?open\b|\bnot (?:been )?(?:decided|settled) yet\b",
    re.IGNORECASE,
)
_WORDS_OF_ASKING: Final = re.compile(
    r"아직|남은|남아|미정|미결|보류|문제|이슈|안건|논의|질문|과제|않은|못한|정해|정한|결정|확정|해결|끝난|있는|사항|\b(?:open|undecided|unresolved|unsettled|unclear|unanswered|left|remains?|remaining|still|questions?|issues?|points?|items?|resolved?|settled?|discuss(?:ed)?|anything|everything)\b",
    re.IGNORECASE,
)
PUTS_OFF: Final = re.compile(
    r"(?:다음|이번)\s?(?:회의|주|번|시간|모임|달)\S{0,3}\s?[^.?!]{0,20}?(?:정하|정해|결정|얘기|논의|이야기|다시|보죠|봅시다)|나중에\s?[^.?!]{0,8}(?:정하|정해|결정|다시|얘기|논의)|보류|미정|(?:아직|잘)\s?(?:몰라|모르|모릅|안\s?정|못\s?정|미정|결정|답이|연락이|안\s?[왔나])|(?:얘기|확인|알아|물어|검토|논의|생각)\S{0,3}\s?봐야|더\s?(?:알아|생각해|고민해|논의|검토)|(?:듣|보|[아어]보|확인하|물어보|받)고\s?(?:나서\s?)?(?:정하|정해|정합|결정|얘기하)|[가-힣](?:고|은|한)\s?(?:나서|다음에|뒤에|후에)\s?(?:다시|정하|결정|얘기)|다시\s?(?:얘기|논의|이야기|정하)"
    r"|\b(?:decide|choose|settle|discuss|agree)(?: \w+){0,4}? (?:next|later|tomorrow|another|on \w+day|when|once|after)\b|\b(?:don't|do not|can't|won't) (?:(?:want|need|have) to )?(?:choose|decide|know|settle)(?: (?:that|this|it))? (?:today|yet|now)\b|\bnot (?:decided|sure|settled|clear|confirmed|final)(?: \w+)? yet\b|\bstill (?:open|undecided|waiting|unclear|don't know|haven't|to be)\b|\b(?:nothing|no (?:answer|reply|word)) (?:so far|yet|from)\b|\b(?:haven't|hasn't) (?:\w+ )?(?:decided|heard|chosen|replied|answered|confirmed|settled)\b|\bleave (?:it|that|this) (?:for|until|open|till)\b|\bcome back to (?:it|that|this)\b|\bto be (?:decided|confirmed|agreed)\b|\bpark (?:it|that|this)\b|\bleave (?:that|this) (?:one|open)\b|\bsleep on it\b|^\W*next (?:time|meeting)\W*$|\b(?:need|have|want) to see what\b|\bmade up (?:my|our) minds?\b|\bwait for\b[^.?!]*\bbefore\b|\b(?:talk|look) (?:about|at) (?:it|that|this) (?:next|again|later)\b",
    re.IGNORECASE,
)
_ITEMS_SHOWN: Final = 8
_LOOKED_THROUGH: Final = 2000
_SUBJECT_LEAST: Final = 0.75


def asks_what_is_open(question: str) -> bool:
    """Whether `question` asks what is left open (아직 안 정해진 게 뭐야? what is still undecided?)."""
    return _ASKS.search(question) is not None


def all_open(question: str, record: Record, wanted: AgentCallType) -> ExtractiveAnswer | None:
    """Everything left open, of the subject where one is named; None where it is one, and nothing of it is open."""
    bare = _WORDS_OF_ASKING.sub(" ", _ASKS.sub(" ", question))
    asked = take_apart(bare)
    named = [word for word in asked.topic if len(word) > 1]
    asked = Asked(topic=tuple(named), deciding=False)
    found = [each for each in _open(record) if not named or _is_about(asked, each, record)]
    if not found:
        return None if named else nothing(record, wanted)
    return quoting("open", found[-_ITEMS_SHOWN:], record, wanted)


def _open(record: Record) -> Iterator[Found]:
    """The ledger's open items, and what was put off in other words; in order of time."""
    ledger = record.statements()
    noted = {
        item.evidence[-1]
        for item in ledger.pending
        if item.evidence and item.status != "done" and kind_of(item.text, record.names) == "open"
    }
    told: dict[int, Found] = {}
    for said in record.utterances[-_LOOKED_THROUGH:]:
        if wake(said.text, record.wake_words) is not None:
            continue
        for part in split(said):
            kind = kind_of(part.text, record.names)
            puts_off = "?" not in part.text and PUTS_OFF.search(part.text) is not None
            if puts_off or (said.id in noted and kind == "open"):
                told.setdefault(said.id, Found(said.text if len(said.text) < 160 else part.text, said, 1.0))
    yield from told.values()


def _is_about(asked: Asked, found: Found, record: Record) -> bool:
    lead = record.leading_to(found.utterance, found.utterance.text)
    return coverage(asked, f"{record.topic_of(found.utterance)} {lead}") >= _SUBJECT_LEAST
