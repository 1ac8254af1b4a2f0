"""Parts of a meeting's document (`context.export.document`), as tools and resources show them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from context.export.minutes import to_markdown
from context.export.statement_view import statements

Document = Mapping[str, Any]
Kind = Literal["decisions", "tasks", "open"]

LATEST_LINES: Final = 100
"""How many lines a resource shows: those before them are told by `transcript`."""
_OF_A_MEETING: Final = (
    "id",
    "title",
    "language",
    "status",
    "started_at",
    "ended_at",
    "duration_ms",
    "time_zone",
)
_OF_A_LINE: Final = ("text", "start_ms", "end_ms", "late", "erased", "hidden", "corrected_by", "doubtful")
_OF_A_TOPIC: Final = ("name", "summary", "participants", "keywords", "first_utterance", "last_utterance")
_OF_A_STATEMENT: Final = (
    "text", "owner", "due", "due_date", "status", "superseded_by", "contradicted_by", "corrected_by",
    "quoted", "unverified",
)  # fmt: skip


def about(document: Document) -> dict[str, Any]:
    """Tell which meeting it is, and how it stands."""
    meeting = document["meeting"]
    fields = {name: meeting[name] for name in _OF_A_MEETING} | {"lines": _last(document)}
    return fields | {name: meeting[name] for name in ("paused", "waiting_ms") if name in meeting}


def lines(document: Document, after: int, most: int) -> list[dict[str, Any]]:
    """Give at most `most` lines behind number `after`, in the order of their numbers."""
    names = _names(document)
    rows = sorted((row for row in document["utterances"] if row["id"] > after), key=lambda row: row["id"])
    return [_line(row, names) for row in rows[:most]]


def topics(document: Document) -> list[dict[str, Any]]:
    """Give the topics in order, each with its summary and key points."""
    return [
        {name: topic[name] for name in _OF_A_TOPIC}
        | {"key_points": [_statement(row) for row in topic["key_points"]]}
        for topic in document["topics"]
    ]


def stated(
    document: Document,
    kinds: Iterable[Kind],
    *,
    owner: str = "",
    due_from: date | None = None,
    due_until: date | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Give the decisions, tasks and open points that fit, each with the lines that it rests on.

    `owner`: a participant's id, or a name or a part of it. With a day given, only what is due on a known day.
    """
    by_kind = statements(document["topics"])
    wanted = _known_as(document, owner)

    def fits(row: Mapping[str, Any]) -> bool:
        if wanted and not any(_alike(name, row.get("owner") or "") for name in wanted):
            return False
        if due_from is None and due_until is None:
            return True
        day = row.get("due_date")
        return day is not None and (due_from or date.min) <= date.fromisoformat(day) <= (
            due_until or date.max
        )

    return {
        kind: [
            _statement(row) | {"quotes": quotes(document, row["evidence"])}
            for row in by_kind[kind]
            if fits(row)
        ]
        for kind in kinds
    }


def quotes(document: Document, evidence: Sequence[int]) -> list[dict[str, Any]]:
    """Give the lines of these numbers that are there, in order."""
    names, wanted = _names(document), frozenset(evidence)
    return [_line(row, names) for row in document["utterances"] if row["id"] in wanted]


def minutes(document: Document) -> str:
    """Write the minutes in Markdown, without the transcript."""
    return to_markdown(document, transcript=False, zone=ZoneInfo(document["meeting"]["time_zone"]))


def as_it_stands(document: Document) -> dict[str, Any]:
    """Give what a resource shows of a meeting: the topics, what was decided, and the latest lines."""
    last = _last(document)
    return {
        "meeting": about(document),
        "participants": [{"id": row["id"], "name": row["name"]} for row in document["participants"]],
        "topics": topics(document),
        **stated(document, ("decisions", "tasks", "open")),
        "latest_lines": lines(document, last - LATEST_LINES, LATEST_LINES),
    }


def _line(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    fields = {"line": row["id"], "speaker": row["speaker"], "name": names.get(row["speaker"], row["speaker"])}
    return fields | {name: row[name] for name in _OF_A_LINE if row.get(name) is not None}


def _statement(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _OF_A_STATEMENT if name in row} | {"evidence": row["evidence"]}


def _names(document: Document) -> dict[str, str]:
    return {row["id"]: row["name"] for row in document["participants"]}


def _last(document: Document) -> int:
    return max((row["id"] for row in document["utterances"]), default=0)


def _known_as(document: Document, owner: str) -> list[str]:
    """Give what somebody may be called who is asked for: by that, and by the name of whose id it is."""
    name = _names(document).get(owner)
    return [_folded(spelling) for spelling in (owner, name) if spelling]


def _alike(wanted: str, owner: str) -> bool:
    """Tell whether a name is the other's, or a part of it that is longer than a letter."""
    owner = _folded(owner)
    shorter, longer = sorted((wanted, owner), key=len)
    return wanted == owner or (len(shorter) > 1 and shorter in longer)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()
