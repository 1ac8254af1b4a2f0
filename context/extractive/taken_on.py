"""Tasks of two turns beside requests: "Do it then." – "On it.", 보고 올 사람? – 다녀올게요."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import agreed_by, asks_if_one_can, asks_who, orders_it, volunteers
from context.extractive.sentences import Said
from context.extractive.wording import task, when_behind
from context.models import Statement

_BACK: Final = 4
"""Sentences in which it was said what could be done, and words of such a sentence at least."""


def taken_on(said: Sequence[Said], place: int) -> Statement | None:
    """The task that the sentence at `place`, no promise by itself, is with another; None where it is none."""
    return _ordered(said, place) or _asked_of_one(said, place) or volunteered(said, place)


def _ordered(said: Sequence[Said], place: int) -> Statement | None:
    """Do it then, said of what somebody could do, who takes it on."""
    by = agreed_by(said, place) if orders_it(said[place].text) else None
    if by is None:
        return None
    for before in range(place - 1, max(-1, place - 1 - _BACK), -1):
        own = said[before].utterance.speaker_id == by.utterance.speaker_id
        if own and "?" not in said[before].text and len(said[before].text.split()) >= _BACK:
            return task(said[before], by=by, when=when_behind(said, place))
    return None


def _asked_of_one(said: Sequence[Said], place: int) -> Statement | None:
    """설문을 먼저 하죠. 간사님 가능하시겠습니까? – 예, 만들어 보겠습니다."""
    asked = said[place + 1] if place + 1 < len(said) else None
    if asked is None or asked.utterance.id != said[place].utterance.id or not asks_if_one_can(asked.text):
        return None
    by = agreed_by(said, place + 1)
    return None if by is None else task(said[place], by=by, promised=True)


def volunteered(said: Sequence[Said], place: int) -> Statement | None:
    """보고 올 사람? – 사진 찍어 올게요. Who tells finance? – I will."""
    sentence = said[place]
    if not volunteers(sentence.text):
        return None
    for before in reversed(said[max(0, place - _BACK) : place]):
        if before.utterance.speaker_id == sentence.utterance.speaker_id:
            continue
        if volunteers(before.text):
            return None  # it has been taken on
        if asks_who(before.text):
            return task(before, by=sentence)
    return None
