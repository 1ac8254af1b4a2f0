"""The tools in one table: what each takes, what it says of itself, and how it asks the API.

All of them read; `ask` puts a private question, which leaves nothing in the meeting. The docstring of a
tool's function is what clients, and the models in them, are told of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final, Literal

from mcp.types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.mcp import views
from worker.mcp.api_client import ApiClient, Fault, meeting_path
from worker.mcp.data import SCHEMA

_OF_A_MEETING: Final = ("id", "title", "status", "started_at", "ended_at", "reason", "waiting_ms",
                        "people", "length_ms", "topics", "decisions")  # fmt: skip
_OF_A_REPLY: Final = ("text", "certainty", "declined", "degraded", "evidence", "sources")

MeetingId = Annotated[
    str, Field(min_length=1, max_length=200, description="its id, as list_meetings names it")
]


class Arguments(BaseModel):
    """The base of what tools take: what is unknown is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ListMeetings(Arguments):
    """Which meetings are wanted."""

    status: Literal["wanted", "live", "ended", "failed"] | None = Field(None, description="only those")
    limit: int = Field(20, ge=1, le=50)
    after: str | None = Field(None, max_length=200, description="go on: the `next` of the page before")


class Search(Arguments):
    """What is searched, and where."""

    query: str = Field(min_length=1, max_length=400, description="words or a question, Korean or English")
    meeting_id: MeetingId | None = Field(None, description="within this meeting alone; without: in all")
    limit: int = Field(10, ge=1, le=50)


class OneMeeting(Arguments):
    """A meeting."""

    meeting_id: MeetingId


class Transcript(OneMeeting):
    """Which lines of a meeting are wanted."""

    since_line: int = Field(0, ge=0, le=10**6, description="lines behind this number; 0: from the start")
    limit: int = Field(200, ge=1, le=1_000)


class Stated(OneMeeting):
    """Which decisions or tasks of a meeting are wanted."""

    owner: str = Field("", max_length=200, description="whose: a participant's id, or a name or a part of it")
    due_from: date | None = Field(None, description="due on this day or later, YYYY-MM-DD")
    due_until: date | None = Field(None, description="due on this day or before, YYYY-MM-DD")


class Ask(OneMeeting):
    """A question about a meeting."""

    question: str = Field(min_length=1, max_length=4_000, description="in Korean or English")
    last_minutes: int | None = Field(None, ge=1, le=600, description="about the last minutes alone")
    first_line: int | None = Field(None, ge=1, le=10**6, description="about the lines from this one on")
    last_line: int | None = Field(None, ge=1, le=10**6, description="and up to this one")


async def _document(api: ApiClient, meeting_id: str) -> dict[str, Any]:
    return await api.read(f"{meeting_path(meeting_id)}/export", format="json")


async def list_meetings(api: ApiClient, arguments: ListMeetings) -> dict[str, Any]:
    """Lists the meetings, the newest first, with their people, topics and decisions.

    A meeting is wanted, live, ended or failed. `next` goes on behind the last one.
    """
    page = await api.read(
        "/v1/meetings", status=arguments.status, limit=arguments.limit, after=arguments.after, overview="true"
    )
    shown = [{name: row[name] for name in _OF_A_MEETING if name in row} for row in page["meetings"]]
    return {"meetings": shown, "next": page["next"]}


async def search(api: ApiClient, arguments: Search) -> dict[str, Any]:
    """Finds passages by words and by meaning, the best first: in one meeting, or in all and in the documents.

    Nothing is found where nobody spoke of it. Of a live meeting its last minutes are not found yet.
    """
    where = "/v1" if arguments.meeting_id is None else meeting_path(arguments.meeting_id)
    answer = await api.read(f"{where}/search", q=arguments.query, limit=arguments.limit)
    hits = [{name: value for name, value in hit.items() if name != "marks"} for hit in answer["hits"]]
    return {"hits": hits, "degraded": answer["degraded"]}


async def transcript(api: ApiClient, arguments: Transcript) -> dict[str, Any]:
    """Gives the lines of a meeting, also while it is live: who said what and when (ms from its start).

    To go on, call it with the `since_line` that it gave. A line without text was erased or hidden.
    """
    document = await _document(api, arguments.meeting_id)
    lines = views.lines(document, arguments.since_line, arguments.limit)
    meeting = views.about(document)
    since = lines[-1]["line"] if lines else arguments.since_line
    return {"meeting": meeting, "lines": lines, "since_line": since, "more": since < meeting["lines"]}


async def topics(api: ApiClient, arguments: OneMeeting) -> dict[str, Any]:
    """Gives the topics of a meeting in order, each with a summary and key points.

    `evidence` are the lines that these rest on.
    """
    document = await _document(api, arguments.meeting_id)
    return {"meeting": views.about(document), "topics": views.topics(document)}


async def decisions(api: ApiClient, arguments: Stated) -> dict[str, Any]:
    """Gives what was decided in a meeting, with the lines that it rests on.

    It can be filtered by owner and due day. A decision that was changed later has the status `superseded`.
    """
    return await _stated(api, arguments, ("decisions",))


async def tasks(api: ApiClient, arguments: Stated) -> dict[str, Any]:
    """Gives what is to be done after a meeting, with the lines that it rests on.

    It can be filtered by owner and due day; without a filter it gives the open points as well.
    """
    every = not arguments.owner and arguments.due_from is None and arguments.due_until is None
    return await _stated(api, arguments, ("tasks", "open") if every else ("tasks",))


async def _stated(api: ApiClient, arguments: Stated, kinds: tuple[views.Kind, ...]) -> dict[str, Any]:
    document = await _document(api, arguments.meeting_id)
    statements = views.stated(
        document, kinds, owner=arguments.owner, due_from=arguments.due_from, due_until=arguments.due_until
    )
    return {"meeting": views.about(document), **statements}


async def ask(api: ApiClient, arguments: Ask) -> dict[str, Any]:
    """Answers a question from a meeting's record, with quotes and the numbers of their lines.

    The question is private: nobody else sees it, and nothing of it is kept. `certainty` is answer, closest
    (what comes closest) or none.
    """
    question = {
        "text": arguments.question,
        "private": True,  # else the question of whoever steers an agent would be shown in the room
        "last_minutes": arguments.last_minutes,
        "first_utterance": arguments.first_line,
        "last_utterance": arguments.last_line,
    }
    fields = {name: value for name, value in question.items() if value is not None}
    reply = await api.ask(arguments.meeting_id, fields)
    shown = {name: reply[name] for name in _OF_A_REPLY}
    cited = (
        views.quotes(await _document(api, arguments.meeting_id), reply["evidence"])
        if reply["evidence"]
        else []
    )
    return shown | {"quotes": cited}


async def minutes(api: ApiClient, arguments: OneMeeting) -> dict[str, Any]:
    """Gives the minutes of a meeting in Markdown, without its transcript.

    They hold what was decided, is to be done and was left open, the topics and the answers.
    """
    document = await _document(api, arguments.meeting_id)
    return {"meeting": views.about(document), "markdown": views.minutes(document)}


@dataclass(frozen=True, slots=True)
class MeetingTool:
    """One tool: a row of `TOOLS`."""

    title: str
    takes: type[Arguments]
    run: Callable[[ApiClient, Any], Awaitable[dict[str, Any]]]
    """Asks the API, and raises `Fault`; its name and its docstring are what clients know it by."""

    @property
    def name(self) -> str:
        """The name that clients call it by."""
        return self.run.__name__

    def described(self) -> Tool:
        """Describe it for clients."""
        return Tool(
            name=self.name,
            title=self.title,
            description=" ".join((self.run.__doc__ or "").split()),
            input_schema=self.takes.model_json_schema(),
            output_schema=SCHEMA,
            annotations=ToolAnnotations(  # open world: what it gives was said by anybody
                read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
            ),
        )

    def arguments(self, arguments: dict[str, Any]) -> Any:
        """Read the arguments of a call. Raises `Fault`, which names the first wrong one."""
        try:
            return self.takes.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or self.name
            mend = (
                f"unknown: {self.name} takes {', '.join(self.takes.model_fields)}"
                if first["type"] == "extra_forbidden"
                else first["msg"]
            )
            raise Fault(f"{where}: {mend}") from None


TOOLS: Final = {
    tool.name: tool
    for tool in (
        MeetingTool("List meetings", ListMeetings, list_meetings),
        MeetingTool("Search meetings", Search, search),
        MeetingTool("Transcript", Transcript, transcript),
        MeetingTool("Topics", OneMeeting, topics),
        MeetingTool("Decisions", Stated, decisions),
        MeetingTool("Tasks", Stated, tasks),
        MeetingTool("Ask about a meeting", Ask, ask),
        MeetingTool("Minutes", OneMeeting, minutes),
    )
}
"""The tools by name."""
