"""What answers a follow-up: said where the answer before it was said, and of the kind that is asked for now.

"Who's milling the lids?" quoted Oskar; "by when?" is answered by a day in the same turn or right beside it.
Further away a day belongs to something else, so nothing is quoted from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from context.answering.follow_up import FollowUp
from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.models import Utterance
from context.quoting.headings import turned_away
from context.quoting.quotes import Found
from context.quoting.reasons import tells
from context.quoting.record import Record
from context.quoting.taking_on import taken_on
from context.retrieval.questions import Asked, coverage, gives, take_apart

_NEARNESS: Final = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.6, -1: 0.75, -2: 0.6, -3: 0.45}
_OF_ITS_OWN: Final = 0.5
_SETTLES: Final = 0.1
_REASON: Final = 0.15
_LEAST_WORDS: Final = 3
_TALK: Final = 8
_STEP: Final = 0.05
_ASKS_MONEY: Final = re.compile(
    r"얼마(?!나)|비용|가격|금액|\b(?:cost|costs|price|pay|paying|fee|rent|how much (?:is|are|was|were))\b",
    re.IGNORECASE,
)
_MONEY: Final = re.compile(
    r"[0-9일이삼사오육칠팔구십백천만]\s?원|[만천백]\s?원|달러|유로|\d\s?만|[$€£]|\b(?:dollars?|euros?|pounds?|hundred|thousand|grand|million|cents?)\b",
    re.IGNORECASE,
)
_TAKES_ON: Final = re.compile(
    r"^(?:네|예|넵|제가|저)[\s,.]|\b(?:I'll|I will|I can|I'd|I'm|sure|will do)\b", re.IGNORECASE
)


def nearby(follow: FollowUp, asked: Asked, record: Record) -> list[Found]:
    """Sentences beside the last answer that give what `follow` asks for, best first; none without a kind.

    `asked`: the question taken apart with the kind that it took over, and only its own words as topic.
    """
    if asked.kind is None:
        return []
    if asked.kind == "why" and asked.changing and (between := _between(follow, asked, record)):
        return between
    named = _without_verbs(asked)
    best: dict[str, Found] = {}
    for anchor, step in ((anchor, step) for anchor in follow.near for step in _NEARNESS):
        here, said = record.get(anchor), record.get(anchor + step)
        if here is None or said is None or said.topic_id != here.topic_id:
            continue
        if step and turned_away(min(anchor, said.id), max(anchor, said.id), record):
            continue
        if named.topic and not coverage(named, record.leading_to(said, said.text)):
            continue
        for found in _in(said, _NEARNESS[step], asked, record):
            key = f"{said.id} {found.text}"
            if key not in best or best[key].score < found.score:
                best[key] = found
    given = list(best.values())
    if asked.kind == "how_much" and _ASKS_MONEY.search(follow.question):
        given = [each for each in given if _MONEY.search(each.text)] or given
    return sorted(given, key=lambda each: (-each.score, -each.utterance.id))


def _without_verbs(asked: Asked) -> Asked:
    """Who tells them?: what is done is said in other words, or not at all."""
    topic = tuple(word for word, worth in zip(asked.topic, asked.importance, strict=True) if worth >= 1.0)
    return asked.model_copy(update={"topic": topic, "importance": (1.0,) * len(topic)})


def _between(follow: FollowUp, asked: Asked, record: Record) -> list[Found]:
    """Why something changed is told between what was said first and what is now; the latest of it first."""
    first, last = min(follow.near, default=0), max(follow.near, default=0)
    if any((here := record.get(id_)) is not None and gives(asked, here.text) for id_ in follow.near):
        return []  # the reason was told with it
    told = []
    for said in (record.get(id_) for id_ in range(first + 1, last)):
        if said is None or last - first > _TALK:
            return []
        told += [
            Found(part.text, said, _NEARNESS[0] - _STEP * (last - said.id) + tells(part.text))
            for part in split(said)
            if kind_of(part.text, record.names) in {"plain", "open"}
            and len(part.text.split()) >= _LEAST_WORDS
        ]
    return sorted(told, key=lambda each: (-each.score, -each.utterance.id))


def _in(said: Utterance, nearness: float, asked: Asked, record: Record) -> Iterator[Found]:
    for part in split(said):
        kind = kind_of(part.text, record.names)
        if asked.kind == "who":
            yield from taken_on(said, nearness, record)
            if kind != "action" and not (_TAKES_ON.search(part.text) and kind != "question"):
                continue
        if kind in {"question", "courtesy"} or not _gives(asked, part.text, record):
            continue
        score = nearness + _OF_ITS_OWN * coverage(asked, part.text)
        score += _SETTLES if kind == "decision" else 0.0
        if asked.kind == "why":
            score += (_REASON if gives(asked, part.text, record.names) else 0.0) + tells(part.text)
        yield Found(part.text, said, score, kind == "decision")


def _gives(asked: Asked, text: str, record: Record) -> bool:
    if gives(asked, text, record.names):
        return True
    return asked.kind == "why" and tells(text) > 0 and len(text.split()) >= _LEAST_WORDS


def read_with(follow: FollowUp, question: str) -> Asked:
    """The question taken apart: its own words in full, those that it takes over at half their worth."""
    asked = take_apart(question)
    kind = asked.kind or follow.kind
    own = asked.model_copy(update={"kind": kind})
    words: Sequence[str] = [word for word in follow.carried if word not in own.topic]
    worth = 1.0 if follow.bare else _OF_ITS_OWN
    kept = list(zip(own.topic, own.importance, strict=True))
    topic = [*kept, *((word, worth) for word in words)]
    return own.model_copy(
        update={
            "topic": tuple(word for word, _ in topic),
            "importance": tuple(worth for _, worth in topic),
            "wide": tuple(dict.fromkeys((*own.wide, *words))),
        }
    )
