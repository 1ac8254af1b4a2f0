"""The decisions, tasks and open points of a meeting's document, as minutes and pages show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from context.evidence.doubtful_figures import marked
from context.export.subtitles import clock
from context.primitives.text import one_line

Row = Mapping[str, Any]
"""A topic or a statement of the document."""
Words = Mapping[str, str]
"""Fixed words in one language, by key."""

_OVER_STATUSES: Final = ("superseded", "done")
_MAX_BRIEF_ROWS: Final = 4


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Tells who said each utterance, and when: by the clock where it is known when the meeting began."""

    said: Mapping[int, tuple[str, int]]
    """The speaker's name of each utterance, and its start in ms from the meeting's, by its number."""
    began: datetime | None = None
    """When the meeting began, in the time zone in which times are shown; None where that is not known."""
    text: Callable[[str], str] = one_line
    """Escapes somebody's words, so that none of them is read as markup."""
    unclear: str = " (?)"
    """The mark behind a figure or day that was not heard clearly."""
    edits: Mapping[int, str] = field(default_factory=dict)
    """Who edited an utterance, as it is told (`edited by Ben`), by its number; of no others."""

    def time(self, ms: int) -> str:
        """A moment of the meeting by the clock (14:32:03), or as time since its start."""
        return f"{self.began + timedelta(milliseconds=ms):%H:%M:%S}" if self.began else clock(ms)

    def when(self, utterance_id: int) -> str:
        """The time of an utterance; a dash for one that is not there."""
        place = self.said.get(utterance_id)
        return self.time(place[1]) if place else "–"

    def edit(self, statement: Row) -> str:
        """Who edited the last edited utterance that a statement cites, escaped; "" where none was."""
        edits = [self.edits[number] for number in statement["evidence"] if number in self.edits]
        return self.text(edits[-1]) if edits else ""

    def words(self, row: Row) -> str:
        """The words of a line or an utterance, escaped; what was not heard clearly is marked."""
        return marked(row["text"], row.get("doubtful", ()), self.unclear, self.text)

    def statement(self, row: Row) -> str:
        """The words of a statement, as `words`; of several people as "Ann: … / Ben: …".

        The topic stands before words that don't say what they are on: "Autumn concert: Let's say eleven."
        """
        topic = f"{self.text(row['about'])}: " if row.get("about") else ""
        turns = _turns(row)
        if len(turns) <= 1:
            return topic + begun(self.words(row))
        return topic + " / ".join(
            f"{self._name(lines[0]['utterance'])}: {' '.join(begun(self.words(line)) for line in lines)}"
            for lines in turns
        )

    def _name(self, utterance_id: int) -> str:
        return self.text(self.said[utterance_id][0]) if utterance_id in self.said else "?"

    def against(self, statement: Row, word: str) -> list[str]:
        """What was said against a decision later: each `word`, with when, who and their words, escaped."""
        rows = statement.get("contradicted_by", ())
        return [f"{word.format(self.when(row['evidence'][-1]))} {_quote(row, self)}" for row in rows]

    def speaker(self, statement: Row) -> str:
        """Who said what a statement cites, escaped; "" without any.

        Of a quotation that is the last speaker. What a model wrote rests on all of them, in order. Nobody is
        named again where each is named before their own words.
        """
        if len(_turns(statement)) > 1:
            return ""
        names = [self.said[number][0] for number in statement["evidence"] if number in self.said]
        speakers = names[-1:] if statement.get("quoted") else list(dict.fromkeys(names))
        return ", ".join(map(self.text, speakers))


def _turns(statement: Row) -> list[list[Row]]:
    """The lines of a statement that several utterances said, by speaker, in order; none of another."""
    quotes = statement.get("quotes", ())
    return [list(lines) for _, lines in groupby(quotes, key=lambda quote: quote["speaker"])]


def statements(topics: Sequence[Row]) -> dict[str, list[Row]]:
    """The `decisions`, `tasks` and `open` points of all topics, in order, each once if two topics hold it.

    A decision that only repeats one of another topic is told with that one. One that only says when the
    people meet next is left out: it has a line of its own.
    """
    decided = (row for topic in topics for row in topic["decisions"] if not row.get("next_meeting"))
    pending = _once(row for topic in topics for row in topic["pending"])
    return {
        "decisions": _told_once(_once(decided)),
        "tasks": [row for row in pending if is_task(row)],
        "open": [row for row in pending if not is_task(row)],
    }


def is_task(row: Row) -> bool:
    """Whether a pending statement is something to be done, and no open question."""
    kind = row.get("kind")
    return kind == "action" or (kind is None and bool(row.get("owner") or row.get("due")))


def _once(rows: Iterable[Row]) -> list[Row]:
    return list({(row["text"], tuple(row["evidence"])): row for row in rows}.values())


def _told_once(rows: Iterable[Row]) -> list[Row]:
    merged: list[Row] = []
    for row in rows:
        place = next((place for place, old in enumerate(merged) if _is_repeated_by(row, old)), None)
        if place is None:
            merged.append(row)
        else:
            merged[place] = {
                **merged[place],
                "evidence": sorted({*merged[place]["evidence"], *row["evidence"]}),
            }
    return merged


def _is_repeated_by(row: Row, old: Row) -> bool:
    """Whether `row` only says `old` again, which stands; what a person has worded stands for itself."""
    stands = old.get("status") != "superseded" and row.get("corrected_by") is None
    return stands and not set(row.get("repeats", ())).isdisjoint(old["evidence"])


def in_brief(
    topics: Sequence[Row], words: Words, witnesses: Witnesses, next_meeting: Row | None = None
) -> list[str]:
    """The outcome of a meeting in three lines: what is decided, to be done and open, and still stands.

    In each, those of most `weight` stand first, of equal ones the earlier. Decisions that were changed and
    open points that were settled stand behind the others, marked. What takes up a decision again stands right
    behind it, and the decision says so; what was only said against one stands beside it. A line more says
    when the people meet next, where they have said it, and it stands in no other.

    Where nothing was recognised, one line says so and another names the topics. A last line is added where a
    model wrote something that no verifier has checked.
    """
    standing = {
        kind: [row for row in rows if row.get("status") not in _OVER_STATUSES]
        for kind, rows in statements(topics).items()
    }
    for kind, over in (("decisions", "superseded"), ("open", "done")):
        standing[kind] += [row for row in statements(topics)[kind] if row.get("status") == over]
    lines = []
    for kind, rows in standing.items():
        heaviest = sorted(rows, key=lambda row: (row.get("status") in _OVER_STATUSES, -row.get("weight", 0)))
        if next_meeting is not None:
            heaviest = [row for row in heaviest if not _is_of(next_meeting, row)]
        shown = [_short(kind, row, rows, words, witnesses) for row in _with_later(heaviest, _MAX_BRIEF_ROWS)]
        if more := len(heaviest) - len(shown):
            shown.append(words["more"].format(more))
        lines.append(f"{words[f'brief_{kind}']}: {' · '.join(shown) or words['nothing']}")
    if not any(standing.values()):
        about = ", ".join(witnesses.text(topic["name"]) for topic in topics)
        lines = [words["nothing_recognised"], *([f"{words['topics']}: {about}"] if about else [])]
    if next_meeting is not None:
        when = _moment(next_meeting, witnesses.text)
        lines.append(f"{words['next_meeting']}: {when} ({_quote(next_meeting, witnesses)})")
    unverified = any(topic.get("verified") is False for topic in topics)
    return [*lines, words["unverified"]] if unverified else lines


def _is_of(next_meeting: Row, row: Row) -> bool:
    """Whether a row says when the people meet next, by the words of the line that tells it."""
    cited = not set(next_meeting["evidence"]).isdisjoint(row["evidence"])
    return cited and any(line in row["text"] for line in next_meeting["text"].splitlines())


def _with_later(rows: Sequence[Row], most: int) -> list[Row]:
    """The first `most` of `rows`; right behind each, and in any case, what takes up its matter last."""
    shown: list[Row] = []
    for row in rows:
        if len(shown) < most:
            shown += [one for one in (row, *_last_of(row, rows)) if one not in shown]
    return shown


def _last_of(row: Row, rows: Sequence[Row]) -> list[Row]:
    """What takes up a decision again, or what takes that up: the newest of them; [] if nothing does."""
    matter, last = set(row["evidence"]), list[Row]()
    for later in sorted(rows, key=lambda one: one["evidence"][-1:]):
        if later is not row and not matter.isdisjoint(later.get("takes_up", ())):
            matter |= set(later["evidence"])
            last = [later]
    return last


def _quote(row: Row, witnesses: Witnesses) -> str:
    """A statement with who said it before each's words."""
    who = witnesses.speaker(row)
    return f"{who}: {witnesses.statement(row)}" if who else witnesses.statement(row)


def _short(kind: str, row: Row, rows: Sequence[Row], words: Words, witnesses: Witnesses) -> str:
    """One of `rows` in a few words, with what a reader has to know of it."""
    if kind == "tasks":
        notes = [witnesses.text(row.get("owner") or ""), _due_beside(row, words, witnesses.text)]
    else:
        notes = [witnesses.speaker(row)]
    notes.append(witnesses.edit(row))
    notes = [note for note in notes if note] + ([words["quoted"]] if row.get("quoted") else [])
    notes += [words["unverified_one"]] if row.get("unverified") else []
    if row.get("status") in _OVER_STATUSES:
        notes.append(words[row["status"]])
    else:
        notes += [
            words["taken_up"].format(witnesses.when(other["evidence"][-1])) for other in _last_of(row, rows)
        ]
    notes += witnesses.against(row, words["against_it"])
    text = witnesses.statement(row).rstrip(f" .{witnesses.text('.')}")
    return f"{text} ({', '.join(notes)})" if notes else text


def by_when(row: Row, words: Words, text: Callable[[str], str]) -> str:
    """The due moment of a statement as it is shown: `due: tomorrow = 2026-11-25`; "" where it has none."""
    return f"{words['due']}: {_moment(row, text)}" if row.get("due") else ""


def _due_beside(row: Row, words: Words, text: Callable[[str], str]) -> str:
    """`by_when`, of which only the day is told where the statement's own words name the due moment."""
    if not row.get("due") or row["due"] not in row["text"]:
        return by_when(row, words, text)
    day = row.get("due_date")
    return f"{words['due']}: {day}" if day and day not in row["text"] else ""


def _moment(row: Row, text: Callable[[str], str]) -> str:
    """The moment of a statement in its words, and the day that it means."""
    due, day = row["due"], row.get("due_date")
    return f"{text(due)}{f' = {day}' if day and day not in due else ''}"


def begun(text: str) -> str:
    """A text with a capital at its beginning: a quote may have begun behind an "OK, "."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
