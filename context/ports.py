"""What the meeting needs from the world: four small doors, opened by adapters in `worker`.

Errors: an adapter raises `Unavailable` for what may work again (network, overload, a server
that is down) and `Refused` for what will not (a stale epoch, a wrong key, a bad request).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import JsonValue

from context.events import Event
from context.models import Frozen, Utterance

if TYPE_CHECKING:
    from context.vectors import Vectors  # numpy is not for every command


class PortError(Exception):
    """A part outside the meeting did not do what was asked."""


class Unavailable(PortError):
    """It may work later: retry, go on without, say so."""

    retry_after_s: float | None = None
    """How long the other side asked us to wait, where it said so."""


class Refused(PortError):
    """It will not work however often it is tried."""


class CutOff(PortError):
    """The answer reached the limit of tokens that it was given; what came of it came in good order."""


class Fenced(Refused):
    """Another holder has a higher epoch: stop writing at once."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event at its place in a meeting's record. `seq` counts from 1 without gaps.

    Not checked: events are, where they are made or decoded. Checking one again, in a union of all kinds, made
    each job look through all classes that are mappings: 0.6 MB of pages of its own.
    """

    seq: int
    event: Event


class Snapshot(Frozen):
    """The bounded state of a meeting after event `seq`; the utterances stay in the record."""

    seq: int
    state: dict[str, JsonValue]
    """What is loaded is whole: its topics are in it."""
    topics: dict[int, JsonValue] | None = None
    """On saving, beside a state without topics: those that are new or changed, by their place from 0.

    None: the state has them.
    """
    since: int | None = None
    """The snapshot on which `topics` builds, by its `seq`. None: on nothing, they are all the topics."""


class StoredMeeting(Frozen):
    """Everything that is needed to go on with a meeting."""

    snapshot: Snapshot | None
    utterances: tuple[Utterance, ...]
    """All utterances up to the snapshot, in order of id."""
    events: tuple[RecordedEvent, ...]
    """The events after the snapshot."""


class MeetingStore(Protocol):
    """The record of meetings: append-only events, and snapshots that only make reading faster."""

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """What is stored, or None for an unknown meeting; without its snapshot, every event."""
        ...

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """Commit events in one transaction. The same events again (after a lost answer) count once.

        Raises `Fenced` where `epoch` is not the meeting's present one, `Unavailable` otherwise.
        """
        ...

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """Keep a snapshot; an older one than is stored is ignored. Raises as `append`.

        And `Refused` where it builds on another than is stored: then save one that builds on nothing.
        """
        ...


class ChatMessage(Frozen):
    """One message to a language model."""

    role: str
    content: str


class LanguageModel(Protocol):
    """A chat model. One retry layer and the deadline are the caller's; the adapter has neither."""

    name: str

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """The text, piece by piece; `name`: what it is for. Closing the iterator cancels the request."""
        ...

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """JSON text that should follow `schema`; the caller validates it."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. Used beside the fold, never in it. Raises `Unavailable` or `Refused`."""

    name: str
    """Stands beside every vector that is kept: vectors of different names are never compared."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, for what is to be found."""
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector (one dimension) of what somebody asks; some models want it marked as a question."""
        ...


class Tokenizer(Protocol):
    """Counts as the model counts, or a little more; never less."""

    name: str

    def count(self, text: str) -> int:
        """Count the tokens of `text`."""
        ...
