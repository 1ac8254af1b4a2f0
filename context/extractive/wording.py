"""How a statement is told: the sentence that settles it, what it answers, the moment named behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import agreed_by, asks_one, proposes, requests
from context.extractive.cues import Kind, due_in, kind_of, owner_in
from context.extractive.korean_decisions import is_vote, names_a_motion
from context.extractive.korean_names import is_title
from context.extractive.sentences import Said
from context.extractive.subjects import subject_of
from context.language.korean import has_hangul
from context.models import Statement

_MOTION_WITHIN: Final = 16
"""Sentences between a motion and the result of its vote, at most."""
_BARE: Final = 6
_WITHOUT_VERB: Final = ("에", "로", "부터", "까지", "요", "일", "시")


def joined(before: Said, echo: Said) -> Statement:
    """What was said, together with the sentence that decides it."""
    evidence = dict.fromkeys((before.utterance.id, echo.utterance.id))
    return Statement(text=f"{before.text} {echo.text}", evidence=tuple(evidence), status="decided")


def task(
    asked: Said, by: Said, when: str = "", *, promised: bool = False, due: str | None = None
) -> Statement:
    """A task of whoever took it on: what was asked, or, where they `promised` something, with that."""
    evidence = dict.fromkeys((asked.utterance.id, by.utterance.id))
    dated = due_in(by.text)
    whole = not promised and dated is None and ("?" in asked.text or requests(asked.text))
    text = asked.text if whole or by.text == when else f"{asked.text} {by.text}"
    text = f"{text} {when}".strip()
    return Statement(
        text=text,
        evidence=tuple(evidence),
        owner=by.utterance.speaker_name,
        due=due or dated or due_in(text),
        status="open",
        kind="action",
    )


def offered(sentence: Said, by: Said) -> Statement:
    """What the speaker can do, and somebody wants done."""
    return Statement(
        text=sentence.text,
        evidence=tuple(dict.fromkeys((sentence.utterance.id, by.utterance.id))),
        owner=sentence.utterance.speaker_name,
        due=due_in(sentence.text) or due_in(by.text),
        status="open",
        kind="action",
    )


def voted(said: Sequence[Said], place: int) -> Statement | None:
    """The result of a vote together with what was voted on."""
    if not is_vote(said[place].text):
        return None
    for before in range(place - 1, max(-1, place - 1 - _MOTION_WITHIN), -1):
        if names_a_motion(said[before].text):
            return joined(said[before], said[place])
    return None


def decided(said: Sequence[Said], place: int) -> Statement:
    """The sentence at `place` as a decision, with the moment named right behind it."""
    sentence = said[place]
    text = f"{sentence.text} {when}".strip() if (when := when_behind(said, place)) else sentence.text
    return Statement(text=text, evidence=(sentence.utterance.id,), status="decided")


def when_behind(said: Sequence[Said], place: int) -> str:
    """The moment that is said in a sentence of its own: 전 지점에 다 깔자고. 5월 2일부터."""
    behind = _behind(said, place)
    if behind is None or kind_of(behind.text) == "decision" or proposes(behind.text):
        return ""
    return behind.text if not subject_of(behind.text) and _only_when(behind.text) else ""


def _behind(said: Sequence[Said], place: int) -> Said | None:
    """What the speaker says right after, in the same turn, if it is no question."""
    behind = said[place + 1] if place + 1 < len(said) else None
    if behind is None or behind.utterance.id != said[place].utterance.id or "?" in behind.text:
        return None
    return behind


def _only_when(text: str) -> bool:
    """A moment and hardly a word more."""
    moment = due_in(text)
    return bool(moment) and len(text.split()) <= len((moment or "").split()) + 3


def also_decided(said: Sequence[Said], place: int) -> Statement | None:
    """What is settled in the same breath, without a verb: 성수로 갑시다. 이사는 2월 말에."""
    behind = _behind(said, place)
    if behind is None:
        return None
    bare = behind.text.rstrip(" .!…")
    if not (subject_of(bare) and _only_when(bare) and bare.endswith(_WITHOUT_VERB)):
        return None
    return Statement(text=behind.text, evidence=(behind.utterance.id,), status="decided")


def pending(said: Sequence[Said], place: int, kind: Kind, names: tuple[str, ...]) -> Statement:
    """The sentence at `place` as a task or an open item, with its owner and its moment."""
    sentence = said[place]
    speaker = sentence.utterance.speaker_name
    when = when_behind(said, place) if kind == "action" and due_in(sentence.text) is None else ""
    about = _about(said, place) if kind == "open" else ""
    owner = owner_in(sentence.text, speaker, names) if kind == "action" else None
    open_to = owner is None and asks_one(sentence.text)
    by_office = owner is not None and owner not in names and is_title(owner)
    by = agreed_by(said, place) if kind == "action" and (open_to or by_office) else None
    return Statement(
        text=f"{about} {sentence.text} {when}".strip(),
        evidence=tuple(
            dict.fromkeys((sentence.utterance.id, *((by.utterance.id,) if by is not None else ())))
        ),
        owner=owner if by is None else by.utterance.speaker_name,
        due=due_in(sentence.text) or due_in(when),
        status="open",
        kind="action" if kind == "action" else "open",
    )


def _about(said: Sequence[Said], place: int) -> str:
    """What is left open, where the sentence before says it: 주차는 아직 모르겠네요. 다음에 다시 얘기해요."""
    sentence, before = said[place], said[place - 1] if place else None
    if before is None or before.utterance.id != sentence.utterance.id or "?" in before.text:
        return ""
    short = (
        has_hangul(sentence.text) and not subject_of(sentence.text) and len(sentence.text.split()) <= _BARE
    )
    return before.text if short and subject_of(before.text) else ""
