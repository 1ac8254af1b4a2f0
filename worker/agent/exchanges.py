"""The agent's exchanges with people, as its memory reads them: what each names, and of whom that holds.

What a question says of health is its asker's, what an answer quotes is the quoted one's (`entities.whose`).
So nobody's allergy becomes the meeting's, and one person's pressure is never another's trend. Only what is
stated is learnt: "암로디핀은 몇 mg 먹어요?" and "Does anyone take warfarin?" are nobody's fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from context.answering.quality import unframed
from context.entities import Entity
from context.language.instructions import steers
from context.meeting import Meeting
from context.models import Invocation, Reply, Utterance

_TURNS: Final = 100
"""So many of the newest exchanges are remembered; older ones live in the thread's summaries."""
PERSONAL: Final = frozenset(
    ["symptoms", "conditions", "medications", "allergies", "vitals", "labs", "demographics"]
)
"""Of a person, not of the meeting."""

Entities = Callable[[str, tuple[str, ...], str], tuple[Entity, ...]]
"""What a text names, given the names of those present and of whoever says it."""


class Exchange(NamedTuple):
    """A question and its answer, with what each names."""

    number: int
    reply: Reply
    asked: tuple[Entity, ...]
    told: tuple[Entity, ...]

    @property
    def found(self) -> tuple[Entity, ...]:
        """What either names."""
        return (*self.asked, *self.told)


def exchanges(meeting: Meeting, invocation: Invocation, entities: Entities) -> list[Exchange]:
    """The newest that the asker may see. Who wants something of the agent has taken on nothing."""
    names = tuple(person.name for person in meeting.attendance.people.values())
    found = []
    for number, reply in enumerate(_seen(meeting.replies, invocation)[-_TURNS:], 1):
        cited = [meeting.utterances[id_ - 1] for id_ in reply.evidence if 0 < id_ <= len(meeting.utterances)]
        question, answer = _learnt(reply, cited)
        asker = meeting.attendance.name_of(reply.by)
        asked = [each for each in entities(question, names, asker) if each.kind != "actions"]
        told = [
            one for each in entities(answer, names, "") for one in _attributed(each, cited, names, entities)
        ]
        found.append(Exchange(number, reply, _stated(asked), _stated(told)))
    return found


def _stated(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """A question and a condition state nothing."""
    return tuple(each for each in entities if each.detail("status") != "asked")


def _attributed(
    entity: Entity, cited: Sequence[Utterance], names: tuple[str, ...], entities: Entities
) -> list[Entity]:
    """What an answer names, once for each of those of whom the cited utterances tell it."""
    if entity.kind not in PERSONAL:
        return [entity]
    people = [
        each.person
        for said in cited
        for each in entities(said.text, names, said.speaker_name or said.speaker_id)
        if (each.kind, each.name) == (entity.kind, entity.name)
    ]
    return [entity.model_copy(update={"person": person}) for person in dict.fromkeys(people or [""])]


def _learnt(reply: Reply, cited: Sequence[Utterance]) -> tuple[str, str]:
    """Of question and answer, what facts are taken from: nothing that an order to remember had a part in."""
    if steers(reply.question) or any(steers(said.text) for said in cited):
        return "", ""
    told = (unframed(line) for line in reply.text.splitlines())
    return reply.question, "\n".join(line for line in told if not steers(line))


def _seen(replies: Sequence[Reply], invocation: Invocation) -> list[Reply]:
    """Exchanges before this question that its asker may see."""
    return [
        reply
        for reply in replies
        if reply.invocation_id != invocation.id
        and (not reply.private or (invocation.private and reply.by == invocation.by))
    ]
