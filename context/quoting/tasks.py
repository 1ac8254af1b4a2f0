# ruff: noqa: E501  # patterns read better unbroken
"""Who does what until when, in the words in which it was promised or asked: everybody's, or one person's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.cues import due_in, kind_of
from context.extractive.sentences import split
from context.inert import inert_name
from context.language.addressing import wake
from context.language.korean import final
from context.models import Statement
from context.prompts.answering import WORDING
from context.quoting.quotes import ExtractiveAnswer, nothing
from context.quoting.record import Record
from context.retrieval.questions import called

_ITEMS_SHOWN: Final = 20
_LOOKED_THROUGH: Final = 2000
_OF_A_PERSON: Final = re.compile(
    r"(?:은|는|이|가)\s?(?:뭐|뭘|무엇을|무슨\s?일을?|어떤\s?일을?)\s?(?:를\s?)?(?:하기로|해야|하나|하면|맡|하는|해\W*$|할\s)|할\s?일|해야\s?(?:할|하는)|맡은|맡기로|담당"
    r"|\bwhat (?:is|was|will|'s|does|do|did|should|must|has) .{1,40}?\b(?:going to do|supposed to do|doing|responsible for|have to do|need to do|do next|promised?|agreed? to do|take on|taken on|sign(?:ed)? up for|do(?: by| for)?)\b(?! about)|\bwhat's .{1,30}? (?:doing|supposed to do)\b|\b(?:tasks?|to-?dos?|action items?)\b",
    re.IGNORECASE,
)
_OFFERS: Final = re.compile(
    r"(?:^|\s)(?:제가|저는|저도|저희가)\s[^?]*(?:게요|게|겠습니다|겠어요)\W*$|\bI(?:'ll| will| can)\s(?!see|imagine|think|understand|only|hear|be |tell you|say|agree|live|remember)\w+",
    re.IGNORECASE,
)
_PROMISED: Final = re.compile(r"([가-힣])게(?:요)?\W*$")
_MINE: Final = re.compile(
    r"(?:^|\s)(?:나는|내가|나\s|난\s|제가|저는|전\s|내\s|제\s)|\b(?:do|should|must|am|did|have) i\b|\bmy\b|\bi'm\b",
    re.IGNORECASE,
)


def whose_tasks(question: str, record: Record, asker: str = "") -> tuple[str, ...] | None:
    """Whose tasks are asked for; None where no one person's are. `asker`: whoever says "my"."""
    if _OF_A_PERSON.search(question) is None:
        return None
    named = tuple(name for name in record.names if called(name, question))
    if not named and asker and _MINE.search(question):
        named = (asker,)
    return named or None


def all_tasks(record: Record, of: Sequence[str] = ()) -> ExtractiveAnswer:
    """Who does what until when; of somebody, theirs, with what they offered in other words."""
    wording = WORDING[record.language]
    tasks: dict[int, list[str]] = {}
    undone: list[str] = []
    evidence: set[int] = set()
    for item in record.statements().pending[-_ITEMS_SHOWN:]:
        utterance = record.get(item.evidence[-1]) if item.evidence else None
        if utterance is None or item.status == "done" or (of and not _owned(item, of)):
            continue
        evidence.add(utterance.id)
        quote = record.quote(item.text, utterance)
        if item.owner is None and kind_of(item.text, record.names) == "open":
            undone.append(f"- {quote}")
            continue
        tasks.setdefault(utterance.id, []).append(_told(item.owner, item.due, quote, record))
    for id_, line in _offered(record, of) if of else ():
        if id_ not in evidence:
            tasks.setdefault(id_, []).append(line)
    evidence |= tasks.keys()
    if not evidence:
        return nothing(record, "ACTION_EXTRACTION")
    told = [line for id_ in (sorted(tasks) if of else tasks) for line in tasks[id_]]
    lines = [wording["actions"], *told] if told else []
    lines += [*([""] if told else []), wording["open"], *undone] if undone else []
    return ExtractiveAnswer(
        text="\n".join(lines), evidence=tuple(sorted(evidence)), declined=False, call_type="ACTION_EXTRACTION"
    )


def _told(owner: str | None, due: str | None, quote: str, record: Record) -> str:
    wording = WORDING[record.language]
    until = f", {wording['due']} {due}" if due else ""
    return f"- {inert_name(owner or '') or wording['nobody']}{until} · {quote}"


def _owned(item: Statement, of: Sequence[str]) -> bool:
    return any(item.owner == name or called(name, item.owner or "") for name in of)


def _offers(text: str) -> bool:
    """I'll ring them; 물어볼게요, whose ending says who will."""
    promised = _PROMISED.search(text)
    return _OFFERS.search(text) is not None or (promised is not None and final(promised.group(1)) == "ㄹ")


def _offered(record: Record, of: Sequence[str]) -> list[tuple[int, str]]:
    """What somebody said they will do, where the ledger has it not."""
    told = []
    for said in record.utterances[-_LOOKED_THROUGH:]:
        if said.speaker_name not in of or wake(said.text, record.wake_words) is not None:
            continue
        for part in split(said):
            kind = kind_of(part.text, record.names)
            if kind == "action" or (kind != "question" and _offers(part.text)):
                quote = record.quote(part.text, said)
                told.append((said.id, _told(said.speaker_name, due_in(part.text), quote, record)))
                break
    return told
