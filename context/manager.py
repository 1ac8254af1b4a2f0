"""`ContextManager`: the memory of one meeting under the names of seed 000 (§10.2.3), around the fold.

Its session folds events by `receive`, carries out the effects and keeps the record. What stands alone, by the
seed's `add_utterance`, is `context.seeds.StandaloneManager`.
"""

from __future__ import annotations

from collections import deque

from context.config import ContextConfig
from context.events.effects import Effect
from context.events.events import Event
from context.fold.meeting import Meeting
from context.models import TopicSegment, Utterance
from context.retrieval.lexical import LexicalIndex
from context.speaker_context import SpeakerContext


class ContextManager:
    """The memory of one meeting, under seed 000's names; the state itself is in `meeting`."""

    def __init__(
        self, meeting_id: str, config: ContextConfig | None = None, *, meeting: Meeting | None = None
    ) -> None:
        """`meeting`: one that was restored already."""
        self.meeting_id = meeting_id
        self.config = config or ContextConfig()
        self.meeting = meeting or Meeting(meeting_id, self.config)
        self.index = LexicalIndex()
        """Index of the utterances' words, as far as `index_more` has come; no part of the state."""
        self._indexed_changes = (0, 0)
        """Erasures and corrections that the index knows of; after a further one it is made anew."""

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

    def get_l0_utterances(self, limit: int | None = None) -> list[Utterance]:
        """The newest utterances of the L0 window, at most `limit`; None: all of them."""
        utterances = list(self.l0_buffer)
        return utterances if limit is None else utterances[max(0, len(utterances) - max(0, limit)) :]

    def get_topic_utterances(self) -> list[Utterance]:
        """Seed 000's method: a copy of `l0_topic_buffer`."""
        return list(self.l0_topic_buffer)

    def get_l1_segments(self) -> list[TopicSegment]:
        """Seed 000's method: a copy of `l1_segments`."""
        return list(self.l1_segments)

    # The session's way

    def receive(self, event: Event) -> list[Effect]:
        """Fold one event; the caller records it and carries out the effects that are returned."""
        return self.meeting.receive(event)

    def index_more(self, most: int) -> bool:
        """Add the next utterances, at most `most`, to the index; False where it is up to date."""
        changes = len(self.meeting.erasures), self.meeting.corrections.revision
        if self._indexed_changes != changes:
            self.index, self._indexed_changes = LexicalIndex(), changes
        news = self.meeting.utterances[len(self.index) : len(self.index) + most]
        for utterance in news:
            self.index.add(utterance)
        return bool(news)
