"""324 ways to ask, labelled blind: what is for the agent, what is for its asker alone, and what is asked.

Each row goes through the channel that it names, as words that stand alone (a follow-up behind its `before`), and
is read with its vector and, for comparison, by its words. See `tests/data/questions/README.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from context.answering.question_meaning import bare, read
from context.config import ContextConfig
from context.events.events import AnswerGiven, MeetingOpened, MeetingStarted, QuestionAsked
from context.language.addressing import DEFAULT_WAKE_WORDS, chat_line, for_agent
from context.language.commands import Command, unknown_command
from context.manager import ContextManager
from context.models import Reply
from context.question import Question
from context.reading.requests import asks_for_a_list, asks_one_another
from context.thread.small_talk import small_talk
from tests.bench.figures import Figure
from tests.fakes.record import START
from tests.training.meetings import DATA
from tests.training.vectors import embedded
from worker.participants.room_commands import VoiceCalls

ROWS: Final = DATA / "questions" / "ways_to_ask.jsonl"
_PEOPLE: Final = ("민지", "민수", "Ben", "Sara")
_WISHES: Final[dict[str, frozenset[str]]] = {
    "catch_up": frozenset(("catch_up",)),
    "decisions": frozenset(("decisions",)),
    "tasks": frozenset(("tasks",)),
    "open_points": frozenset(("open",)),
    "summary": frozenset(("summary", "summary_of")),
    "topics": frozenset(("topics", "topic_now")),
    "person": frozenset(("said_by",)),
    "figure_or_fact": frozenset(("fact",)),
    "when": frozenset(("fact",)),
}
"""What counts as right, by the label of a row."""


def ways_to_ask() -> list[Figure]:
    """Shares of the labelled rows that are misunderstood; the baseline is the reading by words alone."""
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    called = [called_by(row) for row in rows]
    found = list(zip(rows, called, strict=True))
    wrong = [(asked is not None) != row["call"] for row, asked in found]
    figures = [Figure("a call that is not taken, or the other way round", _share(wrong), "", 0.1)]
    put = [
        (row, asked)
        for row, asked in found
        if row["call"] and isinstance(asked, Question) and row["intent"] not in ("order", "me_command")
    ]
    by_vector = [_read(row, asked, with_vector=True) for row, asked in put]
    by_words = [_read(row, asked, with_vector=False) for row, asked in put]
    for name, label, goal in (
        ("private, and answered to all", True, 0.0),
        ("public, and answered to its asker alone", False, None),
    ):
        figures.append(
            Figure(
                name,
                _share(_wrong(put, by_vector, label)),
                "",
                goal,
                "by words",
                _share(_wrong(put, by_words, label)),
                note=f"{sum(row['private'] == label for row, _ in put)} rows",
            )
        )
    return [
        *figures,
        Figure(
            "read for another intent", _share(_intents(put, by_vector)), "", 0.25,
            "by words", _share(_intents(put, by_words)),
        ),
        Figure("24 ways to ask what one missed, answered to all", _share(_missed(put, by_vector)), "", 0.0,
               "by words", _share(_missed(put, by_words))),
        Figure("follow-ups taken for whole questions", _share(_follow_ups(put, by_vector)), "", 0.25,
               "by words", _share(_follow_ups(put, by_words))),
    ]  # fmt: skip


def called_by(row: dict[str, Any]) -> Question | str | None:
    """What comes of a row by its channel: a question, the name of a command, or None where it is for nobody."""
    text, private = row["text"], False
    if row["door"] == "voice":
        call = VoiceCalls(DEFAULT_WAKE_WORDS).hear("a", text, 0, 1)
        if call is None or isinstance(call, Command):
            return call.name if call is not None else None
        text = call
    else:
        line = chat_line(text, DEFAULT_WAKE_WORDS)
        if line.command is not None and line.command.name != "me":
            return line.command.name
        if line.command is not None:
            text, private = line.command.rest, True
            if not text:
                return "me"
        elif row["door"] == "chat":
            if unknown_command(text) is not None or not for_agent(
                line, participant_names=_PEOPLE, asks=asks_for_a_list, among_people=asks_one_another
            ):
                return None
            text = line.rest or text
    return Question(id="now", by="a", via="chat", text=text, private=private, at_ms=60_000)


def _read(row: dict[str, Any], question: Question, *, with_vector: bool) -> Question:
    """The question as it is understood, behind the one that its row says was before it."""
    manager = ContextManager("m", ContextConfig())
    manager.receive(MeetingOpened(meeting_id="m", language=row["language"]))
    manager.receive(MeetingStarted(at=START))
    meeting = manager.meeting

    def understood(asked: Question) -> Question:
        meaning = embedded([bare(asked, meeting)], query=True)[0] if with_vector else None
        return read(asked, meeting, meaning=meaning)

    if "before" in row:
        before = called_by({**row, "text": row["before"], "door": "ask"})
        assert isinstance(before, Question)
        before = understood(before.model_copy(update={"id": "before", "at_ms": 50_000}))
        manager.receive(QuestionAsked(question=before))
        reply = Reply(
            id="r", invocation_id="before", by="a", via="chat", question=before.text, text="…",
            call_type=before.call_type, private=before.private, asked_at_ms=50_000, answered_at_ms=50_100,
        )  # fmt: skip
        manager.receive(AnswerGiven(reply=reply))
    return understood(question)


_Put = list[tuple[dict[str, Any], Question]]


def _wrong(put: _Put, read_as: list[Question], label: bool) -> list[bool]:
    return [
        each.private != label for (row, _), each in zip(put, read_as, strict=True) if row["private"] == label
    ]


def _missed(put: _Put, read_as: list[Question]) -> list[bool]:
    return [
        not each.private
        for (row, _), each in zip(put, read_as, strict=True)
        if row["id"].startswith("missed-")
    ]


def _follow_ups(put: _Put, read_as: list[Question]) -> list[bool]:
    return [not each.follows for (row, _), each in zip(put, read_as, strict=True) if "before" in row]


def _intents(put: _Put, read_as: list[Question]) -> list[bool]:
    return list(_understood(put, read_as))


def _understood(put: _Put, read_as: list[Question]) -> Iterator[bool]:
    for (row, _), each in zip(put, read_as, strict=True):
        if row["intent"] in _WISHES:
            yield each.intent not in _WISHES[row["intent"]]
        elif row["intent"] == "greeting_or_thanks":
            yield small_talk(each.text, row["language"]) is None


def _share(wrong: list[bool]) -> float:
    return round(sum(wrong) / len(wrong), 3) if wrong else 0.0
