"""The state of one meeting, as others read it; `context.fold.meeting` folds events into it."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final

from context.budgets.sent import SentPrompts
from context.config import ContextConfig
from context.events.corrections import Corrections
from context.events.erasure_target import Erasure
from context.events.events import MeetingEnded, MeetingOpened
from context.fold.topic_changes import TopicChanges
from context.fold.topic_summaries import Summaries
from context.fold.window import RoughTokenizer, Window, restamp
from context.language.korean import language_shown
from context.models import Gap, Reply, TopicSegment, Utterance
from context.people.attendance import Attendance, Coverage
from context.people.speech_ledger import SpeechLedger
from context.ports import Tokenizer
from context.primitives.undated import dated
from context.primitives.values import changed
from context.speaker_context import SpeakerContext
from context.thread.invocations import Invocations
from context.thread.thread import Thread
from context.topics.topics import Topics

_LANGUAGE_UTTERANCES: Final = 5
"""So many of the last utterances tell which language people speak; those erased do not count."""


class MeetingState:
    """The archive of utterances, and all other state, which is small (see `context.fold.snapshot`)."""

    def __init__(
        self,
        meeting_id: str,
        config: ContextConfig | None = None,
        *,
        tokenizer: Tokenizer | None = None,
        judge: bool = False,
    ) -> None:
        """`judge`: whether somebody carries out `JudgeTopic`; else suspicions are decided without a model.

        `tokenizer`: counts for windows and thread; by default roughly (`RoughTokenizer`).
        """
        self.meeting_id = meeting_id
        self.config = config or ContextConfig()
        self.tokenizer: Tokenizer = tokenizer or RoughTokenizer()
        self.judge = judge
        self.opened: MeetingOpened | None = None
        self.started_at: datetime | None = None
        self.closing = False
        self.ended: MeetingEnded | None = None
        self.utterances: list[Utterance] = []
        """The archive: all utterances, number n at index n-1."""
        self.late: list[int] = []
        """The utterances that were recognised only afterwards."""
        self.attendance = Attendance(self.config.agent_names)
        self.coverage = Coverage()
        self.speech = SpeechLedger()
        """Per participant: how much speech was heard, and what became of it."""
        self._speakers = self.nobody_counted(self.utterances)
        self.topics = Topics()
        self.changes = TopicChanges(self)
        self.summaries = Summaries(self)
        self.invocations = Invocations()
        self.thread = Thread(meeting_id, self.tokenizer)
        self.prompts = SentPrompts()
        """The prompts that were sent to models for this meeting, added up."""
        self.last_summarised: int | None = None
        """Id of the last utterance that a summary covers; None before the first."""
        count = lru_cache(maxsize=2)(self.tokenizer.count)  # both windows show the newest utterance
        timestamps = self.config.l0_include_timestamps
        turns, tokens = self.config.l0_max_turns, self.config.l0_max_tokens
        self.window = Window(count, timestamps=timestamps, max_turns=turns, max_tokens=tokens)
        turns, tokens = self.config.l0_topic_buffer_max_turns, self.config.l0_topic_buffer_max_tokens
        self.buffer = Window(count, timestamps=timestamps, max_turns=turns, max_tokens=tokens)
        self.corrections = Corrections()
        self.heard_from: dict[int, str] = {}
        """Utterance id → id of who it was heard from, where corrections say that another one spoke."""
        self.erasures: list[Erasure] = []
        """The marks of what was erased, in order."""
        self.keys: dict[str, None] = {}
        """Keys of all utterances; as a dict, because a set of so many takes four times the room."""

    @property
    def current_topic(self) -> str:
        """Name of the open topic."""
        return self.topics.current_name

    @property
    def segments(self) -> list[TopicSegment]:
        """All topics in order, the open one last."""
        return self.topics.segments

    @property
    def speakers(self) -> SpeakerContext:
        """The speakers' statistics, counted up to the newest utterance whenever somebody asks for them."""
        self._speakers.catch_up()
        return self._speakers

    def nobody_counted(self, archive: list[Utterance]) -> SpeakerContext:
        """The statistics of these utterances, before the first is counted."""
        most = self.config.speaker_buffer_max_per_speaker
        return SpeakerContext(most, self.config.agent_names, self._announced, archive)

    def _announced(self) -> list[tuple[str, int]]:
        """(speaker, utterance) of each topic after the first that somebody announced."""
        starts = (segment.start_utterance_id for segment in self.segments[1:] if segment.reason == "keyword")
        return [(self.utterances[start - 1].speaker_id, start) for start in starts]

    @property
    def heard_until_ms(self) -> int:
        """The end of what was heard last in its turn, in meeting time; 0 before anything was."""
        return next((utterance.end_ms for utterance in reversed(self.utterances) if not utterance.late), 0)

    def catch_up(self) -> None:
        """Count speakers and tokens up to the newest utterance.

        The state is the same whenever that is done. Done between utterances, it delays none of them.
        """
        self._speakers.catch_up()
        self.window.count()
        self.buffer.count()

    def restamp(self, since: int) -> None:
        """Show the utterances from `since` on as in the archive, in the windows."""
        shown = self.window.utterances[-1].id if self.window.utterances else 0
        if since <= shown:  # the one that is being folded follows
            for window in (self.window, self.buffer):
                restamp(window.utterances, self.utterances, since)

    def show_corrected(self, since: int) -> None:
        """Apply the corrections to the archive from utterance `since` on, and to all that shows it."""
        people, fixes = self.attendance.people, self.corrections
        moved = bool(fixes.speakers or fixes.merged)
        renamed = any(person.one_name for person in people.values())
        if not fixes.words and not moved and not renamed:
            return
        self.catch_up()  # speakers are counted by what was heard
        for place in range(since - 1, len(self.utterances)):
            utterance = fixes.overlay(self.utterances[place])
            speaker = self.shown_speaker(utterance.id, self.spoken_by(utterance), utterance.start_ms)
            name = self.attendance.name_of(speaker)
            if speaker == utterance.speaker_id and not (speaker in people and people[speaker].one_name):
                name = utterance.speaker_name
            if (speaker, name) != (utterance.speaker_id, utterance.speaker_name):
                if speaker != utterance.speaker_id:
                    self.heard_from.setdefault(utterance.id, utterance.speaker_id)
                utterance = changed(utterance, {"speaker_id": speaker, "speaker_name": name})
            self.utterances[place] = utterance
        for who, person in people.items():
            if person.earlier_names:
                self._speakers.called(who, person.name)
        if moved:
            self.count_speakers_anew()
        self.show_anew()

    def count_speakers_anew(self) -> None:
        """Count the speakers once more, by what the archive shows now."""
        self._speakers = self.nobody_counted(self.utterances)
        self._speakers.catch_up()

    def show_anew(self) -> None:
        """Show the utterances in the windows as in the archive, where texts have changed, and count these."""
        self.window.refresh(self.utterances)
        self.buffer.refresh(self.utterances)

    def moment(self, at_ms: int) -> datetime | None:
        """The wall-clock time of a moment in meeting time; None while no date is known."""
        return dated(moment_of(self.started_at, at_ms)) if self.started_at is not None else None

    @property
    def gaps(self) -> list[Gap]:
        """The stretches that were not heard."""
        return self.coverage.gaps

    @property
    def replies(self) -> list[Reply]:
        """The agent's replies in order, private ones included."""
        return self.invocations.replies

    @property
    def paused(self) -> bool:
        """Whether the record is paused now."""
        return self.coverage.paused

    @property
    def language(self) -> str:
        """The language that the meeting was opened with: `ko`, `en` or `auto`."""
        return self.opened.language if self.opened else "auto"

    @property
    def spoken_language(self) -> str:
        """`ko` or `en`, as was said last, or else asked; where neither shows one, `language`."""
        texts = islice(
            (utterance.text for utterance in reversed(self.utterances) if utterance.text),
            _LANGUAGE_UTTERANCES,
        )
        asked = (language_shown(turn.question.content) for turn in reversed(self.thread.turns))
        return language_shown(" ".join(texts)) or next(filter(None, asked), self.language)

    @property
    def topics_beside(self) -> bool:
        """Whether unannounced changes of topic are found beside the fold (`MeetingOpened.topics_beside`)."""
        return self.opened is not None and self.opened.topics_beside

    def shown_speaker(self, number: int, spoken_by: str, start_ms: int) -> str:
        """Id of the participant under whom an utterance is shown: corrected, and merged, if need be.

        Nothing that was said after somebody's no to being heard is put under them.
        """
        speaker = self.corrections.speaker_of(number, spoken_by)
        if speaker != spoken_by and self.attendance.refused(speaker, start_ms):
            return spoken_by
        return speaker

    def spoken_by(self, utterance: Utterance) -> str:
        """Id of who spoke one of its utterances, whomever it is shown under."""
        return self.heard_from.get(utterance.id, utterance.speaker_id)

    def knows(self, key: str) -> bool:
        """Whether an utterance with this key was folded."""
        return key in self.keys


def moment_of(start: datetime, offset_ms: int) -> datetime:
    """`start` + `offset_ms`; `start` itself where a `datetime` cannot hold the sum."""
    try:
        return start + timedelta(milliseconds=offset_ms)
    except OverflowError:
        return start
