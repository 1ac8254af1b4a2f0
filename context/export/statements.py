"""The statements of a meeting's document as people read them: what, who, by when, and on whose words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from context.export.subtitles import clock, plain

Row = Mapping[str, Any]
Words = Mapping[str, str]

_OVER: Final = ("superseded", "done")
_MOST_IN_BRIEF: Final = 4


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Who said each utterance, and when: by the clock where the meeting's day is known."""

    said: Mapping[int, tuple[str, int]]
    """Utterance → its speaker's name, and ms from the meeting's start."""
    began: datetime | None = None
    """In the time zone that is told."""
    text: Callable[[str], str] = plain
    """Somebody's words, so that none of them is read as markup."""

    def time(self, ms: int) -> str:
        """14:32:03, or from the meeting's start."""
        return f"{self.began + timedelta(milliseconds=ms):%H:%M:%S}" if self.began else clock(ms)

    def when(self, utterance_id: int) -> str:
        """The time of an utterance, a dash of one that is not there."""
        found = self.said.get(utterance_id)
        return self.time(found[1]) if found else "–"

    def speaker(self, statement: Row) -> str:
        """Who said what the statement rests on last."""
        names = [self.said[each][0] for each in statement["evidence"] if each in self.said]
        return self.text(names[-1]) if names else ""


def statements(topics: Sequence[Row]) -> dict[str, list[Row]]:
    """`decisions`, `tasks` and `open` of all topics, in their order; once each, though two topics tell it."""
    pending = _once(row for topic in topics for row in topic["pending"])
    return {
        "decisions": _once(row for topic in topics for row in topic["decisions"]),
        "tasks": [row for row in pending if is_task(row)],
        "open": [row for row in pending if not is_task(row)],
    }


def is_task(row: Row) -> bool:
    """Something that somebody has to do, and no open question."""
    return row.get("kind") == "action" or bool(row.get("owner") or row.get("due"))


def _once(rows: Iterable[Row]) -> list[Row]:
    return list({(row["text"], tuple(row["evidence"])): row for row in rows}.values())


def in_brief(topics: Sequence[Row], words: Words, told: Witnesses) -> list[str]:
    """What came of the meeting in three lines: decided, to do, open. What still stands of it.

    Where nothing was recognised, one line says so, and another what was talked about. A last one says it
    where some was written by a model and held against nothing by a verifier.
    """
    standing = {
        kind: [row for row in rows if row.get("status") not in _OVER]
        for kind, rows in statements(topics).items()
    }
    lines = []
    for kind, rows in standing.items():
        shown = [_short(kind, row, words, told) for row in rows[:_MOST_IN_BRIEF]]
        if more := len(rows) - len(shown):
            shown.append(words["more"].format(more))
        lines.append(f"{words[f'brief_{kind}']}: {' · '.join(shown) or words['nothing']}")
    if not any(standing.values()):
        about = ", ".join(told.text(topic["name"]) for topic in topics)
        lines = [words["nothing_recognised"], *([f"{words['topics']}: {about}"] if about else [])]
    unverified = any(topic.get("verified") is False for topic in topics)
    return [*lines, words["unverified"]] if unverified else lines


def _short(kind: str, row: Row, words: Words, told: Witnesses) -> str:
    if kind == "tasks":
        notes = [told.text(row.get("owner") or ""), by_when(row, words, told.text)]
    else:
        notes = [told.speaker(row)]
    notes = [note for note in notes if note] + ([words["quoted"]] if row.get("quoted") else [])
    text = told.text(begun(row["text"]).rstrip(" ."))
    return f"{text} ({', '.join(notes)})" if notes else text


def by_when(row: Row, words: Words, text: Callable[[str], str]) -> str:
    """`due: tomorrow = 2026-11-25`; empty where nobody said when."""
    said, day = row.get("due"), row.get("due_date")
    if not said:
        return ""
    return f"{words['due']}: {text(said)}{f' = {day}' if day and day not in said else ''}"


def begun(text: str) -> str:
    """A quote may begin behind an "OK, ": in a list it begins with a capital all the same."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
