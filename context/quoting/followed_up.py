"""What is asked after an answer, of what that answer rests on."""

from __future__ import annotations

import re
from typing import Final

from context.answering.follow_up import FollowUp
from context.corpora.answerable import verdict
from context.extractive.sentences import split
from context.models import AgentCallType
from context.quoting.corrections import corrected
from context.quoting.following import followed
from context.quoting.nearby import nearby, read_with
from context.quoting.quotes import ExtractiveAnswer, Found, nothing, quoting
from context.quoting.ranking import CLOSE, ranked
from context.quoting.reading_on import read_on
from context.quoting.record import Record
from context.quoting.settling import settled, wants_settled
from context.quoting.taking_on import in_whose_hands
from context.retrieval.questions import Asked, coverage, gives, take_apart
from context.retrieval.rewording import reworded

_STILL_CLOSE: Final = 12
_WHO_SAID: Final = re.compile(
    r"(?:누가|누구).{0,8}(?:말|얘기|이야기|말씀|제안|발언)(?:했|하셨|하신|한|하|\s?꺼냈)|누구\s?(?:말|의견|얘기|제안)"
    r"|\bwho (?:said|says|mentioned|told|proposed|suggested|brought|came up)\b",
    re.IGNORECASE,
)
"""Who said that?: it is told under a name already."""


def followed_up(
    follows: FollowUp, question: str, record: Record, wanted: AgentCallType
) -> ExtractiveAnswer | None:
    """What is said beside the last answer; None: look the question up with what it takes over."""
    if follows.bare and _WHO_SAID.search(question):
        return _again(follows, record, wanted)
    asked = read_with(follows, question)
    if asked.kind is None:
        return _settled_on(follows, question, asked, record, wanted)
    own = take_apart(question).model_copy(update={"kind": asked.kind})
    alone = own.model_copy(update={"topic": (), "importance": ()}) if follows.bare else own
    found = nearby(follows, alone, record)
    if follows.bare or not found:
        elsewhere: list[Found] = []
        if not found:
            gate = verdict(reworded(follows.text, record.index), record.index, len(record.utterances))
            if gate.answerable:
                least = ranked(follows.text, asked, record)
                elsewhere = [
                    each
                    for each in least
                    if gives(asked, each.text, record.names) and _close_by(each, follows, record)
                ]
        if not (found or elsewhere):
            return nothing(record, wanted) if follows.bare and not own.topic else None
        found = found or elsewhere
    else:
        far = ranked(follows.text, asked, record)
        found = sorted([*found, *far], key=lambda each: (-each.score, -each.utterance.id))
    chosen = [each for each in found if each.score >= found[0].score - CLOSE][:2]
    if asked.kind == "who":
        chosen = in_whose_hands(chosen, record)
    quoted = followed(corrected(chosen, asked, record), asked, record)
    quoted = read_on(list({(each.utterance.id, each.text): each for each in quoted}.values()), asked, record)
    return quoting("nearest" if follows.unsure else "found", quoted, record, wanted)


def _again(follows: FollowUp, record: Record, wanted: AgentCallType) -> ExtractiveAnswer | None:
    """What the answer before rests on, each under who said it."""
    about = Asked(topic=follows.carried, deciding=False)
    said = [utterance for utterance in map(record.get, follows.near) if utterance is not None]
    chosen = []
    for utterance in said:
        parts = split(utterance)
        tells = max(parts, key=lambda part: (coverage(about, part.text), len(part.text)), default=None)
        text = tells.text if tells is not None else utterance.text
        chosen.append(Found(text, utterance, 1.0))
    return quoting("nearest" if follows.unsure else "found", chosen, record, wanted) if chosen else None


def _settled_on(
    follows: FollowUp, question: str, asked: Asked, record: Record, wanted: AgentCallType
) -> ExtractiveAnswer | None:
    """What was settled next, behind what the last answer rests on ("and what are we doing about it?")."""
    anchors = [said for said in map(record.get, follows.near) if said is not None]
    if not anchors or not wants_settled(question, asked):
        return None
    found = list(settled(anchors[-1], 1.0, asked, record, reach=_STILL_CLOSE))
    return (
        quoting("found", sorted(found, key=lambda each: each.utterance.id), record, wanted) if found else None
    )


def _close_by(found: Found, follows: FollowUp, record: Record) -> bool:
    """Whether something was said not far from what the answer before rests on."""
    anchors = [said for said in map(record.get, follows.near) if said is not None]
    return not anchors or any(
        abs(found.utterance.id - anchor.id) <= _STILL_CLOSE and found.utterance.topic_id == anchor.topic_id
        for anchor in anchors
    )
