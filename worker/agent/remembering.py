"""What bears on a question beside the talk: the asker's profile, and the agent's memory of its exchanges.

Rebuilt from the record for each question, so it is the same after a takeover: the replies that the asker
may see (public ones, and their own private ones where the question is private too), and what the meeting
knows of the asker (role, tasks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, cast

from context.entities.entity import Entity, Interaction, Pack, by_kind, concepts, interacting, interactions
from context.entities.medical_pack import ConceptFinder, MedicalPack, by_spelling
from context.entities.meeting_pack import MeetingPack
from context.features import Features
from context.manager import ContextManager
from context.meeting import Meeting
from context.memory import DialogueTurn, HierarchicalMemory, ProfileStore, importance
from context.models import Invocation
from context.ports import Tokenizer
from worker.agent.earlier import PERSONAL, Exchange, exchanges
from worker.agent.graph.parts import Remembered

_PROFILE_SHARE: Final = 0.2
_SEARCHED_BY: Final = ("demographics", "conditions", "medications")
"""Seed 002 §3.5.2: what of an asker widens a search."""
_MOST_WORDS: Final = 8
_MOST_TASKS: Final = 5
_GENDERS: Final = {"male": "남성", "female": "여성"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class EntityPacks:
    """The configured packs together, as the graph's `Slots`."""

    def __init__(self, packs: Sequence[Pack] = ()) -> None:
        self._packs = tuple(packs) or (MeetingPack(),)
        self.medical = any(isinstance(pack, MedicalPack) for pack in self._packs)
        """Whether anything of a person's health is noted at all."""

    def extract(self, text: str, language: str) -> Mapping[str, Sequence[str]]:  # noqa: ARG002 -- the port's
        """What a text names, by kind."""
        return by_kind(self.entities(text))

    def entities(self, text: str, names: tuple[str, ...] = (), speaker: str = "") -> tuple[Entity, ...]:
        """The same as values; what is personal with the person, where `speaker` says it."""
        return tuple(
            entity for pack in self._packs for entity in pack.entities(text, names=names, speaker=speaker)
        )


def packs_named(names: Sequence[str], finder: ConceptFinder = by_spelling) -> list[Pack]:
    """Entity packs by their names in the settings. `finder`: of medical concepts."""
    return [MedicalPack(finder) if name == "medical" else MeetingPack() for name in names]


class ThreadMemory:
    """The graph's `TurnMemory`. Holds no state of any meeting."""

    def __init__(self, packs: EntityPacks, tokenizer: Tokenizer) -> None:
        self._medical = packs.medical
        self._tokenizer = tokenizer
        self._entities = lru_cache(maxsize=512)(packs.entities)  # a reply's are asked for at every question

    async def recall(
        self,
        invocation: Invocation,
        manager: object,
        slots: Mapping[str, Sequence[str]],
        features: Features,
        *,
        max_tokens: int,
    ) -> Remembered:
        """Profile where `include_profile`, tiers where `hierarchical_memory_enabled`; within `max_tokens`."""
        _ = slots  # the question's own entities are in its text
        meeting = cast("ContextManager", manager).meeting
        exchanges = self._exchanges(meeting, invocation)
        known = self._profile(exchanges, meeting, invocation) if features.include_profile else Remembered()
        profile = self._within(known.profile, round(max_tokens * _PROFILE_SHARE))
        tokens = self._tokenizer.count(profile) if profile else 0
        known = known.model_copy(update={"profile": profile, "tokens": tokens})
        if not features.hierarchical_memory_enabled:
            return known
        tiers = self._memory(exchanges, meeting, features).retrieve_context(
            invocation.text, max_tokens - tokens
        )
        return known.model_copy(update=tiers.model_dump() | {"tokens": tokens + tiers.tokens})

    def widening(self, invocation: Invocation, manager: object, language: str) -> str:
        """Age, gender, conditions and medicines that the asker has named, to search by; "" where none."""
        if not self._medical:
            return ""
        meeting = cast("ContextManager", manager).meeting
        name = meeting.attendance.name_of(invocation.by)
        person = _person(self._exchanges(meeting, invocation), invocation.by, name)
        known = [fact.entity for kind in _SEARCHED_BY for fact in person.known(kind)]
        return " ".join([_searched(entity, korean=language == "ko") for entity in known][:_MOST_WORDS])

    def notices(self, invocation: Invocation, manager: object, answer: str, language: str) -> Sequence[str]:
        """A line for each two medicines that are known to interact, one of them named in this exchange.

        The other may have been named before, in the talk or in an exchange that the asker may see.
        """
        if not self._medical:
            return ()
        now = _medicines([*self._entities(invocation.text, (), ""), *self._entities(answer, (), "")])
        if not now:
            return ()
        meeting = cast("ContextManager", manager).meeting
        before = ProfileStore()
        for each in self._exchanges(meeting, invocation):
            before.add(each.number, each.found)
        known = now | {fact.entity.name for fact in before.known("medications")}
        known |= self._said(meeting, _partners(now) - known)
        return [_notice(each, korean=language == "ko") for each in interacting(known) if each.medicines & now]

    def _said(self, meeting: Meeting, wanted: frozenset[str]) -> frozenset[str]:
        """Those of some medicines that were named in the talk."""
        spelt = {name: _spellings(name) for name in wanted}
        found = set[str]()
        for utterance in meeting.utterances:
            text = utterance.text.lower()
            if any(spelling in text for name in spelt if name not in found for spelling in spelt[name]):
                found |= _medicines(self._entities(utterance.text, (), "")) & wanted
        return frozenset(found)

    def _exchanges(self, meeting: Meeting, invocation: Invocation) -> list[Exchange]:
        return exchanges(meeting, invocation, self._entities)

    def _memory(
        self, exchanges: Sequence[Exchange], meeting: Meeting, features: Features
    ) -> HierarchicalMemory:
        memory = HierarchicalMemory(
            self._tokenizer,
            working_memory_capacity=features.working_memory_capacity,
            compression_threshold=features.compression_threshold,
        )
        for each in exchanges:
            asked_at = timedelta(milliseconds=each.reply.asked_at_ms)
            memory.add_turn(
                DialogueTurn(
                    turn_id=each.number,
                    user_query=" ".join(each.reply.question.split()),
                    agent_response=each.reply.text,
                    extracted_slots=tuple(
                        one for one in each.found if one.person or one.kind not in PERSONAL
                    ),
                    timestamp=(meeting.started_at or _EPOCH) + asked_at,
                    importance=importance(each.found),
                )
            )
        return memory

    def _profile(self, exchanges: Sequence[Exchange], meeting: Meeting, invocation: Invocation) -> Remembered:
        """Who asks: role and open tasks from the meeting, facts from what they asked; notices."""
        korean = meeting.language == "ko"
        person = meeting.attendance.people.get(invocation.by)
        lines, tasks = [], list[str]()
        if person is not None:
            role = meeting.speakers.infer_roles().get(person.user_id)
            lines.append(f"{person.name} ({role})" if role else person.name)
            tasks += [
                item.text
                for segment in meeting.segments
                for item in segment.notes.pending
                if item.owner in (person.name, person.user_id) and item.status not in ("done", "superseded")
            ][-_MOST_TASKS:]
            if tasks:
                lines.append(f"{'맡은 일' if korean else 'Tasks'}: {' / '.join(tasks)}")
        name = meeting.attendance.name_of(invocation.by)
        own = _person(exchanges, invocation.by, name)
        if summary := own.profile_summary("ko" if korean else "en"):
            lines.append(summary)
        taken = frozenset(fact.entity.name for fact in own.known("medications"))
        lines += [_notice(each, korean=korean) for each in interacting(taken)]
        return Remembered(
            profile="\n".join(lines),
            name=name,
            tasks=tuple(tasks),
            health=any(fact.entity.kind in PERSONAL for fact in own.known()),
        )

    def _within(self, text: str, budget: int) -> str:
        """Whole lines from the beginning, as many as fit."""
        lines = text.splitlines()
        while lines and self._tokenizer.count("\n".join(lines)) > budget:
            lines.pop()
        return "\n".join(lines)


def _person(exchanges: Sequence[Exchange], by: str, name: str) -> ProfileStore:
    """What one asker's own exchanges say of them; it fades with everybody's turns."""
    profile = ProfileStore()
    for each in exchanges:
        asked = (one for one in each.asked if one.kind not in PERSONAL or one.person == name)
        told = (one for one in each.told if one.kind not in PERSONAL)
        profile.add(each.number, (*asked, *told) if each.reply.by == by else ())
    return profile


def _medicines(entities: Sequence[Entity]) -> frozenset[str]:
    """Those that are named, and not as one that nobody takes."""
    return frozenset(
        each.name
        for each in entities
        if each.kind == "medications" and each.detail("status") not in ("denied", "stopped")
    )


def _partners(medicines: frozenset[str]) -> frozenset[str]:
    """What is known not to go together with any of them."""
    return frozenset().union(*(each.medicines for each in interactions() if each.medicines & medicines))


def _spellings(name: str) -> tuple[str, ...]:
    concept = concepts()[name]
    return tuple(each.lower() for each in (concept.name, *concept.aliases, *concept.korean))


def _searched(entity: Entity, *, korean: bool) -> str:
    """A fact of a person as a document may have it."""
    if entity.name == "age":
        return f"{entity.value}세" if korean else f"age {entity.value}"
    if entity.name == "gender":
        return _GENDERS[entity.value] if korean else entity.value
    return _spelt(entity.name, korean=korean)


def _spelt(name: str, *, korean: bool) -> str:
    """A concept in the language of the asker."""
    concept = concepts().get(name)
    return concept.korean[0] if korean and concept is not None and concept.korean else name


def _notice(each: Interaction, *, korean: bool) -> str:
    pair = " + ".join(sorted(each.medicines))
    if not korean:
        return f"Notice: {pair}: {each.effect} ({each.source}). Ask a doctor or pharmacist."
    told = ", ".join(_spelt(name, korean=True) for name in sorted(each.medicines))
    return f"주의: {told} ({pair}): {each.effect_ko} ({each.source}). 의사나 약사에게 확인하세요."
