"""What can happen to a meeting. Past tense, frozen, self-contained: the record is made of these.

The same events in the same order give the same meeting, so an event carries everything that the
fold needs: times, ids, and whatever an LLM or a clock said. `encode`/`decode` are the only way to
and from storage; a kind that changes its shape gets a higher `VERSION` and an upcast in `decode`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field, TypeAdapter

from context.corrections import Fix
from context.decided import ConsentTold, Erased, ParticipantInformed
from context.models import Frozen, GapReason, Invocation, PromptRecord, Reply, Summary, Utterance

VERSION: Final = 1


class InputPosition(Frozen):
    """How far one input stream has been read, e.g. a Redis stream id."""

    stream: str
    position: str


class MeetingOpened(Frozen):
    """First event of every record."""

    kind: Literal["meeting_opened"] = "meeting_opened"
    meeting_id: str
    room: str | None = None
    title: str | None = None
    language: str = "auto"
    topics_beside: bool = False
    """Unannounced changes of topic are found beside the fold and come as `TopicsScored`. Without (older
    records, and whoever carries out no effects) the fold finds them itself, at its own cost."""


class MeetingStarted(Frozen):
    """The first human was seen: the zero of meeting time. A second one changes nothing."""

    kind: Literal["meeting_started"] = "meeting_started"
    at: AwareDatetime


class ParticipantJoined(Frozen):
    """A human came in, or came back."""

    kind: Literal["participant_joined"] = "participant_joined"
    participant_id: str
    name: str
    at_ms: int


class ParticipantLeft(Frozen):
    """A human has left the meeting."""

    kind: Literal["participant_left"] = "participant_left"
    participant_id: str
    at_ms: int


class UtteranceSpoken(Frozen):
    """One finished turn. `track_end_ms` says how far its track has been transcribed."""

    kind: Literal["utterance_spoken"] = "utterance_spoken"
    key: str
    """Unique to this turn in this meeting: the same key twice counts once."""
    speaker_id: str
    speaker_name: str
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None = None
    language: str | None = None
    source: tuple[int, int] | None = None
    times_derived: bool = False
    """The input gave no times: these come from a speaking rate."""
    track_id: str | None = None
    track_end_ms: int | None = None
    speech_ms: int | None = None
    """What the voice detector called speech in the stretch it was heard in; the text may be shorter."""
    position: InputPosition | None = None


def spoken(said: Utterance, key: str) -> UtteranceSpoken:
    """The event that such an utterance comes from."""
    told = said.model_dump(include=UtteranceSpoken.model_fields.keys() - {"key"})
    return UtteranceSpoken(key=key, **told)


class InputRead(Frozen):
    """An entry that left nothing behind (malformed, interim, repeated) was passed; or an order was obeyed."""

    kind: Literal["input_read"] = "input_read"
    position: InputPosition
    order: str | None = None
    """The id of the order: put again, it is not obeyed again."""


class GapNoted(Frozen):
    """Sound of a participant that will never become text."""

    kind: Literal["gap_noted"] = "gap_noted"
    participant_id: str
    start_ms: int
    end_ms: int
    reason: GapReason
    track_id: str | None = None
    track_end_ms: int | None = None


class SpeechWordless(Frozen):
    """A stretch that was taken for speech and held no words: its track has been transcribed up to its end."""

    kind: Literal["speech_wordless"] = "speech_wordless"
    participant_id: str
    start_ms: int
    end_ms: int
    track_id: str
    track_end_ms: int


class TrackEnded(Frozen):
    """One holder's listening to a track is over, and its last words are told."""

    kind: Literal["track_ended"] = "track_ended"
    participant_id: str
    track_id: str
    sound_ms: int
    """Sound that came, digital silence apart."""


class TopicJudged(Frozen):
    """An LLM's (or encoder's) verdict on a suspected change of topic at `at_utterance`."""

    kind: Literal["topic_judged"] = "topic_judged"
    at_utterance: int
    changed: bool
    name: str | None = None
    confidence: float = 0.0
    reason: str = ""
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to a model for it."""


class FoundBoundary(Frozen):
    """An utterance at which a topic likely begins, whatever the open topic is."""

    at: int
    kind: Literal["cue", "drop", "suspicion"]
    """`cue`: an announcing word stands near it; `drop`: none; `suspicion`: only a judge may tell."""
    shortest: int
    """A topic that ends there has at least so many utterances."""
    raised: bool = False
    """Somebody brings a matter up with this very utterance: it is what names the topic."""


class TopicsScored(Frozen):
    """What was found beside the fold once utterance `heard` had been heard; nothing found is no event."""

    kind: Literal["topics_scored"] = "topics_scored"
    heard: int
    found: tuple[FoundBoundary, ...] = ()
    """In order."""
    rest: bool = False
    """The meeting closes: this is all that was still undecided, be it nothing."""


UpdateReason = Literal["topic_change", "turn_limit", "time_limit", "closing", "correction"]


class SummaryStarted(Frozen):
    """A summary job is under way: its row is IN_PROGRESS from here to `SummaryReady` or `SummaryFailed`.

    The fold knows its jobs without it. It is recorded so that whoever looks from outside sees the job,
    and started again (same topic, same version) by whoever takes the meeting over.
    """

    kind: Literal["summary_started"] = "summary_started"
    topic_id: str
    version: int
    reason: UpdateReason
    covered_until: int
    turns: int
    """Utterances that it folds in."""
    tokens: int
    """Of those utterances."""
    at_ms: int


class SummaryReady(Frozen):
    """A summary job has come back: `content` covers its topic up to `covered_until`."""

    kind: Literal["summary_ready"] = "summary_ready"
    topic_id: str
    version: int
    reason: UpdateReason
    covered_until: int
    content: Summary
    engine: str
    topic_name: str | None = None
    """A better name for the topic, where the engine found one."""
    latency_ms: int = 0
    tokens: int = 0
    """Of the summary's text."""
    carried_decisions: int = 0
    """So many decisions of the last version stand unchanged before those of `content`, not repeated."""
    carried_pending: int = 0
    """The same of its pending items."""
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to models for it."""


class SummaryFailed(Frozen):
    """A summary job gave nothing; the last completed one stands, the next trigger retries."""

    kind: Literal["summary_failed"] = "summary_failed"
    topic_id: str
    version: int
    error: str
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to models for nothing."""


class QuestionAsked(Frozen):
    """Somebody has asked the agent something; the answer comes as an event of its own."""

    kind: Literal["question_asked"] = "question_asked"
    invocation: Invocation
    position: InputPosition | None = None


class AnswerGiven(Frozen):
    """The agent's answer is out."""

    kind: Literal["answer_given"] = "answer_given"
    reply: Reply


class AnswerDropped(Frozen):
    """An invocation ends without an answer."""

    kind: Literal["answer_dropped"] = "answer_dropped"
    invocation_id: str
    why: Literal["superseded", "cancelled", "failed"]
    at_ms: int


class ThreadTuned(Frozen):
    """The agent's thread is kept differently from here on; None leaves a setting as it is."""

    kind: Literal["thread_tuned"] = "thread_tuned"
    by: str = ""
    """Who wished so; "" for the process's own settings."""
    enabled: bool | None = None
    threshold: int | None = Field(default=None, ge=1)
    recent_messages: int | None = Field(default=None, ge=0)
    share_tokens: int | None = Field(default=None, ge=1)
    compression_rate: float | None = Field(default=None, ge=0.1, le=0.5)
    position: InputPosition | None = None


class ThreadSummaryStarted(Frozen):
    """An attempt at a summary of the thread is under way: a row of seed 003's `conversation_summaries`.

    Recorded before the work, and again by whoever takes the meeting over: the attempt of the holder that is
    gone is superseded then. A row's id is made of the conversation's, its version and its attempt.
    """

    kind: Literal["thread_summary_started"] = "thread_summary_started"
    version: int
    attempt: int
    """At this version, from 1."""
    covered_until_message_id: str
    covered_message_count: int
    """Messages covered when it completes, those of the summaries before it included."""
    covered_token_count: int
    """Of those messages."""
    at_ms: int = 0


class ThreadSummaryReady(Frozen):
    """A summary of the thread's `turns` has come back; of turns summarised before: they become one."""

    kind: Literal["thread_summary_ready"] = "thread_summary_ready"
    version: int
    turns: tuple[int, ...]
    text: str
    original_chars: int
    compression_rate: float
    engine: str
    latency_ms: int = 0
    at_ms: int = 0
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to models for it."""


class ThreadSummaryFailed(Frozen):
    """A summary of the thread gave nothing; it is tried again when the next turn ends."""

    kind: Literal["thread_summary_failed"] = "thread_summary_failed"
    version: int
    error: str
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to models for nothing."""


class RecordingPaused(Frozen):
    """From here on nothing is heard, by somebody's wish."""

    kind: Literal["recording_paused"] = "recording_paused"
    by: str
    at_ms: int
    off_the_record: bool = False
    """What is said now is meant for nobody who is not there; else the record merely rests."""


class RecordingResumed(Frozen):
    """The record goes on after a pause: what is said from `at_ms` on counts again."""

    kind: Literal["recording_resumed"] = "recording_resumed"
    by: str
    at_ms: int


class ClosingRequested(Frozen):
    """Everybody has left: the open topic is to be summarised. The meeting may still go on."""

    kind: Literal["closing_requested"] = "closing_requested"
    at_ms: int


class Corrected(Frozen):
    """Somebody put something right. The same id twice counts once."""

    kind: Literal["corrected"] = "corrected"
    id: str
    by: str
    """Who, as they call themselves."""
    at_ms: int
    fix: Fix
    position: InputPosition | None = None


class MeetingEnded(Frozen):
    """Nothing follows this but summaries, what people put right, and what they have erased."""

    kind: Literal["meeting_ended"] = "meeting_ended"
    at_ms: int
    reason: str


CourseEvent = (
    MeetingOpened
    | MeetingStarted
    | ParticipantJoined
    | ParticipantLeft
    | ParticipantInformed
    | ConsentTold
    | RecordingPaused
    | RecordingResumed
    | ClosingRequested
    | MeetingEnded
)
"""Who is there, and whether it is on."""
SpeechEvent = UtteranceSpoken | InputRead | GapNoted | SpeechWordless | TrackEnded
"""What was heard, and what was not."""
TopicEvent = TopicJudged | TopicsScored | SummaryStarted | SummaryReady | SummaryFailed
"""What was worked out beside the fold: where topics change, and what was said on them."""
AgentEvent = (
    QuestionAsked
    | AnswerGiven
    | AnswerDropped
    | ThreadTuned
    | ThreadSummaryStarted
    | ThreadSummaryReady
    | ThreadSummaryFailed
)
"""What the agent was asked, what it said, how its thread is kept."""
Event = Annotated[
    CourseEvent | SpeechEvent | TopicEvent | AgentEvent | Corrected | Erased, Field(discriminator="kind")
]

_ADAPTER: Final[TypeAdapter[Event]] = TypeAdapter(Event)


def encode(event: Event) -> dict[str, Any]:
    """The JSON-able payload of an event, `kind` included, defaults left out."""
    return {"kind": event.kind, **event.model_dump(mode="json", exclude_defaults=True)}


def decode(payload: dict[str, Any], version: int = VERSION) -> Event:
    """The event of a payload; old versions are upcast here. Raises `ValueError` on a foreign shape."""
    if version > VERSION:
        raise ValueError(f"event version {version} is newer than this worker's {VERSION}: update the worker")
    return _ADAPTER.validate_python(payload)
