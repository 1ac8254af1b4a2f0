"""Earlier meetings of the same room, from the context cache: written when a meeting ends, read by prompts.

Theory of operation. At a meeting's end each of its topics goes into the cache of its tenant and room: for a
week in detail (`project`), its key decisions for as long as the disk has them (`persistent`). When the next
meeting in that room is asked something, the blocks are read and lie for a minute in that meeting's own
`session` tier. What may be shown is decided as for retrieval, by the store of passages: a block counts only
if every utterance that it rests on stands in a passage that the reader may see, and reads there as it did
when the block was kept. So nothing is told of a meeting that is closed to the reader, was corrected or is
erased; where the store is away nothing is told at all. A cache may forget: it is this machine's disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakKeyDictionary

import structlog
from pydantic import TypeAdapter, ValidationError

from context.budgets.cache import CachedOutput, CacheFiles, ContextCache
from context.budgets.configuration import BudgetConfig
from context.budgets.output import AgentOutput
from context.budgets.preservation import assemble
from context.budgets.series import as_passages, bearing_on, block_of, still_stand
from context.corpora.passage import Passage
from context.meeting import Meeting
from context.ports import PortError, Tokenizer
from worker.passages.store import PassageStore, Scope

log = structlog.get_logger(__name__)

WITHIN_S: Final = 1.0
"""How long the store may take to say which passages may be read."""
_READ_AGAIN_AFTER: Final = timedelta(minutes=1)
"""So long a meeting may still be told what was erased from an earlier one."""
_MOST_BLOCKS: Final = 40
"""So many topics of one room's earlier meetings are read, the newest."""
_MOST_PASSAGES: Final = 4_000
_BLOCKS: Final = TypeAdapter(list[AgentOutput])


class EarlierMeetings:
    """The topics of a tenant's earlier meetings, as this machine's context cache has them."""

    def __init__(
        self,
        files_of: Callable[[str], CacheFiles],
        store: PassageStore,
        tokenizer: Tokenizer,
        *,
        now: Callable[[], datetime],
        budgets: BudgetConfig | None = None,
    ) -> None:
        """`files_of` gives the cache's folder of a room, within the tenant's own.

        `store` says what may be read; `budgets` has the cache's tiers and the templates of its blocks.
        """
        self._budgets = budgets or BudgetConfig()
        self._files_of, self._store, self._tokenizer = files_of, store, tokenizer
        self._now, self._rules = now, self._budgets.cache_levels
        self._sessions: WeakKeyDictionary[Meeting, ContextCache] = WeakKeyDictionary()

    async def keep(self, meeting: Meeting) -> None:
        """Keep the topics of a meeting that has ended, once its passages are in the store. Never raises."""
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
        title = meeting.opened.title or room if meeting.opened is not None else room
        found = [
            block_of(
                topic,
                source=source,
                title=title,
                said_at=meeting.utterances[topic.start_utterance_id - 1].absolute_timestamp,
                passages=passages,
                templates=self._budgets.templates,
            )
            for topic in meeting.segments
        ]
        blocks = [block for block in found if block]
        await asyncio.to_thread(self._save, room, blocks)
        self._sessions.pop(meeting, None)
        log.info("meeting_kept_for_later", topics=len(blocks))

    async def passages(
        self, meeting: Meeting, question: str, *, reader: str = "", within: int
    ) -> tuple[Passage, ...]:
        """What earlier meetings of the room have on a question, best first, in `within` tokens. Never raises.

        `reader`: the one participant who will see the answer, "" for all. Where not all fits, blocks get
        shorter by their levels and the least important are left out.
        """
        room = _room(meeting)
        if room is None:
            return ()
        try:
            async with asyncio.timeout(WITHIN_S):
                blocks = await self._blocks(meeting, room, reader)
        except (PortError, TimeoutError) as error:
            log.info("earlier_meetings_unread", error=str(error) or type(error).__name__)
            return ()
        return as_passages(assemble(bearing_on(question, blocks), within, self._tokenizer))

    async def told_to_all(self, meeting: Meeting) -> list[str]:
        """What earlier meetings of the room talked about, as everybody may read it. Raises `PortError`."""
        room = _room(meeting)
        return [] if room is None else [block.content for block in await self._blocks(meeting, room, "")]

    async def _blocks(self, meeting: Meeting, room: str, reader: str) -> list[AgentOutput]:
        session = self._sessions.get(meeting)
        if session is None:
            session = ContextCache(rules=self._rules, tokenizer=self._tokenizer)
            self._sessions[meeting] = session
        name = f"earlier_meetings/{reader}"
        read = session.load_from_cache(name, now=self._now())
        if read is not None and self._now() - read.timestamp < _READ_AGAIN_AFTER:
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
        kept = cache.newest("persistent", most=_MOST_BLOCKS, now=now)
        detailed = cache.newest("project", most=_MOST_BLOCKS, now=now)
        found: dict[str, CachedOutput] = {each.agent_id: each for each in (*kept, *detailed)}
        newest_first = sorted(found.values(), key=lambda each: each.timestamp, reverse=True)
        return [each.content for each in newest_first][:_MOST_BLOCKS]


def _room(meeting: Meeting) -> str | None:
    """The room whose meetings are a series; None for a meeting without one."""
    return meeting.opened.room if meeting.opened is not None else None
