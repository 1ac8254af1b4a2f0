"""`ContextManager`: the memory of one meeting under the names of seed 000 (§10.2.3), around the fold.

The session of a worker uses `receive` and `meeting`, and carries out the effects itself. Whoever uses
the seed's interface instead (`add_utterance`) gets a manager that stands alone: summaries are written
at once by the extractive engine, and the record, where a store is given, is kept by `_sync_to_db`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from context import snapshot
from context.config import ContextConfig
from context.effects import Effect, ScoreTopics, Summarise
from context.events import Event, MeetingStarted, spoken
from context.meeting import Meeting
from context.meeting_state import moment_of
from context.models import TopicSegment, Utterance
from context.ports import LanguageModel, MeetingStore, RecordedEvent, Snapshot, Tokenizer
from context.retrieval.lexical import LexicalIndex
from context.speaker_context import SpeakerContext
from context.text import cleaned
from context.topic_detector import TopicDetector
from context.topic_events import SummaryReady


class ContextManager:
    """The memory of one meeting, under seed 000's names; the state itself is in `meeting`."""

    def __init__(
        self,
        meeting_id: str,
        config: ContextConfig | None = None,
        *,
        store: MeetingStore | None = None,
        epoch: int = 0,
        tokenizer: Tokenizer | None = None,
        judge: bool = False,
        llm: LanguageModel | None = None,
        meeting: Meeting | None = None,
    ) -> None:
        """`meeting`: one that was restored already. `judge`: whether the caller carries out `JudgeTopic`.

        `store`, `epoch`: where, and as which holder, a standalone manager keeps the record. `llm` is for
        `topic_detector` alone.
        """
        self.meeting_id = meeting_id
        self.config = config or ContextConfig()
        self.meeting = meeting or Meeting(meeting_id, self.config, tokenizer=tokenizer, judge=judge)
        self.seq = 0
        """Number of the newest event that was folded; 0 before the first."""
        self.index = LexicalIndex()
        """Index of the utterances' words, as far as `index_more` has come; no part of the state."""
        self._indexed_changes = (0, 0)
        """Erasures and corrections that the index knows of; after a further one it is made anew."""
        self.unsynced: list[RecordedEvent] = []
        """Events of a standalone manager that the store does not have yet."""
        self._store = store
        self._epoch = epoch
        self._tokenizer = tokenizer
        self._judge = judge
        self._llm = llm
        self._snapshot_at = 0

    # The seed's names

    @property
    def l0_buffer(self) -> deque[Utterance]:
        """The newest utterances, oldest first."""
        return self.meeting.window.utterances

    @property
    def l0_topic_buffer(self) -> deque[Utterance]:
        """The open topic's utterances that are kept raw, oldest first."""
        return self.meeting.buffer.utterances

    @property
    def l1_segments(self) -> list[TopicSegment]:
        """Topics that are closed or have a summary, in order."""
        return [s for s in self.meeting.segments if s.closed or s.version > 0]

    @property
    def current_topic(self) -> str:
        """Name of the open topic; "Intro" at first."""
        return self.meeting.current_topic

    @property
    def speaker_context(self) -> SpeakerContext:
        """The statistics and roles of the meeting's speakers."""
        return self.meeting.speakers

    @property
    def topic_detector(self) -> TopicDetector:
        """Seed 000's detector with this meeting's settings, for whoever asks it; the fold does not."""
        return TopicDetector(self.config, self._llm)

    @property
    def _last_summarized_utterance_id(self) -> int | None:
        return self.meeting.last_summarised

    def get_l0_utterances(self, limit: int | None = None) -> list[Utterance]:
        """The newest utterances of the L0 window, at most `limit`; None: all of them."""
        utterances = list(self.l0_buffer)
        return utterances if limit is None else utterances[max(0, len(utterances) - max(0, limit)) :]

    def get_topic_utterances(self) -> list[Utterance]:
        """A copy of `l0_topic_buffer`."""
        return list(self.l0_topic_buffer)

    def get_l1_segments(self) -> list[TopicSegment]:
        """A copy of `l1_segments`."""
        return list(self.l1_segments)

    # The session's way

    def receive(self, event: Event) -> list[Effect]:
        """Fold one event; the caller records it and carries out the effects that are returned."""
        self.seq += 1
        return self.meeting.receive(event)

    # The standalone way

    async def add_utterance(self, utterance: Utterance) -> None:
        """Fold one utterance, whose id is assigned here, and write at once the summaries that it makes due.

        With a store it is synced every `db_sync_utterance_threshold` utterances. Raises as the store does.
        """
        if self.meeting.started_at is None:
            moment = utterance.absolute_timestamp.astimezone(UTC)
            self._fold(MeetingStarted(at=moment_of(moment, -utterance.start_ms)))
        number = len(self.meeting.utterances) + 1
        self._fold(spoken(utterance, utterance.key or f"{self.meeting_id}:{number}"))
        said = len(self.meeting.utterances) - self._snapshot_at
        if self._store is not None and said >= self.config.db_sync_utterance_threshold:
            await self._sync_to_db()

    def _fold(self, event: Event) -> None:
        event = cleaned(event)
        effects = self.receive(event)
        self.unsynced.append(RecordedEvent(seq=self.seq, event=event))
        for effect in effects:
            if isinstance(effect, Summarise):
                self._fold(_summarised(effect, self.config.agent_names))
            elif isinstance(effect, ScoreTopics):
                for found in self.meeting.changes.score():
                    if found is not None:
                        self._fold(found)

    # The record

    async def restore_from_db(self) -> bool:
        """Take up the meeting where the store's record ends; False where it has none, or there is no store.

        Raises as `MeetingStore.load`.
        """
        stored = None if self._store is None else await self._store.load(self.meeting_id)
        if stored is None:
            return False
        self.seq = 0
        meeting = Meeting(self.meeting_id, self.config, tokenizer=self._tokenizer, judge=self._judge)
        if stored.snapshot is not None:
            self.seq = stored.snapshot.seq
            snapshot.load(meeting, dict(stored.snapshot.state), stored.utterances)
        self.meeting, self.index, self.unsynced = meeting, LexicalIndex(), []
        for recorded in stored.events:
            meeting.receive(recorded.event)
            self.seq = recorded.seq
        self._snapshot_at = len(meeting.utterances)
        return True

    def index_more(self, most: int) -> bool:
        """Add the next utterances, at most `most`, to the index; False where it is up to date."""
        changes = len(self.meeting.erasures), self.meeting.corrections.revision
        if self._indexed_changes != changes:
            self.index, self._indexed_changes = LexicalIndex(), changes
        news = self.meeting.utterances[len(self.index) : len(self.index) + most]
        for utterance in news:
            self.index.add(utterance)
        return bool(news)

    def snapshot(self) -> Snapshot:
        """A snapshot of the state after the newest event."""
        return Snapshot(seq=self.seq, state=self.meeting.snapshot())

    async def _sync_to_db(self) -> None:
        """Append what the store lacks, then a snapshot. Raises as the store does; nothing is lost then."""
        if self._store is None:
            return
        if batch := list(self.unsynced):
            await self._store.append(self.meeting_id, self._epoch, batch)
            del self.unsynced[: len(batch)]
        await self._store.save_snapshot(self.meeting_id, self._epoch, self.snapshot())
        self._snapshot_at = len(self.meeting.utterances)


def _summarised(effect: Summarise, wake_words: Sequence[str]) -> SummaryReady:
    from context.plain.door import summarise

    content: Any = summarise(
        effect.topic.notes,
        effect.utterances,
        before=effect.before,
        standing=effect.standing,
        wake_words=wake_words,
    )
    return SummaryReady(
        topic_id=effect.topic.id,
        version=effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        content=content,
        engine="extractive",
    )
