"""Earlier meetings of the same room, from the context cache: written when a meeting ends, read by prompts.

Theory of operation. At a meeting's end each of its topics goes into the cache of its tenant and room: for a
week in detail (`project`), its key decisions for as long as the disk has them (`persistent`). When the next
meeting in that room is asked something, the blocks are read once and then lie in that meeting's own
`session` tier. What may be shown is decided as for retrieval, by the store of passages: a block counts only
if every utterance that it rests on stands in a passage that the reader may see, and reads there as it did
when the block was kept. So nothing is told of a meeting that is closed to the reader, was corrected or is
erased; where the store is away nothing is told at all. A cache may forget: it is this machine's disk.

The agent's exchanges with people, as its memory reads them: what each names, and of whom that holds.

What a question says of health is its asker's, what an answer quotes is the quoted one's (`entities.whose`).
So nobody's allergy becomes the meeting's, and one person's pressure is never another's trend. Only what is
stated is learnt: "암로디핀은 몇 mg 먹어요?" and "Does anyone take warfarin?" are nobody's fact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol, cast
from weakref import WeakKeyDictionary

import structlog
from pydantic import TypeAdapter, ValidationError

from context.answering.quality import unframed
from context.budgets.cache import CachedOutput, CacheFiles, CacheTier, ContextCache
from context.budgets.configuration import BudgetConfig
from context.budgets.output import AgentOutput
from context.budgets.preservation import assemble
from context.budgets.series import as_passages, bearing_on, block_of, still_stand
from context.corpora.passage import Passage
from context.entities.entity import Entity
from context.language.instructions import steers
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import Invocation, Reply, Utterance
from context.ports import PortError, Tokenizer
from worker.passages.store import Scope

log = structlog.get_logger(__name__)

WITHIN_S: Final = 1.0
"""For reading them, once per meeting and reader."""
_MOST_BLOCKS: Final = 40
"""Of one room, the newest."""
_MOST_PASSAGES: Final = 4_000
_BLOCKS: Final = TypeAdapter(list[AgentOutput])


class ReadablePassages(Protocol):
    """What of the store is asked here: `PassageStore`'s."""

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        """Every passage in the scope."""
        ...


class EarlierMeetings:
    """Of one tenant, on one machine."""

    def __init__(
        self,
        files_of: Callable[[str], CacheFiles],
        store: ReadablePassages,
        tokenizer: Tokenizer,
        *,
        now: Callable[[], datetime],
        budgets: BudgetConfig | None = None,
    ) -> None:
        """`files_of`: the folder of a room, within the tenant's own. `budgets`: the tiers and templates."""
        self._budgets = budgets or BudgetConfig()
        self._files_of, self._store, self._tokenizer = files_of, store, tokenizer
        self._now, self._rules = now, self._budgets.cache_levels
        self._sessions: WeakKeyDictionary[Meeting, ContextCache] = WeakKeyDictionary()

    async def keep(self, meeting: Meeting) -> None:
        """The meeting has ended and its passages are in the store: leave its topics to the next one."""
        room = _room(meeting)
        if room is None or meeting.started_at is None:
            return
        source = meeting.meeting_id
        try:
            async with asyncio.timeout(WITHIN_S):
                passages = await self._readable([source], reader=None)
        except (PortError, TimeoutError) as error:
            log.info("meeting_not_kept_for_later", error=str(error) or type(error).__name__)
            return
        blocks = [
            block
            for topic in meeting.segments
            if (
                block := block_of(
                    topic,
                    source=source,
                    title=_title(meeting),
                    said_at=meeting.utterances[topic.start_utterance_id - 1].absolute_timestamp,
                    passages=passages,
                    templates=self._budgets.templates,
                )
            )
        ]
        await asyncio.to_thread(self._save, room, blocks)
        self._sessions.pop(meeting, None)
        log.info("meeting_kept_for_later", topics=len(blocks))

    async def passages(
        self, manager: object, question: str, *, reader: str = "", within: int
    ) -> tuple[Passage, ...]:
        """What bears on a question, best first, in `within` tokens; never raises.

        `reader`: who alone will see the answer. Where not all fits, blocks go down the levels and the least
        are left out; in compression mode they come at level 2.
        """
        meeting = cast("ContextManager", manager).meeting
        room = _room(meeting)
        if room is None:
            return ()
        try:
            async with asyncio.timeout(WITHIN_S):
                blocks = await self._blocks(meeting, room, reader)
        except (PortError, TimeoutError) as error:
            log.info("earlier_meetings_unread", error=str(error) or type(error).__name__)
            return ()
        level = meeting.prompts.tracker(self._budgets).level_for_next()
        return as_passages(assemble(bearing_on(question, blocks), within, self._tokenizer, at_least=level))

    async def _blocks(self, meeting: Meeting, room: str, reader: str) -> list[AgentOutput]:
        session = self._sessions.get(meeting)
        if session is None:
            session = ContextCache(rules=self._rules, tokenizer=self._tokenizer)
            self._sessions[meeting] = session
        name = f"earlier_meetings/{reader}"
        if (read := session.load_from_cache(name, now=self._now())) is not None:
            try:
                return _BLOCKS.validate_json(read.content.content)
            except ValidationError:
                log.warning("earlier_meetings_misread")
        found = await asyncio.to_thread(self._load, room)
        found = [block for block in found if block.source != meeting.meeting_id]
        sources = list(dict.fromkeys(block.source for block in found))
        passages = await self._readable(sources, reader=reader or None) if sources else []
        blocks = still_stand(found, passages)
        text = _BLOCKS.dump_json(blocks).decode()
        session.save_to_cache(name, {"content": text}, now=self._now())
        return blocks

    async def _readable(self, sources: Sequence[str], *, reader: str | None) -> list[Passage]:
        scope = Scope(kinds=("meeting",), reader=reader, sources=tuple(sources))
        return await self._store.readable(scope, limit=_MOST_PASSAGES)

    def _cache(self, room: str) -> ContextCache:
        return ContextCache(self._files_of(room), rules=self._rules, tokenizer=self._tokenizer)

    def _save(self, room: str, blocks: Sequence[AgentOutput]) -> None:
        cache = self._cache(room)
        for block in blocks:
            cache.save_to_cache(block.agent_id, block, ("project", "persistent"), now=self._now())

    def _load(self, room: str) -> list[AgentOutput]:
        """Each topic once: in detail while that stands, else what is kept for good."""
        cache, now = self._cache(room), self._now()
        tiers: tuple[CacheTier, ...] = ("persistent", "project")
        found: dict[str, CachedOutput] = {}
        for tier in tiers:
            found |= {each.agent_id: each for each in cache.newest(tier, most=_MOST_BLOCKS, now=now)}
        newest_first = sorted(found.values(), key=lambda each: each.timestamp, reverse=True)
        return [each.content for each in newest_first][:_MOST_BLOCKS]


def _room(meeting: Meeting) -> str | None:
    """The room whose meetings are a series; None for a meeting without one."""
    return meeting.opened.room if meeting.opened is not None else None


def _title(meeting: Meeting) -> str:
    opened = meeting.opened
    return (opened.title or opened.room or "") if opened is not None else ""


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
        """Give what either of the two names."""
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
