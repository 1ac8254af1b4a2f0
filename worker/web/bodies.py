"""What bodies and query strings of requests may hold, and reading them: a fault is named by its field."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from aiohttp import web
from aiohttp.http import HttpProcessingError
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

from context.features import FeatureError, Features
from worker.meeting.asker import Within
from worker.messages import (
    Name,
    RequestedFix,
    new_id,
    printable,
    room_key,
    room_name,
    seen,
    to_many_lines,
    to_one_line,
)
from worker.ports import MeetingStatus
from worker.web.json_answers import ApiError

MAX_BODY_BYTES: Final = 1024 * 1024
"""The largest body in bytes: a conversation to summarise; all others are far smaller."""


Room = Annotated[str, Field(min_length=1), AfterValidator(room_name)]
MeetingId = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(printable)]
NewMeetingId = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(new_id)]
"""One that its sender chooses: it is read in its canonical form."""
Title = Annotated[str, BeforeValidator(to_one_line), Field(min_length=1, max_length=2_000)]
RoomKey = Annotated[SecretStr, AfterValidator(room_key)]
PersonId = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(printable)]
"""A participant's id, or the name that somebody else calls themselves by."""


class Body(BaseModel):
    """The base of all bodies: unknown fields are refused, and no type is converted into another."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class QueryString(BaseModel):
    """The base of all query strings: unknown parameters are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WantMeeting(Body):
    """A meeting that is wanted: in a room, which is made if there is none, or without one, fed by text."""

    room: Room | None = Field(None, description="LiveKit room; without it the meeting is fed through Redis")
    meeting_id: NewMeetingId | None = Field(None, description="the meeting's id; default: a new one")
    title: Title | None = Field(None, description="its title")
    e2ee_key: RoomKey | None = Field(
        None,
        description="passphrase of an end-to-end encrypted room; shown nowhere, kept until the end",
    )

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.room is None and self.meeting_id is None:
            raise ValueError("room: name a room, or a meeting_id for a meeting without one")
        if self.room is None and self.e2ee_key is not None:
            raise ValueError("room: a key is for a meeting in a room")
        return self


class RenameMeeting(Body):
    """Another title for a meeting."""

    title: Title = Field(description="its new title")


class AskMeeting(Body):
    """A question about a meeting."""

    text: Annotated[str, BeforeValidator(to_one_line), Field(min_length=1, max_length=4_000)] = Field(
        description="in Korean or English; its lines become one"
    )
    by: PersonId = Field("", description="who asks: to a program's word, a participant's identity")
    stream: bool = Field(default=False, description="answer as server-sent events, as it grows")
    private: bool = Field(
        default=False, description="for the asker alone: the answer is kept nowhere, and nobody else sees it"
    )
    last_minutes: Annotated[int, Field(ge=1, le=600)] | None = Field(
        None, description="about the last minutes of the meeting only; kept nowhere"
    )
    first_utterance: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        None, description="about the meeting from this utterance on only; kept nowhere"
    )
    last_utterance: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        None, description="and up to this one"
    )
    features: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=64)]] = Field(
        default_factory=dict, max_length=30, description="flags of MOIM_FEATURE_* for this question alone"
    )

    @model_validator(mode="after")
    def _known(self) -> Self:
        try:
            Features().with_overrides(self.features)
        except FeatureError as error:
            raise ValueError(f"features: {error}") from None
        if (self.last_utterance or 10**6) < (self.first_utterance or 1):
            raise ValueError("last_utterance: it lies before first_utterance")
        return self

    def within(self) -> Within | None:
        """Give the part of the meeting that is asked about; None for all of it."""
        if self.last_minutes is None and self.first_utterance is None and self.last_utterance is None:
            return None
        return Within(self.last_minutes, self.first_utterance or 1, self.last_utterance)


class CorrectMeeting(Body):
    """A correction that somebody makes in a meeting."""

    by: Annotated[Name, AfterValidator(seen)] = Field(
        min_length=1, max_length=200, description="who, as they call themselves"
    )
    fix: RequestedFix = Field(
        description="an utterance's text, a person's or a topic's name, or a decision or pending item"
    )


class ThreadMessage(Body):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, BeforeValidator(to_many_lines), Field(max_length=100_000)]
    name: Annotated[str, BeforeValidator(to_one_line), Field(max_length=200)] = ""


class Summarize(Body):
    """A conversation to summarise, on top of its last summary (seed 003)."""

    messages: Annotated[tuple[ThreadMessage, ...], Field(min_length=1, max_length=2_000, strict=False)] = (
        Field(description="what is new since `previous_summary`")
    )
    previous_summary: Annotated[str, BeforeValidator(to_many_lines), Field(max_length=20_000)] = Field(
        "", description="goes into the new one"
    )
    max_chars: int = Field(2_000, ge=40, le=8_000, description="about so long at most")

    @model_validator(mode="after")
    def _demand_text(self) -> Self:
        if not any(message.content.strip() for message in self.messages):
            raise ValueError("messages: one of them must hold text")
        return self


class ListMeetings(QueryString):
    """The query string of `GET /v1/meetings`: which meetings are wanted."""

    status: MeetingStatus | None = Field(None, description="only those")
    limit: int = Field(100, ge=1, le=1_000)
    after: MeetingId | None = Field(None, description="the last id of the page before")
    overview: bool = Field(
        default=False, description="each with its people, length, topics and decisions; 50 at most"
    )


class ExportMeeting(QueryString):
    """The query string of an export: its format."""

    format: Literal["json", "jsonl", "md", "vtt", "srt"] = "json"


class WatchMeeting(QueryString):
    """The query string of a watched meeting: from which event on."""

    after: int | None = Field(
        None, ge=0, lt=2**53, description="the id of the last event that was seen; Last-Event-ID goes before"
    )


B = TypeVar("B", bound=BaseModel)
_BODY: Final = web.RequestKey("body", BaseModel)
"""The body as it was read, for whoever reads it again."""


async def body_bytes(request: web.Request) -> bytes:
    """Read the whole body, decompressed. Raises `ApiError` (400) and `web.HTTPException` (408, 413)."""
    try:
        return await request.read()
    except (web.RequestPayloadError, HttpProcessingError):
        raise ApiError(
            400, "it cannot be read: send it as its Content-Encoding and Transfer-Encoding say", field="body"
        ) from None
    except ConnectionError:  # nobody reads this answer; the count of requests has it
        raise ApiError(400, "the connection ended before the body did", field="body") from None


def _number(digits: str) -> float:
    if not math.isfinite(number := float(digits)):  # Infinity and NaN, too, which JSON has none of
        raise ValueError(digits)
    return number


async def read_body(request: web.Request, model: type[B]) -> B:
    """Read a JSON body as `model`. Raises `ApiError` (400, 415) and what `body_bytes` raises."""
    if isinstance(read := body_of(request), model):
        return read
    kind = request.headers.get("Content-Type")
    if request.content_type != "application/json":
        mend = "send JSON with `Content-Type: application/json`"
        raise ApiError(415, mend, field="Content-Type", value=kind)
    if (request.charset or "utf-8").lower() not in {"utf-8", "utf8"}:
        raise ApiError(415, "send UTF-8", field="Content-Type", value=kind)
    raw = await body_bytes(request)
    try:
        fields = json.loads(raw.decode("utf-8"), parse_constant=_number, parse_float=_number)
    except UnicodeDecodeError:
        raise ApiError(400, "send UTF-8", field="body") from None
    except json.JSONDecodeError as error:
        mend = f"send JSON: it breaks off at line {error.lineno}, column {error.colno}"
        raise ApiError(400, mend, field="body") from None
    except (ValueError, RecursionError):
        mend = "send JSON that is not so deep, with finite and shorter numbers"
        raise ApiError(400, mend, field="body") from None
    if not isinstance(fields, dict):
        raise ApiError(400, "send a JSON object", field="body")
    read = checked(model, fields)
    _keep(request, read)
    return read


def _keep(request: web.Request, body: BaseModel) -> None:
    request[_BODY] = body


def body_of(request: web.Request) -> BaseModel | None:
    """Give the body that `read_body` has read; None where it has read none."""
    return request.get(_BODY)


def read_query(request: web.Request, model: type[B]) -> B:
    """Read the query string as `model`. Raises `ApiError` (400), also for a parameter that comes twice."""
    fields: dict[str, str] = {}
    for name, value in request.query.items():
        if name in fields:
            raise ApiError(400, "give it once", field=name, value=value)
        fields[name] = value
    return checked(model, fields)


def checked(model: type[B], fields: dict[str, Any]) -> B:
    """Build `model` from these fields. Raises `ApiError` (400), which names the first fault."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _first_fault(error, model) from None


_MENDS: Final = {
    "string_type": "must be a string",
    "string_too_short": "must hold text",
    "string_too_long": "must have at most {max_length} characters",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number, and a smaller one",
    "int_from_float": "must be a whole number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
    "literal_error": "must be one of {expected}",
}
"""What the sender is told to do about a fault, by pydantic's name for it; `{}` are its bounds."""


def _first_fault(error: ValidationError, model: type[BaseModel]) -> ApiError:
    first = error.errors(include_url=False)[0]
    kind, value = first["type"], first["input"]
    where = ".".join(str(part) for part in first["loc"])
    if "key" in where.lower() or kind == "extra_forbidden":  # it may be a secret, by another name
        value = None
    if kind == "missing":
        return ApiError(400, "is needed", field=where)
    if kind == "extra_forbidden":
        fault = f"unknown: leave it out, or use {', '.join(model.model_fields)}"
    elif (mend := _MENDS.get(kind)) is not None:
        bounds = first.get("ctx", {})
        if kind == "literal_error":  # 'a', 'b' or 'c'
            bounds = {"expected": bounds["expected"].replace(" or ", ", ").replace("'", "")}
        fault = mend.format(**bounds)
    else:
        fault = first["msg"].removeprefix("Value error, ").replace("Input should", "must")
        if not where and ": " in fault:  # of the model as a whole: the text names the field
            where, _, fault = fault.partition(": ")
            value = value.get(where) if isinstance(value, dict) else None
    if isinstance(value, dict | list):  # and so may what stands in it
        value = None
    return ApiError(400, fault, field=where or "body", value=value)
