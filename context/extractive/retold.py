"""The same decision or task told once more: by another yes, with its day, or given its moment."""

from __future__ import annotations

from typing import Final

from context.extractive.agreement import volunteers
from context.extractive.antecedents import asks_if_then, names_only_when
from context.extractive.cues import due_in
from context.extractive.sentences import Said
from context.extractive.subjects import SETTLING, facts, matter, names_a_day, normal
from context.models import Statement

_JUST_BEFORE: Final = 2
_SAME_TALK: Final = 2
"""Two decisions that rest on so many common utterances are one."""
_CONFIRMS: Final = 3
_FEW_WORDS: Final = 4
_NAMES_NOTHING: Final = 3
_NEAR: Final = 8
"""제가 물어볼게요: so few words, so far apart, are of two matters."""


def decided_again(last: Statement | None, decision: Statement) -> Statement | None:
    """`last`, the newest decision, with `decision` where that only tells it again; else None."""
    if last is None or last.status == "superseded":
        return None
    return _asked_again(last, decision) or _just_said(last, decision)


def _asked_again(last: Statement, decision: Statement) -> Statement | None:
    """With the consent asked to it: Any dissent?"""
    key = normal(decision.text)
    shared = set(decision.evidence) & set(last.evidence)
    told = matter(decision.text) & matter(last.text) - SETTLING
    again = normal(last.text) in key or (told and set(decision.evidence) <= set(last.evidence[1:]))
    if len(shared) < _SAME_TALK and not (shared and again):
        return None
    more = normal(last.text) not in key and facts(decision.text) not in {facts(last.text), facts("")}
    return _with(last, decision, f"{last.text} {decision.text}" if more else last.text)


def _just_said(last: Statement, decision: Statement) -> Statement | None:
    """Both name the same day or figure."""
    if not names_a_day(decision.text) or facts(decision.text) != facts(last.text):
        return None
    if decision.evidence[-1] - last.evidence[-1] not in range(1, _JUST_BEFORE + 1):
        return None
    return _with(last, decision, f"{last.text} {decision.text}")


def task_again(old: Statement, item: Statement) -> Statement | None:
    """`old` with `item`, where that is the same task or open point; None where it is another."""
    key, former = normal(item.text), normal(old.text)
    if former == key:
        short = len(item.text.split()) <= _NAMES_NOTHING
        far = item.evidence[0] - old.evidence[-1] > _NEAR
        return None if old.owner != item.owner or (short and far) else _with(old, item, old.text)
    if key in former and set(item.evidence) <= set(old.evidence):
        return old  # told with the request that it answers
    if former in key and set(item.evidence) & set(old.evidence) and item.owner == old.owner:
        return _with(old, item, old.text)  # the same offer, wanted by another yes
    return None


def dated(last: Statement | None, sentence: Said) -> Statement | None:
    """`last`, the newest task, as it is after a sentence that only says by when; None where it says more."""
    if last is None or last.kind != "action" or last.owner is None:
        return None
    own = sentence.utterance.speaker_name == last.owner
    when = due_in(sentence.text)
    told = names_only_when(sentence.text)
    if own:
        later = when is not None and last.due is None and sentence.utterance.id > last.evidence[0]
        few = len(sentence.text.split()) <= _FEW_WORDS
        told = told or asks_if_then(sentence.text) or (later and few and volunteers(sentence.text))
    if not own and last.due is not None and when == last.due and len(sentence.text.split()) <= _CONFIRMS:
        told = True  # Wednesday's perfect
    if not told or sentence.utterance.id - last.evidence[-1] not in range(not own, _JUST_BEFORE + 1):
        return None
    return last if when is None or last.due is not None else _due(last, sentence)


def due_by(last: Statement | None, reply: Said) -> Statement | None:
    """`last` with the moment at which whoever has just taken it on will do it, asked by when."""
    if last is None or last.owner != reply.utterance.speaker_name or last.due is not None:
        return None
    return _due(last, reply) if reply.utterance.id - last.evidence[-1] <= 2 * _JUST_BEFORE else None


def _due(task: Statement, told: Said) -> Statement:
    evidence = tuple(dict.fromkeys((*task.evidence, told.utterance.id)))
    return task.model_copy(
        update={"due": due_in(told.text), "evidence": evidence, "text": f"{task.text} {told.text}"}
    )


def _with(old: Statement, new: Statement, text: str) -> Statement:
    evidence = tuple(sorted({*old.evidence, *new.evidence}))
    return old.model_copy(update={"text": text, "evidence": evidence, "due": old.due or new.due})
