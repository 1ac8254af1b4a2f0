"""The entries of a meeting's input streams, checked. Each has one field, `json`.

What does not fit is not an error of ours: it comes out as `Malformed`, with a reason that its
sender can understand, and reading goes on behind it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from context.corrections import Fix
from context.features import Features
from context.text import clean
from worker.ports import name_fault, room_fault

MAX_ENTRY_BYTES: Final = 4 * 1024 * 1024
MAX_TEXT_CHARS: Final = 1_000_000
MAX_TIME_MS: Final = 30 * 24 * 3600 * 1000
"""Thirty days: a later time is a mistake of units or of the zero point."""
FOLLOWED: Final = "http-"
"""Invocations with such ids have somebody who waits for each word of the answer."""


def printable(value: str) -> str:
    """Ids and names end up in logs, attributes and file names."""
    if (fault := name_fault(value)) is not None:
        raise ValueError(fault)
    return value


def room_name(value: str) -> str:
    """A name that LiveKit takes for a room."""
    if (fault := room_fault(value)) is not None:
        raise ValueError(fault)
    return value


def _clean(text: Any) -> Any:
    """What no database can hold becomes U+FFFD."""
    return clean(text, MAX_TEXT_CHARS + 1) if isinstance(text, str) else text


def _whole(value: Any) -> Any:
    """JavaScript's clocks have fractions of a millisecond."""
    return math.floor(value) if isinstance(value, float) and math.isfinite(value) else value


Name = Annotated[str, Field(max_length=1_000), AfterValidator(printable)]
Flag = Annotated[str, Field(max_length=64)]
Moment = Annotated[int, Field(ge=0, le=MAX_TIME_MS), BeforeValidator(_whole)]
Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS), BeforeValidator(_clean)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


M = TypeVar("M", bound=_Message)


class SegmentMessage(_Message):
    """A piece of what somebody says, in meeting time. The same id twice counts once."""

    id: Name
    speaker: Name
    """The participant's identity."""
    name: Name | None = None
    text: Text
    start_ms: Moment
    end_ms: Moment
    final: bool = True
    confidence: float | None = Field(default=None, ge=0, le=1)
    language: Annotated[str, Field(max_length=40), AfterValidator(printable)] | None = None

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end_ms < self.start_ms:
            raise ValueError(f"end_ms {self.end_ms} is before start_ms {self.start_ms}")
        return self


class EndMessage(_Message):
    """Somebody says that a meeting without a room is over."""

    end: Literal[True]


class AskMessage(_Message):
    """A question to the agent. The same id twice counts once."""

    id: Name
    by: Name
    """The asker's participant identity."""
    text: Text
    private: bool = False
    via: Literal["redis", "http", "cli"] = "redis"
    """How the asker came to it; the stream is the same."""
    features: dict[Flag, Flag] = Field(default_factory=dict, max_length=30)
    """Seed 002's `feature_overrides`, for this question alone."""

    @model_validator(mode="after")
    def _known_features(self) -> Self:
        Features().with_overrides(self.features)  # a FeatureError is a ValueError
        return self


class ConsentMessage(_Message):
    """A participant agrees to be heard, or does not, told by a program. The same id twice counts once."""

    id: Name
    person: Name
    """The participant's identity."""
    agreed: bool
    erase: bool = False
    """With a no: what they have said so far goes, too."""
    how: Literal["page", "http", "command"]
    by: Name | None = None
    """Who tells it for them; None: they themselves."""


class CorrectionMessage(_Message):
    """Somebody puts something right. The same id twice counts once."""

    id: Name
    by: Name
    fix: Fix


@dataclass(frozen=True, slots=True)
class Malformed:
    """An entry that says nothing to us, and why."""

    reason: str


Message = SegmentMessage | CorrectionMessage | EndMessage | AskMessage | ConsentMessage | Malformed


class DispatchMessage(_Message):
    """A meeting is wanted: in a room, or without one, fed by text."""

    room: Annotated[str, AfterValidator(room_name)] | None = None
    meeting_id: Annotated[str, Field(max_length=200), AfterValidator(printable)] | None = None
    title: Annotated[str, Field(max_length=2_000), AfterValidator(printable)] | None = None
    tenant: Name | None = None
    """Whose meeting; None: that of whoever reads."""
    id: Annotated[str, Field(max_length=200), AfterValidator(printable)] | None = None
    """This wish's own: put again, it is the same meeting, also when that one is over."""

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.room is None and self.meeting_id is None:
            raise ValueError("room: a room is needed, or a meeting_id for a meeting without one")
        return self


@dataclass(frozen=True, slots=True)
class Unsigned(Malformed):
    """A command of which nobody knows whether its writer may give it."""


Fault = Callable[[Mapping[str, Any]], str | None]
"""Why a command is not to be obeyed; None where it is."""


def _no_fault(_fields: Mapping[str, Any]) -> str | None:
    return None


def read_input(payload: bytes | None, fault: Fault = _no_fault) -> Message:
    """An entry of `moim:{tenant}:in:{meeting}`. Orders and corrections are signed, what is said is not."""
    fields = _fields(payload)
    if isinstance(fields, Malformed):
        return fields
    if "fix" in fields:
        return _command(CorrectionMessage, fields, fault)
    if "end" not in fields:
        return _validated(SegmentMessage, fields)
    return _command(EndMessage, fields, fault)


def read_ask(payload: bytes | None, fault: Fault = _no_fault) -> Message:
    """Read an entry of `moim:{tenant}:ask:{meeting}`."""
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
        return Malformed("; ".join(_told(e) for e in error.errors(include_url=False)[:3]))


def _told(error: Any) -> str:
    """`field: what is wrong (what was given)`."""
    where = ".".join(map(str, error["loc"]))
    what = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing" or not where:
        return f"{where}: {what}" if where else what
    return f"{where}: {what} (given: {ascii(error['input'])[:60]})"


@dataclass(frozen=True, slots=True)
class InputEntry:
    """One entry of an input stream, with the place to go on from."""

    stream: str
    position: str
    message: Message


@dataclass(frozen=True, slots=True)
class DispatchEntry:
    """One entry, with what it is done with by."""

    stream: str
    position: str
    message: DispatchMessage | Malformed
