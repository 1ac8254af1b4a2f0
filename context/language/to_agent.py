"""What is said to the agent in the midst of what is said to people: `Let us go. ⟦Moim, note that down.⟧`

A sentence that calls the agent, or another machine that writes things down ("회의록 AI, …"), is a request to
it. That somebody made it is a fact; what they asked for is none, so "Moim, write down that we agreed on
10,000" is no evidence of an agreement. The rest of an utterance is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.language.addressing import without_wake_word
from context.language.closed_lists import closed_lists, holds, spaced, word_sets
from context.language.instructions import calls_a_machine, steers
from context.language.questions import sentences
from context.models import Utterance

_MARKED_PART: Final = re.compile(r"⟦[^⟧]*⟧")
_MARKS: Final = str.maketrans("⟦⟧", "[]")
_PATIENCE_LINES: Final = 3
"""So many utterances later at most a speaker goes on after a bare call."""
_LEAST_KEPT_CHARACTERS: Final = 300
"""Characters: of a speech the part before the first instruction is kept if it is so long."""
_LISTS: Final = closed_lists("addressing")
_FILLERS: Final = word_sets("addressing")["fillers"]
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Marked:
    text: str
    called: bool
    """Whether it ends in a call of the agent that says nothing yet: what follows is said to the agent."""


def marked(
    utterances: Iterable[Utterance], wake_words: Sequence[str], *, orders: bool = True
) -> list[Utterance]:
    """The utterances, in order, with what is said to the agent in `⟦⟧`; where nothing is, the same objects.

    Without `orders` only what calls it by one of `wake_words` is.

    After a bare call ("Moim.") the next sentence that says something is said to the agent, also in the same
    speaker's next utterance, if that comes soon.
    """
    marked_utterances: list[Utterance] = []
    calls: dict[str, int] = {}
    for utterance in utterances:
        called = (
            utterance.id - calls.pop(utterance.speaker_id, utterance.id - _PATIENCE_LINES - 1)
            <= _PATIENCE_LINES
        )
        one = _mark(utterance.text, tuple(wake_words), called, orders)
        if one.called:
            calls[utterance.speaker_id] = utterance.id
        marked_utterances.append(
            utterance if one.text == utterance.text else utterance.model_copy(update={"text": one.text})
        )
    return marked_utterances


@lru_cache(maxsize=2048)
def _mark(text: str, wake_words: tuple[str, ...], called: bool, orders: bool) -> _Marked:
    text = text.translate(_MARKS)
    at, parts, orders = 0, list[str](), orders and calls_a_machine(text)
    for sentence in sentences(text):
        begin = text.find(sentence, at)
        if begin < 0:
            continue
        rest = without_wake_word(sentence, wake_words)
        to_agent = called or rest is not None or (orders and calls_a_machine(sentence))
        called = to_agent and _says_nothing(sentence if rest is None else rest)
        parts += text[at:begin], f"⟦{sentence}⟧" if to_agent else sentence
        at = begin + len(sentence)
    return _Marked("".join((*parts, text[at:])), called)


def _says_nothing(text: str) -> bool:
    """Whether a text holds nothing but fillers: um, so; 음, 저기."""
    return all(word in _FILLERS for word in _WORD.findall(text.lower()))


def without_marked(text: str) -> str:
    """A marked text without what is said to the agent."""
    return " ".join(_MARKED_PART.sub(" ", text).split()) if "⟦" in text else text


def tells_of_asking(claim: str) -> bool:
    """Whether a claim tells that somebody asked for something, as a call of the agent bears out."""
    claimed = spaced(claim)
    return holds(claimed, _LISTS["tells_of_asking"]) and not holds(claimed, _LISTS["tells_of_obeying"])


def without_instructions(utterances: Sequence[Utterance], wake_words: Sequence[str] = ()) -> list[Utterance]:
    """The utterances without those that steer (`steers`); of a long one the sentences before that stay.

    Of the others the sentences that call the agent, by one of `wake_words`, are left out.
    """
    left: list[Utterance] = []
    for utterance, plain in zip(utterances, marked(utterances, wake_words, orders=False), strict=True):
        text = without_marked(plain.text)
        if steers(text, wake_words):
            text = _before_it(text, wake_words)
            text = text if len(text) >= _LEAST_KEPT_CHARACTERS else ""
        if text == utterance.text:
            left.append(utterance)
        elif any(map(str.isalnum, text)):
            left.append(utterance.model_copy(update={"text": text}))
    return left


def _before_it(text: str, wake_words: Sequence[str]) -> str:
    """The sentences before the first one that steers."""
    before = ""
    for sentence in sentences(text):
        if steers(sentence, wake_words):
            break
        before = f"{before} {sentence}".strip()
    return before
