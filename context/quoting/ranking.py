"""Which sentences may answer a question, best first.

A sentence answers by what it covers of the question's subject, itself or together with the talk that led
to it (a turn often leaves its subject to the turns before, to the question it replies to, or to the name
of the topic). It answers better where it holds the kind of thing that is asked for (a day, an amount, a
person, a reason), settles something where a decision is asked for, or follows the same question asked in
the meeting. Where somebody's words are asked for, only theirs count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from context.extractive.statements import normal
from context.models import Utterance
from context.quoting.in_talk import in_talk
from context.quoting.lists import LEAST
from context.quoting.look import (
    NAMES_KIND,
    Look,
    look_of,
)
from context.quoting.on_record import decided, given
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.questions import Asked, take_apart

CLOSE: Final = 0.15
"""Sentences that answer nearly as well as the best are quoted too."""
_LOOKED_AT: Final = 16
"""Utterances that share most words with the question; their neighbours are looked at too."""
_FOLLOWED: Final = 6
_FURTHER_ON: Final = 9
_ASKED_FURTHER_ON: Final = 16


def ranked(question: str, asked: Asked, record: Record, *, least: float = LEAST) -> list[Found]:
    """Every sentence that may answer, best first, none twice; `least` of the subject must be covered."""
    look = replace(look_of(question, asked, record), least=least)
    found: dict[str, Found] = {}
    for each in _candidates(question, look):
        key = normal(each.text)
        if key not in found or each.score > found[key].score:
            found[key] = each
    return sorted(found.values(), key=lambda each: (-each.score, -each.utterance.id))


def _candidates(question: str, look: Look) -> Iterator[Found]:
    ledger = look.record.statements()
    if not look.people:
        for decision in ledger.decisions:
            yield from decided(decision, look)
        if look.asked.kind == "who":
            for item in ledger.pending:
                yield from given(item, look)
    settled = {normal(decision.text) for decision in ledger.decisions} if not look.people else set()
    for utterance in _near(question, look):
        for each in in_talk(utterance, look):
            if each.replies or normal(each.text) not in settled:
                yield each


def _near(question: str, look: Look) -> Iterator[Utterance]:
    """The utterances that share words with the question; of people asked for, theirs near these."""
    record = look.record
    hits = [id_ for id_, _score in record.index.search(look.asked.query or question, _LOOKED_AT)]
    wanted = dict.fromkeys(hits)
    if look.asked.kind is not None:  # the answer may stand in the turns that follow
        wanted |= dict.fromkeys(id_ + step for id_ in hits[:_FOLLOWED] for step in range(1, 4))
    if look.asked.kind is not None:  # it may be named further on, under the same heading, or asked there
        for id_ in hits[:_FOLLOWED]:
            for step in range(4, _ASKED_FURTHER_ON):
                said = record.get(id_ + step)
                if said is None:
                    break
                named = step < _FURTHER_ON and NAMES_KIND[look.asked.kind].search(said.text)
                if named or ("?" in said.text and take_apart(said.text).kind == look.asked.kind):
                    wanted[said.id] = None
    if look.people:
        wanted = dict.fromkeys(id_ + step for id_ in hits for step in range(-2, 5))
    for id_ in wanted:
        utterance = record.get(id_)
        if utterance is not None and (not look.people or utterance.speaker_id in look.people):
            yield utterance
