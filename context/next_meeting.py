"""When the people of a meeting meet next, as they said it: the last time that somebody named it with a day.

Where it was asked for ("다음 회의는 언제 할까요?"), whoever answers with a day says it with the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists, holds, spaced
from context.language.dates import moments_in
from context.language.deadlines import deadline_in
from context.language.said import Said, said_in
from context.models import Statement, Utterance
from context.voices import in_lines

_LISTS: Final = closed_lists("next_meeting")
_REGARDED: Final = 1000
"""So many of the newest utterances are read."""
_AHEAD: Final = 3
"""An answer is one of so many sentences behind the question."""


def next_meeting(utterances: Sequence[Utterance]) -> Statement | None:
    """When the people meet next, its moment as `due`; None where nobody said it. `utterances`: in order."""
    newest = utterances[-_REGARDED:]
    for place in reversed(range(len(newest))):
        if not _may_name(newest[place].text):
            continue
        said = said_in(newest[place : place + 1 + _AHEAD])
        own = [number for number, each in enumerate(said) if each.utterance.id == newest[place].id]
        for number in reversed(own):
            if _names_it(said[number].text) and (told := _told(said, number)) is not None:
                return told
    return None


def _told(said: Sequence[Said], place: int) -> Statement | None:
    """The statement of a sentence that names the next meeting, with the answer to it; None: no day."""
    sentence = said[place]
    due = _moment(sentence.text)
    parts = [sentence]
    if "?" in sentence.text:
        for each in said[place + 1 : place + 1 + _AHEAD]:
            answered = _moment(each.text)
            if each.utterance.speaker_id != sentence.utterance.speaker_id and answered:
                parts, due = [sentence, each], answered
                break
    if due is None:
        return None
    evidence = tuple(dict.fromkeys(each.utterance.id for each in parts))
    return Statement(text=in_lines(parts), evidence=evidence, due=due)


def _moment(text: str) -> str | None:
    """The moment that a sentence names beside the next meeting itself."""
    for name in (*_LISTS["named_ko"], "next meeting"):
        text = text.replace(name, " ").replace(name.capitalize(), " ")
    return deadline_in(text) if moments_in(text) else None


def _may_name(text: str) -> bool:
    lowered = text.lower()
    return any(name in lowered for key in ("named_ko", "named_en", "meets_ko") for name in _LISTS[key])


def _names_it(text: str) -> bool:
    """Whether a sentence says when people meet next; not that something else is due then."""
    for name in _LISTS["named_ko"]:
        if name in text and not text.partition(name)[2].lstrip().startswith(_LISTS["then_ko"]):
            return True
    if any(name in text for name in _LISTS["meets_ko"]):
        return True
    said = spaced(text)
    for name in _LISTS["named_en"]:
        if holds(said, (name,)):
            before = [
                word for word in said.partition(f" {name} ")[0].split() if word not in _LISTS["articles_en"]
            ]
            if not before or before[-1] not in _LISTS["then_en"]:
                return True
    return False
