"""A meeting's document as the values that a template of minutes is filled in with.

They are plain (mappings, lists, texts, numbers, truth values), so that nothing else is within its reach, and
what people said, wrote or called themselves is disguised in them (`context.export.markup`). What a meeting
does not have is "" or an empty list, so that a template always finds what it names.
docs/how-to/minutes.md lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, timedelta, tzinfo
from typing import Any, Final

from context.export.markup import disguised
from context.export.minutes import Minutes
from context.export.statement_view import Row, statements
from context.export.subtitles import clock
from context.primitives.text import MarkdownStripper

_LONGEST_MS: Final = 10**12


def template_values(
    document: Mapping[str, Any], language: str | None = None, *, zone: tzinfo = UTC, url: str = ""
) -> dict[str, Any]:
    """Give the values of one meeting.

    `language` and `zone` are those of `to_markdown`; `url`: the address of the minutes on the pages.
    """
    values = _Values(document, Minutes(document, language, zone))
    return values.meeting() | {
        "url": url,
        "participants": values.participants(),
        "brief": values.minutes.brief(),
        **{kind: values.statements(rows) for kind, rows in statements(document["topics"]).items()},
        "topics": [values.topic(number, topic) for number, topic in enumerate(document["topics"], 1)],
        "next_meeting": values.statement(row) if (row := document.get("next_meeting")) else "",
        "answers": [values.answer(reply) for reply in document["replies"]],
        "gaps": _items(values.minutes.gaps()),
        "notes": _items(values.minutes.notes()),
        "transcript": [values.line(utterance) for utterance in document["utterances"] if utterance["text"]],
    }


class _Values:
    """The parts of the values of one meeting."""

    def __init__(self, document: Mapping[str, Any], minutes: Minutes) -> None:
        self._document, self.minutes = document, minutes
        self._said: dict[int, Row] = {row["id"]: row for row in document["utterances"]}
        self._topics: dict[str, str] = {row["id"]: row["name"] for row in document["topics"]}
        self._at_once = {
            number for group in document.get("simultaneous", ()) for number in group["utterances"][1:]
        }

    def meeting(self) -> dict[str, Any]:
        """The meeting's title, room, beginning and length, as a template takes them."""
        meeting, began = self._document["meeting"], self.minutes.by.began
        ended = began + timedelta(milliseconds=min(meeting["duration_ms"], _LONGEST_MS)) if began else None
        return {
            "id": disguised(meeting["id"]),
            "title": disguised(meeting["title"] or meeting["room"] or self.minutes.words["untitled"]),
            "room": disguised(meeting["room"] or ""),
            "language": self.minutes.language,
            "status": meeting["status"],
            "date": f"{began:%Y-%m-%d}" if began else "",
            "began": f"{began:%H:%M}" if began else "",
            "ended": f"{ended:%H:%M}" if ended else "",
            "time_zone": f"{began:%Z}" if began else "",
            "duration": clock(meeting["duration_ms"]),
        }

    def participants(self) -> list[dict[str, Any]]:
        """Who was there, and how much of the talk was theirs."""
        people = self._document["participants"]
        whole_ms = sum(person["stats"]["talk_ms"] for person in people) or 1
        return [
            {
                "name": disguised(person["name"]),
                "role": self.minutes.words[person["role"]],
                "talk": clock(person["stats"]["talk_ms"]),
                "share": round(100 * person["stats"]["talk_ms"] / whole_ms),
                "heard": person.get("agreed") is not False,
            }
            | {
                name: person["stats"].get(name, 0)
                for name in ("turns", "questions", "answers", "interruptions")
            }
            for person in people
        ]

    def topic(self, number: int, topic: Row) -> dict[str, Any]:
        """One topic, and what came of it."""
        return {
            "number": number,
            "name": disguised(topic["name"]),
            "summary": self.minutes.summary(topic),
            "began": self.minutes.by.when(topic["first_utterance"]),
            "ended": self.minutes.by.when(topic["last_utterance"]),
            "back_to": disguised(self._topics.get(topic.get("returns_to") or "", "")),
            "participants": [self.minutes.who(who) for who in topic["participants"]],
            "keywords": [disguised(keyword) for keyword in topic["keywords"]],
            "key_points": self.statements(topic["key_points"]),
            **{
                kind: self.statements({**row, "about": None} for row in rows)  # they stand in their topic
                for kind, rows in statements([topic]).items()
            },
        }

    def statements(self, rows: Iterable[Row]) -> list[dict[str, Any]]:
        """Several statements, in order."""
        return [self.statement(row) for row in rows]

    def statement(self, row: Row) -> dict[str, Any]:
        """A decision, a task, an open point or a key point."""
        by = self.minutes.by
        return {
            "text": by.statement(row),
            "by": by.speaker(row),
            "owner": disguised(row.get("owner") or ""),
            "due": disguised(row.get("due") or ""),
            "due_date": row.get("due_date") or "",
            "against": by.against(row, self.minutes.words["against_it"]),
            "changed": row.get("status") == "superseded",
            "done": row.get("status") == "done",
            "quoted": bool(row.get("quoted")),
            "unverified": bool(row.get("unverified")),
            "edited": by.edit(row),
            "line": self.minutes.statement(row),
            "evidence": self._lines(row["evidence"]),
        }

    def answer(self, reply: Row) -> dict[str, Any]:
        """A question to Moim, and its answer without the signs of Markdown."""
        bare = MarkdownStripper()
        text = (bare.feed(reply["text"]) if reply["text"] else "") + bare.flush()
        lines = [line for written in text.splitlines() if (line := disguised(written))]
        lines = lines or [self.minutes.left(disguised(reply["text"]))]  # nothing but signs, or erased
        return {
            "asked_by": self.minutes.asker(reply["by"]),
            "asked_at": self.minutes.by.time(reply["asked_at_ms"]),
            "question": self.minutes.left(disguised(reply["question"])),
            "text": " ".join(lines),
            "lines": lines,
            "evidence": self._lines(reply["evidence"]),
        }

    def line(self, utterance: Row) -> dict[str, Any]:
        """An utterance."""
        return {
            "number": utterance["id"],
            "time": self.minutes.by.time(utterance["start_ms"]),
            "speaker": self.minutes.who(utterance["speaker"]),
            "text": self.minutes.by.words(utterance),
            "edited": disguised(self.minutes.by.edits.get(utterance["id"], "")),
            "at_once": utterance["id"] in self._at_once,
        }

    def _lines(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        return [self.line(self._said[number]) for number in numbers if number in self._said]


def _items(lines: Iterable[str]) -> list[str]:
    return [line.removeprefix("- ") for line in lines if line]
