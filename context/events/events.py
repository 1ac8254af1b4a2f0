"""The events of a meeting: what can happen to it, as frozen values. The record is made of them.

The same events in the same order give the same meeting, so an event carries everything that the
fold needs: times, ids, and whatever a model or a clock said. Times named `…_ms` are milliseconds of meeting
time. `encode`/`decode` are the only way to and from storage; a kind that changes its shape gets a higher
`VERSION` and an upcast in `context.events.older_records`. Texts are read in their canonical form
(`context.primitives.text`), however an earlier version wrote them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from context.events.corrections import Fix
from context.events.older_records import as_today
from context.events.privacy_events import (
    ConsentTold,
    Erased,
    HiddenWords,
    ParticipantInformed,
    RecordingPaused,
    RecordingResumed,
    WordsShown,
)
from context.events.topic_events import TopicEvent
from context.models import Frozen, GapReason, InputNote, PromptRecord, Reply, Span, Utterance
from context.primitives.text import Id, Name, Prose, cleaned
from context.question import Question

VERSION: Final = 1


class InputPosition(Frozen):
    """How far one input stream has been read, e.g. a Redis stream id."""

    stream: Id
    position: Id


class MeetingOpened(Frozen):
    """The meeting begins to be recorded: the first event of every record."""

    kind: Literal["meeting_opened"] = "meeting_opened"
    meeting_id: Id
    room: Id | None = None
    title: str | None = None
    language: str = "auto"
    """`ko`, `en` or `auto`."""
    topics_beside: bool = False
    """Whether unannounced changes of topic are found beside the fold, and come as `TopicsScored`. Else (in
    older records, and where nobody carries out effects) the fold finds them itself, at its own cost."""


class MeetingStarted(Frozen):
    """The first human was seen: the zero of meeting time. A second one changes nothing."""

    kind: Literal["meeting_started"] = "meeting_started"
    at: AwareDatetime


class ParticipantJoined(Frozen):
    """A human came in, came back, or goes by another name now: the newest name is theirs everywhere."""

    kind: Literal["participant_joined"] = "participant_joined"
    participant_id: Id
    name: Name
    at_ms: int


class ParticipantLeft(Frozen):
    """A human has left the meeting."""

    kind: Literal["participant_left"] = "participant_left"
    participant_id: Id
    at_ms: int


class UtteranceSpoken(Frozen):
    """A speaker has finished a turn, and this is its text."""

    kind: Literal["utterance_spoken"] = "utterance_spoken"
    key: Id
    """Id of this turn within the meeting: a second event with the same key changes nothing."""
    speaker_id: Id
    speaker_name: Name
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None = None
    language: str | None = None
    source: tuple[int, int] | None = None
    """First and last 0-based input line, for text input."""
    times_derived: bool = False
    """Whether the input gave no times: these come from a speaking rate."""
    track_id: Id | None = None
    """The track it was heard on; None for text input."""
    track_end_ms: int | None = None
    """The ms up to which that track has been transcribed with it."""
    speech_ms: int | None = None
    """What the voice detector called speech in the stretch it was heard in; the text may be shorter."""
    position: InputPosition | None = None
    """Where it stood in an input stream, if it came by one."""
    hidden: HiddenWords | None = None
    """Its words, where they are hidden; `text` is empty then."""
    late: bool = False
    """Whether it was recognised only afterwards, out of its turn; so it may come after the meeting's end."""
    doubtful: tuple[Span, ...] = ()
    """Where in the text figures and days stand that the engine did not hear clearly."""


def spoken(said: Utterance, key: str) -> UtteranceSpoken:
    """The event that folds into an utterance like `said`, under this key."""
    told = said.model_dump(include=UtteranceSpoken.model_fields.keys() - {"key", "hidden"})
    return UtteranceSpoken(key=key, **told)


class InputRead(Frozen):
    """An entry of an input stream that needs no other event was read (malformed, interim, or a command)."""

    kind: Literal["input_read"] = "input_read"
    position: InputPosition
    order: Id | None = None
    """The id of the command: under the same id it is not obeyed again."""


class InputNoted(Frozen):
    """A file that was read had something that was dropped, made up or not understood."""

    kind: Literal["input_noted"] = "input_noted"
    note: InputNote


class GapNoted(Frozen):
    """Sound of a participant will never become text; it may have held speech."""

    kind: Literal["gap_noted"] = "gap_noted"
    participant_id: Id
    start_ms: int
    end_ms: int
    reason: GapReason
    track_id: Id | None = None
    track_end_ms: int | None = None
    """The ms up to which that track is settled with it."""
    key: Id | None = None
    """The key of a stretch that waited (`SpeechWaits`) and is lost."""


class SpeechWaits(Frozen):
    """A stretch has no text yet when its holder stops; its sound is kept, and the text comes late.

    An utterance, a gap or a `SpeechWordless` with its key says what became of it.
    """

    kind: Literal["speech_waits"] = "speech_waits"
    key: Id
    participant_id: Id
    start_ms: int
    end_ms: int
    track_id: Id
    track_end_ms: int


class SpeechWordless(Frozen):
    """A stretch was taken for speech and held no words; its track is transcribed up to `track_end_ms`."""

    kind: Literal["speech_wordless"] = "speech_wordless"
    participant_id: Id
    start_ms: int
    end_ms: int
    track_id: Id
    track_end_ms: int
    key: Id | None = None
    """The key of a stretch that waited (`SpeechWaits`)."""


class TrackEnded(Frozen):
    """A holder has stopped listening to a track, after the events of its last words."""

    kind: Literal["track_ended"] = "track_ended"
    participant_id: Id
    track_id: Id
    sound_ms: int
    """How much sound came from it, without digital silence."""


class QuestionAsked(Frozen):
    """Somebody has asked the agent something; its answer is an event of its own."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    kind: Literal["question_asked"] = "question_asked"
    question: Question = Field(alias="invocation")
    """On the record it goes by the name that the contract has for it."""
    position: InputPosition | None = None


class AnswerGiven(Frozen):
    """The agent has answered an invocation."""

    kind: Literal["answer_given"] = "answer_given"
    reply: Reply


class AnswerDropped(Frozen):
    """An invocation ends without an answer."""

    kind: Literal["answer_dropped"] = "answer_dropped"
    invocation_id: Id
    why: Literal["superseded", "cancelled", "failed"]
    at_ms: int


class ThreadTuned(Frozen):
    """The policy by which the agent's thread is kept has changed; None leaves a setting as it is."""

    kind: Literal["thread_tuned"] = "thread_tuned"
    by: str = ""
    """Who asked for it; "" where it comes from the process's settings."""
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
    """Number of the attempt at this version, from 1."""
    covered_until_message_id: Id
    covered_message_count: int
    """Messages covered when it completes, those of the summaries before it included."""
    covered_token_count: int
    """Tokens of those messages."""
    at_ms: int = 0


class ThreadSummaryReady(Frozen):
    """A summary of the thread's `turns` has come back; it replaces the summaries that those had before."""

    kind: Literal["thread_summary_ready"] = "thread_summary_ready"
    version: int
    turns: tuple[int, ...]
    text: Prose
    original_chars: int
    compression_rate: float
    engine: str
    latency_ms: int = 0
    at_ms: int = 0
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent for it."""


class ThreadSummaryFailed(Frozen):
    """A summary of the thread gave nothing; it is tried again when the next turn ends."""

    kind: Literal["thread_summary_failed"] = "thread_summary_failed"
    version: int
    error: str
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent for it, in vain."""


class ClosingRequested(Frozen):
    """The meeting is about to end: all topics are to be summarised. It goes on if somebody joins again."""

    kind: Literal["closing_requested"] = "closing_requested"
    at_ms: int


class Corrected(Frozen):
    """Somebody has corrected something (see `context.events.corrections`)."""

    kind: Literal["corrected"] = "corrected"
    id: Id
    by: Name
    """Who corrected it, for people (`Actor.shown`)."""
    at_ms: int
    fix: Fix
    position: InputPosition | None = None


class MeetingEnded(Frozen):
    """The meeting is over: only summaries, corrections and erasures can follow."""

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
"""Events of who is there, and of the meeting's beginning, pauses and end."""
SpeechEvent = UtteranceSpoken | InputRead | InputNoted | GapNoted | SpeechWaits | SpeechWordless | TrackEnded
"""Events of what was heard, and of what was not."""
AgentEvent = (
    QuestionAsked
    | AnswerGiven
    | AnswerDropped
    | ThreadTuned
    | ThreadSummaryStarted
    | ThreadSummaryReady
    | ThreadSummaryFailed
)
"""Events of the agent: what it was asked, what it said, and how its thread is kept."""
Event = Annotated[
    CourseEvent | SpeechEvent | TopicEvent | AgentEvent | Corrected | Erased | WordsShown,
    Field(discriminator="kind"),
]

_ADAPTER: Final[TypeAdapter[Event]] = TypeAdapter(Event)


def encode(event: Event) -> dict[str, Any]:
    """The JSON-able payload of an event, `kind` included, defaults left out."""
    return {"kind": event.kind, **event.model_dump(mode="json", exclude_defaults=True)}


def decode(payload: dict[str, Any], version: int = VERSION) -> Event:
    """The event of a payload of `encode`. Raises `ValueError` on another shape, and on what is newer."""
    if version > VERSION:
        raise ValueError(f"event version {version} is newer than this worker's {VERSION}: update this worker")
    try:
        return cleaned(_ADAPTER.validate_python(as_today(payload)))
    except ValidationError as error:
        if error.errors()[0]["type"] != "union_tag_invalid":
            raise
        raise ValueError(
            f"{payload['kind']!r} is no event that this worker knows: "
            "a newer one wrote it, update this worker"
        ) from error
