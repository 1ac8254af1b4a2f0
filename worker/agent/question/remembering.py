"""What bears on a question beside the talk: the asker's profile, and the agent's memory of its exchanges.

Both are rebuilt from the record for each question, so they are the same after a takeover. They rest on the
replies that the asker may see (public ones, and their own private ones where the question is private too),
and on what the meeting knows of the asker (role, tasks).

What is personal by its kind is its asker's where a question says it, and the quoted one's where an answer
quotes it. Only what is stated is learnt: "Does anyone …?" is nobody's fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from context.answering.quality import unframed
from context.features import Features
from context.fold.meeting import Meeting
from context.language.instructions import steers
from context.models import Frozen, Reply, Utterance
from context.packs.entity import ENDS, Entity, Kinds, Pack, SpokenText, by_kind
from context.packs.meeting_pack import MeetingPack
from context.ports import Tokenizer
from context.primitives.text import one_line
from context.primitives.undated import EPOCH
from context.question import Question
from context.thread.memory import DialogueTurn, HierarchicalMemory, ProfileStore, importance

_PROFILE_SHARE: Final = 0.2
_MOST_WORDS: Final = 8
_MOST_TASKS: Final = 5
_TURNS: Final = 100
"""So many of the newest exchanges are remembered; older ones are in the thread's summaries."""
_SETTLED_KINDS: Final = frozenset(["decisions", "actions"])
"""The kinds of entities that only this meeting can settle: what a document says of them is a quote."""


class EntityPacks:
    """The configured entity packs, as one: they find what a text names."""

    def __init__(self, packs: Sequence[Pack] = ()) -> None:
        """Where no `packs` are given, `MeetingPack` is the only one."""
        self._packs = tuple(packs) or (MeetingPack(),)
        self.personal = tuple(
            pack for pack in self._packs if any(kind.personal for kind in pack.kinds.values())
        )
        """Those that find what belongs to a person."""
        self.kinds: Kinds = {
            name: kind for pack in (*self.personal, *self._packs) for name, kind in pack.kinds.items()
        }
        """The kinds of what they find, those of a person first."""

    def extract(self, text: str) -> Mapping[str, Sequence[str]]:
        """What a text names, by kind (people, dates, amounts, decisions, actions …), each as it was said."""
        return by_kind(self.entities(text))

    def entities(self, text: str, names: tuple[str, ...] = (), speaker: str = "") -> tuple[Entity, ...]:
        """What a text names, as values; what is personal belongs to the `speaker`, where one is given."""
        return tuple(
            entity for pack in self._packs for entity in pack.entities(text, names=names, speaker=speaker)
        )


class Exchange(NamedTuple):
    """A question to the agent and its answer, with what each names."""

    number: int
    """Its place among the remembered exchanges, from 1."""
    reply: Reply
    asked: tuple[Entity, ...]
    """What the question states."""
    told: tuple[Entity, ...]
    """What the answer states, with the people of whom what it cites says so."""

    @property
    def found(self) -> tuple[Entity, ...]:
        """What either of the two names."""
        return (*self.asked, *self.told)


class Remembered(Frozen):
    """What is known of an asker, beside what was said in the meeting."""

    profile: str = ""
    """What is known of the asker, in plain prose (seed 002 §3.2.1)."""
    name: str = ""
    """The asker's name, as the profile tells it."""
    tasks: tuple[str, ...] = ()
    """What the asker has taken on, as far as the profile tells it."""
    personal: bool = False
    """Whether the profile tells something of a personal kind."""
    tokens: int = 0
    """The size of the profile."""


class ThreadMemory:
    """Views of the replies on a meeting's record: what they say of an asker, and in tiers; holds no state."""

    def __init__(self, packs: EntityPacks, tokenizer: Tokenizer) -> None:
        self._personal = packs.personal
        self._kinds = packs.kinds
        self._tokenizer = tokenizer
        self._entities = lru_cache(maxsize=512)(packs.entities)  # a reply's are asked for at every question

    def recall(
        self, question: Question, meeting: Meeting, features: Features, *, max_tokens: int
    ) -> Remembered:
        """The profile, in its share of `max_tokens`; nothing without `include_profile`.

        Without `include_evidence` what was answered from other meetings or documents is not remembered.
        """
        if not features.include_profile:
            return Remembered()
        exchanges = self._exchanges(meeting, question, here_alone=not features.include_evidence)
        known = self._profile(exchanges, meeting, question)
        lines = known.profile.splitlines()
        while lines and self._tokenizer.count("\n".join(lines)) > round(max_tokens * _PROFILE_SHARE):
            lines.pop()
        profile = "\n".join(lines)
        tokens = self._tokenizer.count(profile) if profile else 0
        return known.model_copy(update={"profile": profile, "tokens": tokens})

    def tiers(self, question: Question, meeting: Meeting, features: Features) -> HierarchicalMemory:
        """The exchanges in three tiers, which a prompt shows in place of the thread's turns and summaries.

        Without `include_evidence` what was answered from other meetings or documents is not among them.
        """
        memory = HierarchicalMemory(
            self._tokenizer,
            self._kinds,
            working_memory_capacity=features.working_memory_capacity,
            compression_threshold=features.compression_threshold,
        )
        began = meeting.started_at or EPOCH
        for each in self._exchanges(meeting, question, here_alone=not features.include_evidence):
            memory.add_turn(
                DialogueTurn(
                    turn_id=each.number,
                    user_query=" ".join(each.reply.question.split()),
                    agent_response=each.reply.text,
                    extracted_slots=tuple(
                        one for one in each.found if one.person or not self._is_personal(one)
                    ),
                    timestamp=began + timedelta(milliseconds=each.reply.asked_at_ms),
                    importance=importance(each.found, self._kinds),
                )
            )
        return memory

    def widening(self, question: Question, meeting: Meeting, language: str) -> str:
        """What the asker has stated of themselves, to search by; "" where that is nothing."""
        if not self._personal:
            return ""
        asker = meeting.attendance.name_of(question.by)
        person = self._person(self._exchanges(meeting, question), question.by, asker)
        known = [
            fact.entity
            for name, kind in self._kinds.items()
            if kind.widens_searches
            for fact in person.known(name)
        ]
        worded = (pack.worded(entity, language) for entity in known for pack in self._personal)
        return " ".join([words for words in worded if words][:_MOST_WORDS])

    def notices(
        self,
        question: Question,
        meeting: Meeting,
        answer: str,
        language: str,
        *,
        here_alone: bool = False,
    ) -> Sequence[str]:
        """What a pack warns of (`Pack.notices`): two things that do not go together, one of them named here.

        The other may have been named before, in the talk or in an exchange that the asker may see;
        `here_alone`: in none that rests on other meetings or documents.
        """
        if not self._personal:
            return ()
        spoken_texts = [
            (each.start_ms, SpokenText(each.text, each.speaker_name or each.speaker_id))
            for each in meeting.utterances
        ]
        learnt = [
            (each.reply.asked_at_ms, entities)
            for each in self._exchanges(meeting, question, here_alone=here_alone)
            for entities in (each.asked, _quoted(each.told))
        ]
        before = [told for _, told in sorted((*spoken_texts, *learnt), key=lambda each: each[0])]
        asked = SpokenText(question.text, meeting.attendance.name_of(question.by))
        names = tuple(person.name for person in meeting.attendance.people.values())
        return [
            line for pack in self._personal for line in pack.notices(asked, answer, before, names, language)
        ]

    def _exchanges(self, meeting: Meeting, question: Question, *, here_alone: bool = False) -> list[Exchange]:
        """The newest that the asker may see. Who wants something of the agent has taken on nothing."""
        replies = [
            reply
            for reply in meeting.replies
            if _is_seen_by(question, reply) and not (here_alone and reply.rests_elsewhere)
        ]
        names = tuple(person.name for person in meeting.attendance.people.values())
        archive = meeting.utterances
        exchanges = []
        for number, reply in enumerate(replies[-_TURNS:], 1):
            cited = [archive[id_ - 1] for id_ in reply.evidence if 0 < id_ <= len(archive)]
            if steers(reply.question) or any(steers(utterance.text) for utterance in cited):
                # An order to remember had a part in it: nothing is learnt from either.
                exchanges.append(Exchange(number, reply, (), ()))
                continue
            asked = self._entities(reply.question, names, meeting.attendance.name_of(reply.by))
            answered = [
                one for entity in self._told(reply, names) for one in self._attributed(entity, cited, names)
            ]
            own = [entity for entity in asked if entity.kind != "actions"]
            exchanges.append(Exchange(number, reply, _stated(own), _stated(answered)))
        return exchanges

    def _told(self, reply: Reply, names: tuple[str, ...]) -> list[Entity]:
        """What an answer names; what it quotes from elsewhere is nobody's decision or task here."""
        lines = (unframed(line) for line in reply.text.splitlines())
        named = self._entities("\n".join(line for line in lines if not steers(line)), names, "")
        return [entity for entity in named if not (reply.rests_elsewhere and entity.kind in _SETTLED_KINDS)]

    def _attributed(self, entity: Entity, cited: Sequence[Utterance], names: tuple[str, ...]) -> list[Entity]:
        """What an answer names, once for each of those of whom the cited utterances tell it."""
        if not self._is_personal(entity):
            return [entity]
        people = [
            other.person
            for utterance in cited
            for other in self._entities(utterance.text, names, utterance.speaker_name or utterance.speaker_id)
            if (other.kind, other.name) == (entity.kind, entity.name)
        ]
        return [entity.model_copy(update={"person": person}) for person in dict.fromkeys(people or [""])]

    def _profile(self, exchanges: Sequence[Exchange], meeting: Meeting, question: Question) -> Remembered:
        """Who asks: role and open tasks from the meeting, facts from what they asked; notices."""
        korean = meeting.language == "ko"
        person = meeting.attendance.people.get(question.by)
        lines, tasks = [], list[str]()
        if person is not None:
            role = meeting.speakers.infer_roles().get(person.user_id)
            lines.append(f"{person.name} ({role})" if role else person.name)
            tasks += [
                one_line(item.text)
                for segment in meeting.segments
                for item in segment.notes.pending
                if item.owner in (person.name, person.user_id) and item.status not in ("done", "superseded")
            ][-_MOST_TASKS:]
            if tasks:
                lines.append(f"{'맡은 일' if korean else 'Tasks'}: {' / '.join(tasks)}")
        name = meeting.attendance.name_of(question.by)
        own = self._person(exchanges, question.by, name)
        known = [fact.entity for fact in own.known()]
        if summary := own.profile_summary("ko" if korean else "en"):
            lines.append(summary)
        lines += [line for pack in self._personal for line in pack.warnings(known, "ko" if korean else "en")]
        return Remembered(
            profile="\n".join(lines),
            name=name,
            tasks=tuple(tasks),
            personal=any(map(self._is_personal, known)),
        )

    def _person(self, exchanges: Sequence[Exchange], by: str, name: str) -> ProfileStore:
        """What one asker's own exchanges say of them; it fades with everybody's turns."""
        profile = ProfileStore(self._kinds)
        for exchange in exchanges:
            asked = (one for one in exchange.asked if not self._is_personal(one) or one.person == name)
            answered = (one for one in exchange.told if not self._is_personal(one))
            profile.add(exchange.number, (*asked, *answered) if exchange.reply.by == by else ())
        return profile

    def _is_personal(self, entity: Entity) -> bool:
        return self._kinds[entity.kind].personal


def _is_seen_by(question: Question, reply: Reply) -> bool:
    """Whether the asker may see an earlier reply: a public one, or privately their own."""
    own = question.private and reply.by == question.by
    return reply.invocation_id != question.id and (not reply.private or own)


def _stated(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """A question and a condition state nothing."""
    return tuple(entity for entity in entities if entity.detail("status") != "asked")


def _quoted(entities: Iterable[Entity]) -> list[Entity]:
    """What an answer quotes is older than the answer: it adds to what is known, and changes nothing."""
    asked = ("status", "asked")
    return [
        entity.model_copy(update={"details": (*entity.details, asked)})
        for entity in entities
        if entity.detail("status") not in ENDS
    ]
