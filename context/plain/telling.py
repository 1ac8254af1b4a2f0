"""The sentences of a long turn that tell what was asked."""

from __future__ import annotations

from typing import Final

from context.language.questions import sentences
from context.models import Utterance
from context.retrieval.answer_kinds import gives, kind_asked
from context.retrieval.questions import coverage, topic_words

_WHOLE_CHARS: Final = 280
"""A turn of so many characters is quoted whole."""
_SENTENCES: Final = 2


def telling(question: str, utterance: Utterance) -> str:
    """The words to quote: the turn, or of a long one the sentences that hold most of the question."""
    text = utterance.text
    parts = sentences(text) if len(text) > _WHOLE_CHARS else []
    if len(parts) < _SENTENCES + 1:
        return text if len(text) <= 2 * _WHOLE_CHARS else f"{text[: 2 * _WHOLE_CHARS].rstrip()}…"
    topic, kind = topic_words(question), kind_asked(question)
    worth = [coverage(topic, part) + 0.3 * gives(kind, part) for part in parts]
    first = max(range(len(parts) - 1), key=lambda place: (worth[place] + worth[place + 1], -place))
    return " ".join(parts[first : first + _SENTENCES])
