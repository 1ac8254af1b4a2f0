"""What is known of one meeting, and how others look at it; `context.meeting` folds events into it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

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
from context.topics.topics import Topics
from context.values import changed
from context.window import LineCounter, RoughTokenizer, Window


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
        """As `Meeting`."""
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
        self.summaries = Summaries(self.config, self.topics.standing)
        self.invocations = Invocations()
        self.thread = Thread(meeting_id, self.tokenizer)
        self.prompts = SentPrompts()
        """What models were sent for this meeting: the budgets' tracker is filled from it."""
        self.last_summarised: int | None = None
        counter = LineCounter(self.tokenizer, timestamps=self.config.l0_include_timestamps)
        self.window = Window(
            counter, max_turns=self.config.l0_max_turns, max_tokens=self.config.l0_max_tokens
        )
        self.buffer = Window(
            counter,
            max_turns=self.config.l0_topic_buffer_max_turns,
            max_tokens=self.config.l0_topic_buffer_max_tokens,
        )
        self.corrections = Corrections()
        self.erasures: list[Erasure] = []
        """What was taken out, in order: the marks that stay."""
        self._keys: dict[str, None] = {}
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
            self.window.restamp(self.utterances, since)
            self.buffer.restamp(self.utterances, since)
            self._speakers.restamp(self.utterances, since)

    def show_corrected(self, since: int) -> None:
        """Put what people put right in the place of what was heard, from utterance `since` on."""
        named = {id_: person.name for id_, person in self.attendance.people.items() if person.named}
        fixes = self.corrections
        moved = bool(fixes.speakers or fixes.merged)
        if not named and not fixes.words and not moved:
            return
        self.catch_up()  # speakers are counted by what was heard
        for place in range(since - 1, len(self.utterances)):
            said = fixes.overlay(self.utterances[place])
            speaker = fixes.speaker_of(said)
            known = named.get(speaker, said.speaker_name)
            name = known if speaker == said.speaker_id else self.attendance.name_of(speaker)
            if (speaker, name) != (said.speaker_id, said.speaker_name):
                said = changed(said, {"speaker_id": speaker, "speaker_name": name})
            self.utterances[place] = said
        if moved:
            self._speakers = self._nobody_counted()
            self.counted = 0
            self.catch_up()
        self._speakers.restamp(self.utterances, since)
        self.window.recount(self.utterances)
        self.buffer.recount(self.utterances)

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
    def positions(self) -> dict[str, str]:
        """Input stream → the last entry read."""
        return self.coverage.positions

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
        return key in self._keys

    def remember_keys(self, keys: Sequence[str]) -> None:
        """Utterance keys that count as known."""
        self._keys.update(dict.fromkeys(keys))


def moment_of(start: datetime, offset_ms: int) -> datetime:
    """`start` + `offset_ms`, kept within what a `datetime` can say."""
    try:
        return start + timedelta(milliseconds=offset_ms)
    except OverflowError:
        return start
