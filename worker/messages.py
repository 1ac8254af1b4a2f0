"""What programs may write into Moim's streams in Redis: text, questions, commands, dispatches.

An entry has one field, `json`, and is checked here. One that does not fit is not an error of ours: it is read
as `Malformed`, with a reason that its sender can understand, and reading goes on behind it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Protocol, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from context.events.actors import Actor
from context.events.corrections import Fix
from context.features import Features
from context.primitives.text import cleaned, many_lines, one_line, storable
from worker.names import key_fault, name_fault, room_fault

MAX_ENTRY_BYTES: Final = 4 * 1024 * 1024
"""The largest entry, as JSON."""
MAX_TEXT_CHARS: Final = 1_000_000
MAX_TIME_MS: Final = 30 * 24 * 3600 * 1000
"""The latest time in a meeting, thirty days: a later one is a mistake of units or of the zero point."""
MAX_NEW_ID_CHARS: Final = 200
"""The longest id that somebody may choose, for a meeting say."""
NOBODY: Final = "http"
"""Who asks or does something over HTTP without saying who they are."""
NOBODY_AT_A_TERMINAL: Final = "cli"
"""Who asks by a command without saying who they are."""
FOLLOWED_PREFIX: Final = "http-"
"""How the ids of questions begin whose asker follows the answer word by word."""


def printable(value: str) -> str:
    """Give the name if it may stand in logs and attributes. Raises `ValueError`: see `name_fault`."""
    if (fault := name_fault(value)) is not None:
        raise ValueError(fault)
    return value


def new_id(value: str) -> str:
    """Give an id that its sender chooses, in its canonical form. Raises `ValueError` as `printable` does."""
    form = one_line(printable(value), 3 * len(value))
    if len(form) > MAX_NEW_ID_CHARS:  # some letters are several once they are composed
        raise ValueError(f"must have at most {MAX_NEW_ID_CHARS} characters")
    return form


def seen(value: str) -> str:
    """Give a text if something of it is to be seen. Raises `ValueError`."""
    if not one_line(value):
        raise ValueError("must hold text")
    return value


def room_name(value: str) -> str:
    """Give the name if LiveKit takes it for a room. Raises `ValueError`: see `room_fault`."""
    if (fault := room_fault(value)) is not None:
        raise ValueError(fault)
    return value


def room_key(value: SecretStr) -> SecretStr:
    """Give the key of an encrypted room if it can be one. Raises `ValueError`: see `key_fault`."""
    if (fault := key_fault(value.get_secret_value())) is not None:
        raise ValueError(fault)
    return value


def to_one_line(text: Any) -> Any:
    """Give a text as `one_line` does, nothing cut off: that it is too long, its sender is told."""
    return one_line(text, 3 * len(text)) if isinstance(text, str) else text


def to_many_lines(text: Any) -> Any:
    """Give a text as `many_lines` does, nothing cut off: that it is too long, its sender is told."""
    return many_lines(text, 3 * len(text)) if isinstance(text, str) else text


def _or_none(text: str | None) -> str | None:
    return text or None


def _whole(value: Any) -> Any:
    """Round down to whole milliseconds: JavaScript's clocks have fractions of them."""
    return math.floor(value) if isinstance(value, float) and math.isfinite(value) else value


Id = Annotated[str, Field(max_length=1_000), AfterValidator(printable)]
Named = Annotated[str, Field(max_length=1_000), AfterValidator(printable)]
"""A participant's identity, which is read in its canonical form where nobody has it as it stands."""
Name = Annotated[str, BeforeValidator(to_one_line), Field(max_length=1_000)]
Flag = Annotated[str, Field(max_length=64)]
Moment = Annotated[int, Field(ge=0, le=MAX_TIME_MS), BeforeValidator(_whole)]
Line = Annotated[str, BeforeValidator(to_one_line), Field(max_length=MAX_TEXT_CHARS)]
Written = Annotated[str, Field(max_length=MAX_TEXT_CHARS), AfterValidator(storable)]
"""A text whose reader has to know whether something is hidden in it."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


M = TypeVar("M", bound=_Message)


class SegmentMessage(_Message):
    """A piece of what somebody says, as text, in ms of the meeting. The same id twice counts once."""

    id: Id
    speaker: Named
    """The participant's identity."""
    name: Name | None = None
    """What people call them; without anything to be seen in it: their identity."""
    text: Line
    start_ms: Moment
    end_ms: Moment
    final: bool = True
    """False: words under way, which a later message with this id replaces."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    language: Annotated[str, Field(max_length=40), AfterValidator(printable)] | None = None

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end_ms < self.start_ms:
            raise ValueError(f"end_ms {self.end_ms} is before start_ms {self.start_ms}")
        return self


class EndMessage(_Message):
    """The command to end a meeting without a room."""

    end: Literal[True]


class AskMessage(_Message):
    """A question to the agent. The same id twice counts once."""

    id: Id
    by: Named
    """The asker's participant identity."""
    text: Written
    private: bool = False
    via: Literal["redis", "http", "cli"] = "redis"
    """The way by which the question came in, before it was written here."""
    features: dict[Flag, Flag] = Field(default_factory=dict, max_length=30)
    """Seed 002's `feature_overrides`, for this question alone."""

    @model_validator(mode="after")
    def _known_features(self) -> Self:
        Features().with_overrides(self.features)  # a FeatureError is a ValueError
        return self


class ConsentMessage(_Message):
    """A participant's answer whether they may be heard. The same id twice counts once."""

    id: Id
    person: Named
    """The participant's identity."""
    agreed: bool
    erase: bool = False
    """Whether, with a no, what they have said so far is erased, too."""
    how: Literal["page", "http", "command"]
    by: Name | None = None
    """Who gives the answer for them; None: they themselves."""
    actor: Actor | None = None
    """Who was authenticated as whoever gives it; None: as the person themselves."""


def with_words(fix: Fix) -> Fix:
    """Give a correction in its canonical form, if its new words can be seen there. Raises `ValueError`.

    The record's own type does not demand it: what was put right before this was checked stays readable.
    """
    fix = cleaned(fix)
    for name in ("text", "name", "heard", "meant"):
        if getattr(fix, name, None) == "":
            raise ValueError(f"{name}: must hold text")
    return fix


RequestedFix = Annotated[Fix, AfterValidator(with_words)]
"""A correction as somebody asks for it."""


class CorrectionMessage(_Message):
    """A correction of the meeting. The same id twice counts once."""

    id: Id
    by: Annotated[Name, AfterValidator(seen)]
    fix: RequestedFix


@dataclass(frozen=True, slots=True)
class Malformed:
    """An entry that cannot be read, and why."""

    reason: str


Message = SegmentMessage | CorrectionMessage | EndMessage | AskMessage | ConsentMessage | Malformed


class DispatchMessage(_Message):
    """A meeting that is wanted: in a room, or without one, fed by text."""

    room: Annotated[str, AfterValidator(room_name)] | None = None
    meeting_id: Annotated[str, Field(max_length=MAX_NEW_ID_CHARS), AfterValidator(new_id)] | None = None
    title: Annotated[
        str | None, BeforeValidator(to_one_line), Field(max_length=2_000), AfterValidator(_or_none)
    ] = None
    tenant: Id | None = None
    """The tenant whose meeting it is; None: that of the process that reads it."""
    id: Annotated[str, Field(max_length=200), AfterValidator(printable)] | None = None
    """The id of the room request: written again, it means the same meeting, also when that one is over."""

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.room is None and self.meeting_id is None:
            raise ValueError("room: a room is needed, or a meeting_id for a meeting without one")
        return self


@dataclass(frozen=True, slots=True)
class Unsigned(Malformed):
    """A command without a valid signature, which is not obeyed."""


Fault = Callable[[Mapping[str, Any]], str | None]
"""Gives why a command with these fields is not to be obeyed; None where it is."""


def _no_fault(_fields: Mapping[str, Any]) -> str | None:
    return None


def read_input(payload: bytes | None, fault: Fault = _no_fault) -> Message:
    """Read an entry of `moim:{tenant}:in:{meeting}`; all but what is said must be without `fault`."""
    fields = _fields(payload)
    if isinstance(fields, Malformed):
        return fields
    if "fix" in fields:
        return _command(CorrectionMessage, fields, fault)
    if "end" not in fields:
        return _validated(SegmentMessage, fields)
    return _command(EndMessage, fields, fault)


def read_ask(payload: bytes | None, fault: Fault = _no_fault) -> Message:
    """Read an entry of `moim:{tenant}:ask:{meeting}`: a question, or an answer about consent."""
    fields = _fields(payload)
    if isinstance(fields, Malformed):
        return fields
    if "agreed" in fields:
        return _command(ConsentMessage, fields, fault)
    return _command(AskMessage, fields, fault)


def read_dispatch(payload: bytes | None, fault: Fault = _no_fault) -> DispatchMessage | Malformed:
    """Read an entry of `moim:{tenant}:dispatch`."""
    fields = _fields(payload)
    return fields if isinstance(fields, Malformed) else _command(DispatchMessage, fields, fault)


def _fields(payload: bytes | None) -> dict[str, Any] | Malformed:
    if payload is None:
        return Malformed("the entry has no field `json`")
    if len(payload) > MAX_ENTRY_BYTES:
        return Malformed(f"{len(payload)} bytes: an entry has at most {MAX_ENTRY_BYTES}")
    try:
        fields = json.loads(payload.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Malformed("not UTF-8")
    except (ValueError, RecursionError) as error:
        return Malformed(f"not JSON: {str(error)[:200]}")
    if not isinstance(fields, dict):
        return Malformed(f"a JSON object is expected, not {type(fields).__name__}")
    return fields


def _command(model: type[M], fields: dict[str, Any], fault: Fault) -> M | Malformed:
    why = fault(fields)
    return _validated(model, fields) if why is None else Unsigned(why)


def _validated(model: type[M], fields: dict[str, Any]) -> M | Malformed:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        return Malformed("; ".join(_fault_of(e) for e in error.errors(include_url=False)[:3]))


def _fault_of(error: Any) -> str:
    """`field: what is wrong (given: what was given)`; of a text its length alone: it may be what was said."""
    where = ".".join(map(str, error["loc"]))
    what = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing" or not where:
        return f"{where}: {what}" if where else what
    given = error["input"]
    if not isinstance(given, int | float | None):
        return f"{where}: {what} (given: {type(given).__name__} of {len(given)})"
    return f"{where}: {what} (given: {ascii(given)[:60]})"


@dataclass(frozen=True, slots=True)
class InputEntry:
    """One entry of a meeting's input streams, with its stream and the position to go on behind."""

    stream: str
    position: str
    message: Message


@dataclass(frozen=True, slots=True)
class DispatchEntry:
    """One entry of the stream of dispatches, with the position by which it is acknowledged."""

    stream: str
    position: str
    message: DispatchMessage | Malformed


class CommandStream(Protocol):
    """The stream by which a meeting's holder is told what people want."""

    async def ask(self, meeting_id: str, question: AskMessage | ConsentMessage) -> str:
        """Tell the holder; a message with the same id counts once. Raises `PortError`."""
