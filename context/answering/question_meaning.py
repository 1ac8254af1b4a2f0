"""Reads a question, once, where it comes in: its language, what it asks for, about what, and for whose ears.

What nobody can tell for sure about privacy is taken for private: what one missed, or asks for oneself alone,
is nobody else's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, cast

from context.answering.follow_up import FollowUp, PastQuestion, follow_up, history, is_follow_up
from context.fold.meeting import Meeting
from context.language.addressing import without_wake_word
from context.language.commands import command_in
from context.language.korean import language_of, language_shown
from context.language.since_moment import since_in
from context.people.attendance import missed
from context.primitives.vectors import Vectors
from context.question import Intent, Question
from context.reading.requests import request_in

_FRAGMENT_WORDS: Final = 2
"""Words of a question that may lean on the one before, whatever they are: "go on", "예산은?"."""


def bare(question: Question, meeting: Meeting) -> str:
    """The text of a question without the agent's name, and without `/me`: what its vector is made of."""
    text = _unnamed(question, meeting)
    return _asked_alone(text) or text


def _unnamed(question: Question, meeting: Meeting) -> str:
    return without_wake_word(question.text, meeting.config.agent_names) or question.text


def _asked_alone(text: str) -> str:
    """The text behind `/me`; "" where there is none."""
    command = command_in(text, addressed=False)
    return command.rest if command is not None and command.name == "me" else ""


def read(
    question: Question, meeting: Meeting, *, meaning: Vectors | None = None, with_history: bool = True
) -> Question:
    """The question as it is understood in `meeting`.

    `meaning`: the embedding of `bare` as a question, without which words alone decide. `with_history`:
    whether it may lean on the asker's questions before it (the flag `include_history`).
    """
    text = bare(question, meeting)
    request = request_in(text, meaning)
    alone = bool(_asked_alone(_unnamed(question, meeting)))
    asked = question.model_copy(update={"private": question.private or alone or request.private})
    before = history(meeting, asked.model_copy(update={"private": True})) if with_history else []
    leans = _leans(text, before, meeting, request.intent)
    points = leans is not None or is_follow_up(text, request.intent) or len(text.split()) <= _FRAGMENT_WORDS
    if points and _was_private(asked, before, meeting):
        # What it leans on, or may, is the asker's alone, so what it asks of that is, too.
        asked = asked.model_copy(update={"private": True})
    elif not asked.private:
        before = [each for each in before if not each.private]
        leans = _leans(text, before, meeting, request.intent)
    away = missed(meeting.attendance.people.get(asked.by), asked.at_ms)
    return asked.model_copy(
        update={
            "language": _language([*(each.question for each in before), text], meeting),
            "intent": request.intent,
            "matter": leans.text if leans is not None else text,
            "follows": leans is not None,
            "since": since_in(text),
            "missed": away if request.intent == "catch_up" else None,
        }
    )


def _was_private(asked: Question, before: Sequence[PastQuestion], meeting: Meeting) -> bool:
    """Whether the asker's question before this one is for their ears, be it answered yet or not."""
    open_ = [
        each for each in meeting.invocations.open.values() if each.by == asked.by and each.id != asked.id
    ]
    return open_[-1].private if open_ else bool(before) and before[-1].private


def _leans(text: str, before: Sequence[PastQuestion], meeting: Meeting, intent: Intent) -> FollowUp | None:
    """The context that a question takes from its asker's one before; None where it stands alone."""
    names = [stats.name for stats in meeting.speakers.speaker_stats.values()]
    return follow_up(text, before, names, intent)


def _language(asked: Sequence[str], meeting: Meeting) -> Literal["ko", "en"]:
    """The language that the newest question shows, else the one before it …, else the meeting's."""
    shown = next(filter(None, map(language_shown, reversed(asked))), None)
    return cast("Literal['ko', 'en']", shown or language_of("", meeting.spoken_language))
