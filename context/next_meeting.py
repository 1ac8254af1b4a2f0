"""When the people of a meeting meet next, as they said it: the last time that somebody named it with a day.

Where it was asked for or a day did not suit ("다음 회의는 언제 할까요?", "Tuesday? – Wednesday, then."),
the last day that was offered in the sentences behind counts. A meeting that was called off has no day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.deadlines import deadline_in
from context.language.meeting_again import (
    calls_it_off,
    may_name_it,
    names_it,
    points_back,
    without_its_name,
)
from context.language.said import Said, said_in
from context.models import Statement, Utterance
from context.reading.acts import OWN, log_odds
from context.voices import in_lines

_REGARDED: Final = 1000
"""So many of the newest utterances are read."""
_AHEAD: Final = 6
"""A day that is offered stands in one of so many sentences behind the name, or before "See you then"."""
_RIGHT_BEHIND: Final = 1
"""Where it is neither asked for nor has a day, only the next sentence tells one."""
_FEW_WORDS: Final = 5
"""Whoever offers a day says at most so many words more; in more there is another matter."""
_PARTICLES: Final = closed_lists("next_meeting")["particles_ko"]
_OFFERS: Final = [OWN.index(act) for act in ("decision", "proposal", "acceptance")]


def next_meeting(utterances: Sequence[Utterance]) -> Statement | None:
    """When the people meet next, its moment as `due`; None where nobody said it. `utterances`: in order."""
    newest = utterances[-_REGARDED:]
    for place in reversed(range(len(newest))):
        if not may_name_it(newest[place].text):
            continue
        first = max(0, place - _AHEAD)
        said = said_in(newest[first : place + 1 + _AHEAD])
        own = [number for number, each in enumerate(said) if each.utterance.id == newest[place].id]
        for number in reversed(own):
            if not (names_it(said[number].text) or points_back(said[number].text)):
                continue
            if calls_it_off(said[number].text):
                return None
            if (told := _told(said, number)) is not None:
                return told
    return None


def _told(said: Sequence[Said], place: int) -> Statement | None:
    """The statement of a sentence that names the next meeting, with the last day that was offered, if any."""
    parts, due = [said[place]], _moment(said[place].text)
    if due is None and points_back(said[place].text):
        before = next((each for each in reversed(said[max(0, place - _AHEAD) : place]) if _offer(each)), None)
        parts, due = ([before, said[place]], _offer(before)) if before is not None else (parts, None)
    else:
        asks = "?" in said[place].text
        reach = _AHEAD if asks or due is not None else _RIGHT_BEHIND
        for each in said[place + 1 : place + 1 + reach]:
            if (offer := _offer(each, answers=asks)) is not None and offer != due:
                parts, due = [said[place], each], offer
    if due is None:
        return None
    evidence = tuple(dict.fromkeys(each.utterance.id for each in parts))
    return Statement(text=in_lines(parts), evidence=evidence, due=due)


def _offer(sentence: Said, *, answers: bool = False) -> str | None:
    """The day that a sentence offers, and no more than that; None where it offers none.

    `answers`: it was asked for a day, and need not say more than one. Of several clauses with a day the
    first tells it: "Make it Thursday, I'm away on Monday".
    """
    text = sentence.text
    if without_its_name(text) != text and not names_it(text):
        return None  # somebody else's meeting
    clause = next((part for part in map(_put, text.split(",")) if _moment(part)), "")
    said = moments_in(clause)
    more = len(clause.split()) - sum(len(moment.words.split()) for moment in said)
    if not said or more > _FEW_WORDS or is_negated(clause) or any(moment.limits for moment in said):
        return None
    odds = log_odds(text)
    if answers or "?" in text or odds[_OFFERS].max() > np.delete(odds, _OFFERS).max():
        return _moment(clause)
    return None


def _moment(text: str) -> str | None:
    """The moment that a sentence names beside the next meeting itself."""
    bare = _put(without_its_name(text))
    return deadline_in(bare) if moments_in(bare) else None


def _put(text: str) -> str:
    """A text without the particles behind a day that is put to others, rather than due: 목요일은 어떠세요?"""
    for particle in _PARTICLES:
        text = text.replace(f"일{particle} ", "일 ")
    return text
