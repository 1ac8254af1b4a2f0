"""A model's summary of a conversation, held to its messages.

It cites nothing, so each sentence is held against all messages at once. It stands with figures, days, names
and speakers that are in them, without mentions, links and calls that are not, and where a good part of its
words is theirs. A yes or no that was turned round is not seen here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from context.comparing import comparable
from context.evidence.figures import dates_stand
from context.evidence.forms import forms_stand
from context.evidence.names import names_stand
from context.evidence.riders import own_words, without_riders
from context.evidence.speakers import persons_stand, speakers_stand
from context.evidence.words import same_script, stems
from context.inert import visible
from context.language.numbers import heard, stated
from context.language.questions import sentences
from context.ports import PortError
from context.thread.messages import Message

_LEAST_SHARE: Final = 0.4
"""Of a sentence's own words: a summary paraphrases."""
_TELLING: Final = (
    "user users assistant agent asked asks question questions answer answers answered wanted know discussed"
    " summary conversation 사용자 비서 질문 물었다 답변 답은 답했다 대화 요약 문의했다 논의했다"
)
"""How a conversation is told, whatever it is about."""
_NEVER_SHOWN: Final = frozenset(("Cc", "Cs", "Zl", "Zp"))


class NothingStands(PortError):
    """No sentence of a model's summary is borne out by the messages that it summarises."""


def standing(text: str, messages: Sequence[Message], previous: str, language: str) -> str:
    """The sentences of `text` that stand. Raises `NothingStands` where none does."""
    told = _Told(messages, previous, language)
    kept = [rest for sentence in sentences(text) if (rest := told.borne_out(sentence))]
    if not kept:
        raise NothingStands("nothing that the model's summary of the thread says stands in its messages")
    return " ".join(kept)


def shown(text: str) -> str:
    """`text` on one line, without control characters and what nobody can see."""
    kept = "".join(" " if unicodedata.category(char) in _NEVER_SHOWN else char for char in visible(text))
    return " ".join(kept.split())


class _Told:
    """What a summary may tell."""

    def __init__(self, messages: Sequence[Message], previous: str, language: str) -> None:
        self._names = tuple(dict.fromkeys(message.name for message in messages if message.name))
        self._said = [f"{message.name}: {message.content}" for message in messages]
        self._text = "\n".join((previous, *self._said))
        self._known = f"{self._text}\n{_TELLING}"
        self._words = stems(self._known)
        # "six questions" may be counted.
        self._figures = heard(self._text) | {float(number) for number in range(len(messages) + 1)}
        self._previous, self._language = previous, language

    def borne_out(self, sentence: str) -> str:
        """The sentence without what rides along with it; empty where it does not stand."""
        if not forms_stand(sentence, self._text) or stated(sentence) - self._figures:
            return ""
        if not dates_stand(sentence, self._text) or not names_stand(sentence, self._text, ()):
            return ""
        if not persons_stand(sentence, self._text):
            return ""
        if not speakers_stand(sentence, [*self._said, f": {self._previous}"], self._names):
            return ""
        if not same_script(sentence, self._text):
            return sentence if comparable(sentence, self._text, self._language) else ""
        rest = without_riders(sentence, self._known, self._names)
        own = own_words(rest)
        return rest if len(own & self._words) >= _LEAST_SHARE * len(own) else ""
