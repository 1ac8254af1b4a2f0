"""The ports of the core: the record, a language model, vectors and token counts; adapters are in `worker`.

Errors: an adapter raises `Unavailable` for what may work again (network, overload, a server
that is down) and `Refused` for what will not (a stale epoch, a wrong key, a bad request).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from pydantic import JsonValue

from context.events.events import Event
from context.models import Frozen, Utterance

if TYPE_CHECKING:
    from context.primitives.vectors import Vectors  # numpy is not for every command


class PortError(Exception):
    """Something outside the process did not do what was asked; base of the errors of all ports."""


class Unavailable(PortError):
    """A port cannot be used now, and may work later: try again, or go on without it and say so."""

    retry_after_s: float | None = None
    """Seconds that the other side asked us to wait; None where it did not say."""


class Refused(PortError):
    """What was asked will not work, however often it is tried."""


class CutOff(PortError):
    """A model's answer reached its limit of tokens; what came before is whole and in order."""


class Fenced(Refused):
    """A write was refused because another holder has a higher epoch: stop writing at once."""

    @classmethod
    def of(cls, meeting_id: str, epoch: int) -> Self:
        """The error for a meeting that is no longer held under this epoch."""
        return cls(f"meeting {meeting_id!r} is no longer held under epoch {epoch}")


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event at its place in a meeting's record. `seq` counts from 1 without gaps.

    It is no pydantic model, because its event was validated where it was made or decoded. Validating it once
    more, in a union of all kinds, cost each job 0.6 MB.
    """

    seq: int
    event: Event


class Snapshot(Frozen):
    """The bounded state of a meeting after event `seq`; the utterances stay in the record."""

    seq: int
    state: dict[str, JsonValue]
    """What `context.fold.snapshot.dump` gives; a loaded snapshot always has the topics in it."""
    topics: dict[int, JsonValue] | None = None
    """The topics that are new or changed, by their place from 0, on saving beside a state without topics.

    None: the topics are in `state`.
    """
    since: int | None = None
    """`seq` of the stored snapshot to whose topics `topics` are changes; None: they are all the topics."""


class StoredMeeting(Frozen):
    """A meeting as it is stored: all that is needed to go on with it."""

    snapshot: Snapshot | None
    utterances: tuple[Utterance, ...]
    """All utterances up to the snapshot, in order of id; () without one."""
    events: tuple[RecordedEvent, ...]
    """The events after the snapshot."""


class MeetingStore(Protocol):
    """The record of meetings: append-only events, and snapshots, which only make reading faster."""

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """The stored meeting; None for an unknown one. Without `use_snapshot` it has all its events."""
        ...

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """Commit events in one transaction. The same events again (after a lost answer) count once.

        Raises `Fenced` where `epoch` is not the meeting's present one, `Unavailable` otherwise.
        """
        ...

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """Keep a snapshot; one that is older than the stored one is ignored. Raises as `append`.

        Raises `Refused` where its `since` is not the stored snapshot: then save one with all topics.
        """
        ...


class ChatMessage(Frozen):
    """One message to a language model."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


class LanguageModel(Protocol):
    """A chat model; retries and deadlines are the caller's. Raises `Unavailable`, `Refused` or `CutOff`."""

    name: str
    """The model's name, as its service calls it."""

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """The answer's text, piece by piece; `name`: what it is for. Closing the iterator cancels it."""
        ...

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """The answer as JSON text that should follow `schema`; the caller validates it."""
        ...


@runtime_checkable
class Adapting(Protocol):
    """Port of a model that does without what its endpoint refuses."""

    @property
    def given_up(self) -> Mapping[str, str]:
        """The optional features that are not asked for at present, and what the endpoint said to each."""
        ...


class Embedder(Protocol):
    """Makes unit vectors of texts. Used beside the fold, never in it. Raises `Unavailable` or `Refused`."""

    name: str
    """Stands beside every vector that is kept: vectors of different names are never compared."""

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        """One row per text, for texts that are to be found.

        `for_question`: the answer to a question waits for them, so they go before other texts.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector (one dimension) of a question; some models want questions marked."""
        ...


class Tokenizer(Protocol):
    """Counts tokens as a model does, or a little more; never less."""

    name: str
    """Equal for tokenizers whose counts are the same."""

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        ...
