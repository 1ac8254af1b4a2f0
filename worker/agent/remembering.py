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

from context.entities import Entity, MeetingPack, Pack, by_kind
from context.entities.concepts import interacting
from context.entities.medical_pack import ConceptFinder, MedicalPack, by_spelling
from context.features import Features
from context.instructions import steers
from context.manager import ContextManager
from context.meeting import Meeting
from context.memory import DialogueTurn, HierarchicalMemory, importance
from context.models import Invocation, Reply
from context.ports import Tokenizer
from worker.agent.graph.ports import Remembered

_TURNS: Final = 100
"""So many of the newest exchanges are remembered; older ones live in the thread's summaries."""
_PROFILE_SHARE: Final = 0.2
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class EntityPacks:
    """The configured packs together, as the graph's `Slots`."""

    def __init__(self, packs: Sequence[Pack] = ()) -> None:
        self._packs = tuple(packs) or (MeetingPack(),)

    def extract(self, text: str, language: str) -> Mapping[str, Sequence[str]]:  # noqa: ARG002 -- the port's
        """What a text names, by kind."""
        return by_kind(self.entities(text))

    def entities(self, text: str, names: tuple[str, ...] = ()) -> tuple[Entity, ...]:
        """The same as values."""
        return tuple(entity for pack in self._packs for entity in pack.entities(text, names=names))


def packs_named(names: Sequence[str], finder: ConceptFinder = by_spelling) -> list[Pack]:
    """Entity packs by their names in the settings. `finder`: of medical concepts."""
    return [MedicalPack(finder) if name == "medical" else MeetingPack() for name in names]


class ThreadMemory:
    """The graph's `TurnMemory`. Holds no state of any meeting."""

    def __init__(self, packs: EntityPacks, tokenizer: Tokenizer) -> None:
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
        memory = self._memory(meeting, invocation, features)
        profile = self._profile(memory, meeting, invocation) if features.include_profile else ""
        profile = self._within(profile, round(max_tokens * _PROFILE_SHARE))
        tokens = self._tokenizer.count(profile) if profile else 0
        if not features.hierarchical_memory_enabled:
            return Remembered(profile=profile, tokens=tokens)
        tiers = memory.retrieve_context(invocation.text, max_tokens - tokens)
        return Remembered(
            profile=profile,
            working=tiers.working,
            compressed=tiers.compressed,
            semantic=tiers.semantic,
            tokens=tokens + tiers.tokens,
        )

    def _memory(self, meeting: Meeting, invocation: Invocation, features: Features) -> HierarchicalMemory:
        memory = HierarchicalMemory(
            self._tokenizer,
            working_memory_capacity=features.working_memory_capacity,
            compression_threshold=features.compression_threshold,
        )
        names = tuple(person.name for person in meeting.attendance.people.values())
        for number, reply in enumerate(_seen(meeting.replies, invocation)[-_TURNS:], 1):
            found = self._found(*_learnt(reply, meeting), names)
            memory.add_turn(
                DialogueTurn(
                    turn_id=number,
                    user_query=" ".join(reply.question.split()),
                    agent_response=reply.text,
                    extracted_slots=found,
                    timestamp=(meeting.started_at or _EPOCH) + timedelta(milliseconds=reply.asked_at_ms),
                    importance=importance(found),
                )
            )
        return memory

    def _found(self, question: str, answer: str, names: tuple[str, ...]) -> tuple[Entity, ...]:
        """What both name. Who wants something of the agent has taken on nothing: that is no task."""
        asked = [each for each in self._entities(question, names) if each.kind != "actions"]
        return (*asked, *self._entities(answer, names))

    def _profile(self, memory: HierarchicalMemory, meeting: Meeting, invocation: Invocation) -> str:
        """Who asks: role and open tasks from the meeting, facts from what they asked; notices."""
        korean = meeting.language == "ko"
        person = meeting.attendance.people.get(invocation.by)
        lines = []
        if person is not None:
            role = meeting.speakers.infer_roles().get(person.user_id)
            lines.append(f"{person.name} ({role})" if role else person.name)
            tasks = [
                item.text
                for segment in meeting.segments
                for item in segment.notes.pending
                if item.owner in (person.name, person.user_id) and item.status not in ("done", "superseded")
            ]
            if tasks:
                lines.append(f"{'맡은 일' if korean else 'Tasks'}: {' / '.join(tasks[-5:])}")
        if summary := memory.profile.profile_summary("ko" if korean else "en"):
            lines.append(summary)
        named = frozenset(fact.entity.name for fact in memory.profile.known("medications"))
        for each in interacting(named):
            pair = " + ".join(sorted(each.medicines))
            notice = f"주의: {pair}, {each.effect_ko}" if korean else f"Notice: {pair}, {each.effect}"
            lines.append(f"{notice} ({each.source})")
        return "\n".join(lines)

    def _within(self, text: str, budget: int) -> str:
        """Whole lines from the beginning, as many as fit."""
        lines = text.splitlines()
        while lines and self._tokenizer.count("\n".join(lines)) > budget:
            lines.pop()
        return "\n".join(lines)


def _learnt(reply: Reply, meeting: Meeting) -> tuple[str, str]:
    """Of question and answer, what facts are taken from: nothing that an order to remember had a part in."""
    archive = meeting.utterances
    cited = (archive[id_ - 1].text for id_ in reply.evidence if 0 < id_ <= len(archive))
    if steers(reply.question) or any(map(steers, cited)):
        return "", ""
    return reply.question, "\n".join(line for line in reply.text.splitlines() if not steers(line))


def _seen(replies: Sequence[Reply], invocation: Invocation) -> list[Reply]:
    """Exchanges before this question that its asker may see."""
    return [
        reply
        for reply in replies
        if reply.invocation_id != invocation.id
        and (not reply.private or (invocation.private and reply.by == invocation.by))
    ]
