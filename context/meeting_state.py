"""What is known of one meeting, and how others look at it; `context.meeting` folds events into it."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from context.attendance import Attendance, Coverage
from context.budgets.sent import SentPrompts
from context.config import ContextConfig
from context.corrections import Corrections
from context.erasure.target import Erasure
from context.events import MeetingEnded, MeetingOpened
from context.invocations import Invocations
from context.models import Gap, Reply, TopicSegment, Utterance
from context.ports import Tokenizer
from context.speaker_context import SpeakerContext
from context.speech_ledger import SpeechLedger
from context.summaries import Summaries
from context.thread.thread import Thread
from context.topics.topic_changes import TopicChanges
from context.topics.topics import Topics
from context.values import changed
from context.window import RoughTokenizer, Window, restamp


class MeetingState:
    """The archive of utterances, and everything else, which is small (see `context.snapshot`)."""

    def __init__(
        self,
        meeting_id: str,
        config: ContextConfig | None = None,
        *,
        tokenizer: Tokenizer | None = None,
        judge: bool = False,
    ) -> None:
        """`judge`: whether somebody carries out `JudgeTopic`; without, cheap evidence decides alone."""
        self.meeting_id = meeting_id
        self.config = config or ContextConfig()
        self.tokenizer: Tokenizer = tokenizer or RoughTokenizer()
        self.judge = judge
        self.opened: MeetingOpened | None = None
        self.started_at: datetime | None = None
        self.closing = False
        self.ended: MeetingEnded | None = None
        self.utterances: list[Utterance] = []
        """The archive: utterance n at index n-1."""
        self.attendance = Attendance()
        self.coverage = Coverage()
        self.speech = SpeechLedger()
        """Per participant: how much was heard, and what became of it."""
        self.counted = 0
        """Utterances that are counted in `speakers`."""
        self._speakers = self._nobody_counted()
        self.topics = Topics()
        self.changes = TopicChanges(self)
        self.summaries = Summaries(self)
        self.invocations = Invocations()
        self.thread = Thread(meeting_id, self.tokenizer)
        self.prompts = SentPrompts()
        """What models were sent for this meeting: the budgets' tracker is filled from it."""
        self.last_summarised: int | None = None
        count = lru_cache(maxsize=2)(self.tokenizer.count)  # both windows show the newest utterance
        timestamps = self.config.l0_include_timestamps
        turns, tokens = self.config.l0_max_turns, self.config.l0_max_tokens
        self.window = Window(count, timestamps=timestamps, max_turns=turns, max_tokens=tokens)
        turns, tokens = self.config.l0_topic_buffer_max_turns, self.config.l0_topic_buffer_max_tokens
        self.buffer = Window(count, timestamps=timestamps, max_turns=turns, max_tokens=tokens)
        self.corrections = Corrections()
        self.erasures: list[Erasure] = []
        """What was taken out, in order: the marks that stay."""
        self.keys: dict[str, None] = {}
        """Of all utterances. A set of so many takes four times the room."""

    @property
    def current_topic(self) -> str:
        """Name the open topic."""
        return self.topics.current_name

    @property
    def segments(self) -> list[TopicSegment]:
        """All topics in order, the open one last."""
        return self.topics.segments

    @property
    def speakers(self) -> SpeakerContext:
        """Who speaks how much, asks and answers; whoever looks first has it counted up to the newest."""
        if self.counted < len(self.utterances):
            self.catch_up()
        return self._speakers

    def _nobody_counted(self) -> SpeakerContext:
        return SpeakerContext(
            self.config.speaker_buffer_max_per_speaker, self.config.agent_names, self._announced
        )

    def _announced(self) -> list[tuple[str, int]]:
        """Who announced which topics, behind the first, and in which utterance."""
        starts = (segment.start_utterance_id for segment in self.segments[1:] if segment.reason == "keyword")
        return [(self.utterances[start - 1].speaker_id, start) for start in starts]

    def catch_up(self) -> None:
        """Count what nobody has looked at yet, speakers and tokens: beside the fold, it costs no utterance.

        The state is the same whenever that happens; it only saves whoever looks first the time.
        """
        while self.counted < len(self.utterances):
            self.counted += 1
            self._speakers.add_utterance(self.utterances[self.counted - 1])
        self.window.count()
        self.buffer.count()

    def restamp(self, since: int) -> None:
        """Show the utterances from `since` on as the archive has them now, wherever they are shown."""
        shown = self.window.utterances[-1].id if self.window.utterances else 0
        if since <= shown:  # the one that is being folded follows
            for window in (self.window, self.buffer):
                restamp(window.utterances, self.utterances, since)
            for buffer in self._speakers.speaker_buffers.values():
                restamp(buffer, self.utterances, since)

    def show_corrected(self, since: int) -> None:
        """Put what people put right in the place of what was heard, from utterance `since` on."""
        people, fixes = self.attendance.people, self.corrections
        moved = bool(fixes.speakers or fixes.merged)
        if not fixes.words and not moved and not any(person.named for person in people.values()):
            return
        self.catch_up()  # speakers are counted by what was heard
        for place in range(since - 1, len(self.utterances)):
            said = fixes.overlay(self.utterances[place])
            speaker = fixes.speaker_of(said)
            name = self.attendance.name_of(speaker)
            if speaker == said.speaker_id and not (speaker in people and people[speaker].named):
                name = said.speaker_name
            if (speaker, name) != (said.speaker_id, said.speaker_name):
                said = changed(said, {"speaker_id": speaker, "speaker_name": name})
            self.utterances[place] = said
        if moved:
            self._speakers, self.counted = self._nobody_counted(), 0
            self.catch_up()
        for buffer in self._speakers.speaker_buffers.values():
            restamp(buffer, self.utterances, since)
        self.window.begin(self.utterances)
        self.buffer.begin(self.utterances)

    def moment(self, at_ms: int) -> datetime | None:
        """The wall clock's time of a moment of the meeting; None before its start is known."""
        return moment_of(self.started_at, at_ms) if self.started_at is not None else None

    @property
    def gaps(self) -> list[Gap]:
        """Give the stretches that were not heard."""
        return self.coverage.gaps

    @property
    def replies(self) -> list[Reply]:
        """What the agent answered, private replies included."""
        return self.invocations.replies

    @property
    def paused(self) -> bool:
        """Whether the record is paused."""
        return self.coverage.paused

    @property
    def language(self) -> str:
        """Tell the meeting's language: `ko`, `en` or `auto`."""
        return self.opened.language if self.opened else "auto"

    @property
    def topics_beside(self) -> bool:
        """Whether changes of topic that nobody announced are found beside the fold."""
        return self.opened is not None and self.opened.topics_beside

    def knows(self, key: str) -> bool:
        """Whether an utterance with this key is on the record."""
        return key in self.keys


def moment_of(start: datetime, offset_ms: int) -> datetime:
    """`start` + `offset_ms`, kept within what a `datetime` can say."""
    try:
        return start + timedelta(milliseconds=offset_ms)
    except OverflowError:
        return start
