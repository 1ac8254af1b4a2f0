"""What kind of sentence is this: decision, task, open item, question, courtesy?

Precision first: an invented decision costs trust, a missed one costs a look into the transcript. So
proposals, questions, conditions and negations are never decisions by themselves; what is agreed on
within a few turns is found in `agreement`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from context.extractive import english_cues as english
from context.extractive import english_tasks as tasks
from context.extractive import korean_courtesies, korean_decisions, korean_deferrals, korean_promises
from context.extractive import korean_requests as korean
from context.extractive.english_forms import plain_form
from context.extractive.moments import due_in
from context.extractive.owners import owner_in
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.korean import has_hangul
from context.language.questions import is_question

__all__ = ["Kind", "due_in", "kind_of", "owner_in", "puts_off"]

Kind = Literal["decision", "echo", "action", "open", "question", "courtesy", "plain"]
"""`echo`: decides what was said just before ("그렇게 가시죠", "That is decided")."""


@lru_cache(maxsize=512)
def kind_of(text: str, names: tuple[str, ...] = (), wake_words: tuple[str, ...] = DEFAULT_WAKE_WORDS) -> Kind:
    """What a cleaned sentence is.

    `names`: of the participants, to know whom a task is given to. `wake_words`: what the agent is called.
    """
    if _tasks_by_question(text, names):
        return "action"
    if is_question(text):
        return "question"
    if wake(text, wake_words) is not None:
        return "courtesy"  # said to the agent: it belongs to its thread
    if _is_cut_from_a_quote(text):
        return "plain"
    bare = text.strip(" .!。…\"'”")
    return _kind_ko(bare) if has_hangul(bare) else _kind_en(plain_form(bare), names)


def _is_cut_from_a_quote(text: str) -> bool:
    """그러면서 ‘가결됐습니다.: a sentence that ends, or begins, within what somebody is quoted with."""
    return any(text.count(opened) > text.count(closed) for opened, closed in ("‘’", "“”")) or text.startswith(
        ("’", "”")
    )


_ASKS_ALL: Final = re.compile(r"^(?:(?:so|well|okay|then) )*(?:can|could|shall|should|why don't) we\b|까요?$")


def puts_off(text: str) -> bool:
    """Whether a question wants something left open: "Can we leave it till next week?"."""
    bare = text.strip(" .!?。…\"'”")
    korean = has_hangul(bare)
    form = bare if korean else plain_form(bare)
    if "?" not in text or _ASKS_ALL.search(form) is None:
        return False
    return korean_deferrals.is_open(form) if korean else english.is_open(form)


def _kind_ko(bare: str) -> Kind:
    if korean_decisions.is_echo(bare):
        return "echo"
    opened = korean_deferrals.is_open(bare)
    if not opened and korean_decisions.decides(bare):
        return "decision"
    if opened and korean_deferrals.defers(bare):
        return "open"
    if korean_promises.gives_task(bare):
        return "action"
    if opened:
        return "open"
    return "courtesy" if korean_courtesies.is_courtesy(bare) else "plain"


def _kind_en(form: str, names: tuple[str, ...]) -> Kind:
    if english.is_echo(form):
        return "echo"
    opened = english.is_open(form)
    if not opened and tasks.gives_task(form, names):
        return "action"
    if not opened and english.decides(form):
        return "decision"
    if opened:
        return "open"
    return "courtesy" if english.is_courtesy(form) else "plain"


def _tasks_by_question(text: str, names: tuple[str, ...]) -> bool:
    """Whether a question gives a task: Ben, can you send it by Friday?"""
    bare = text.strip(" .!?。…")
    if not has_hangul(bare):
        lowered = bare.lower()
        if re.search(r", (?:can|could|would|will) you", lowered) is not None:
            return tasks.other_en(lowered, names) is not None
        called_last = re.match(r"(?:\w+,? ){0,2}(?:can|could|would|will) you\b.*, \w+$", lowered) is not None
        return called_last and tasks.other_en(plain_form(lowered), names) is not None
    return korean.tasks_by_question(bare) or korean_promises.promises_about_when(bare)
