"""The statements of a meeting's document as people read them: what, who, by when, and on whose words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final, NamedTuple

from context.export.subtitles import clock, plain

Row = Mapping[str, Any]
Words = Mapping[str, str]

KINDS: Final = ("decisions", "tasks", "open")
_MOST_IN_BRIEF: Final = 4


class Statements(NamedTuple):
    """Of all topics, in their order."""

    decisions: Sequence[Row]
    tasks: Sequence[Row]
    open: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Who said each utterance, and when: by the clock where the meeting's day is known."""

    said: Mapping[int, tuple[str, int]]
    """Utterance → its speaker's name, and ms from the meeting's start."""
    began: datetime | None = None
    """In the time zone that is told."""
    text: Callable[[str], str] = field(default=plain)
    """Somebody's words, so that none of them is read as markup."""

    def time(self, ms: int) -> str:
        """14:32:03, or from the meeting's start."""
        if self.began is None:
            return clock(ms)
        return f"{self.began + timedelta(milliseconds=ms):%H:%M:%S}"

    def when(self, utterance_id: int) -> str:
        """The time of an utterance, a dash of one that is not there."""
        found = self.said.get(utterance_id)
        return self.time(found[1]) if found else "–"

    def speaker(self, statement: Row) -> str:
        """Who said what the statement rests on last."""
        names = [self.said[each][0] for each in statement["evidence"] if each in self.said]
        return self.text(names[-1]) if names else ""


def witnesses(document: Row, zone: tzinfo, text: Callable[[str], str] = plain) -> Witnesses:
    """Give the witnesses of a document's utterances."""
    names = {person["id"]: person["name"] for person in document["participants"]}
    said = {u["id"]: (names.get(u["speaker"], u["speaker"]), u["start_ms"]) for u in document["utterances"]}
    began = document["meeting"]["started_at"]
    return Witnesses(said, datetime.fromisoformat(began).astimezone(zone) if began else None, text)


def statements(topics: Sequence[Row]) -> Statements:
    """Once each, though two topics tell it."""
    decisions = _once(row for topic in topics for row in topic["decisions"])
    pending = _once(row for topic in topics for row in topic["pending"])
    return Statements(
        decisions,
        [row for row in pending if is_task(row)],
        [row for row in pending if not is_task(row)],
    )


def is_task(row: Row) -> bool:
    """Something that somebody has to do, and no open question."""
    return row.get("kind") == "action" or bool(row.get("owner") or row.get("due"))


def _once(rows: Any) -> list[Row]:
    return list({(row["text"], tuple(row["evidence"])): row for row in rows}.values())


def in_brief(topics: Sequence[Row], words: Words, told: Witnesses) -> list[str]:
    """What came of the meeting in three lines: decided, to do, open. What still stands of it.

    Where nothing was recognised, one line says so, and another what was talked about.
    """
    found = statements(topics)
    if any(_standing(getattr(found, kind)) for kind in KINDS):
        lines = [
            f"{words[f'brief_{kind}']}: {_line(kind, getattr(found, kind), words, told)}" for kind in KINDS
        ]
    else:
        about = ", ".join(told.text(topic["name"]) for topic in topics)
        lines = [words["nothing_recognised"], *([f"{words['topics']}: {about}"] if about else [])]
    return [*lines, words["unverified"]] if is_unverified(topics) else lines


def is_unverified(topics: Sequence[Row]) -> bool:
    """Whether some of it was written by a model and held against nothing by a verifier."""
    return any(topic.get("verified") is False for topic in topics)


def _standing(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.get("status") not in {"superseded", "done"}]


def _line(kind: str, rows: Sequence[Row], words: Words, told: Witnesses) -> str:
    standing = _standing(rows)
    shown = [_short(kind, row, words, told) for row in standing[:_MOST_IN_BRIEF]]
    if more := len(standing) - len(shown):
        shown.append(words["more"].format(more))
    return " · ".join(shown) or words["nothing"]


def _short(kind: str, row: Row, words: Words, told: Witnesses) -> str:
    who = told.text(row.get("owner") or "") if kind == "tasks" else told.speaker(row)
    notes = [note for note in (who, by_when(row, words, told.text) if kind == "tasks" else "") if note]
    text = told.text(begun(row["text"]).rstrip(" ."))
    if row.get("quoted"):
        notes.append(words["quoted"])
    return f"{text} ({', '.join(notes)})" if notes else text


def by_when(row: Row, words: Words, text: Callable[[str], str] = plain) -> str:
    """`due: tomorrow = 2026-11-25`; empty where nobody said when."""
    said, day = row.get("due"), row.get("due_date")
    if not said:
        return ""
    return f"{words['due']}: {text(said)}{f' = {day}' if day and day not in said else ''}"


def begun(text: str) -> str:
    """A quote may begin behind an "OK, ": in a list it begins with a capital all the same."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
