"""Whether the day of a task tells when a thing takes place, or only until when something is done about it.

"I'll write the release notes by Friday" names no day of the release. A question for a limit ("by when",
"언제까지") is answered by any task that names what it asks about; another one only where the task is about
that very thing, and the thing does not just stand before another noun or behind a preposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import matter
from context.language.closed_lists import closed_lists, holds, spaced
from context.language.korean import has_hangul
from context.language.questions import sentences
from context.models import Statement
from context.reading.aligning import words_of
from context.retrieval.answer_kinds import gives, is_figure
from context.retrieval.index_terms import STOPWORDS, words
from context.retrieval.question_subject import coverage, topic_words

_LISTS: Final = closed_lists("dues")
_PREPOSITIONS_EN: Final = frozenset(_LISTS["prepositions_en"])
_ARTICLES_EN: Final = frozenset(_LISTS["articles_en"])


def tells_when(question: str, task: Statement) -> bool:
    """Whether the day of a task answers a question that asks when."""
    topic = topic_words(question)
    if holds(spaced(question), _LISTS["asks_until"]):
        return coverage(topic, " ".join(matter(task.text))) > 0  # no mere "다음", which the day itself has
    said = [each for line in task.text.splitlines() for each in sentences(line)]
    dated = [each for each in said if gives("when", each)] or said
    return any(_is_about(topic, each) for each in dated)


def _is_about(topic: Sequence[str], sentence: str) -> bool:
    """Whether a sentence names one of the words as a thing of its own."""
    if has_hangul(sentence):
        parts = ("topic", "subject", "object")
        return any(_names(topic, each.base) for each in words_of(sentence) if each.part in parts)
    said = words(sentence)
    named = [_names(topic, word) for word in said]
    for place, behind in enumerate([*said[1:], ""]):
        ends = not behind or behind in STOPWORDS or is_figure(behind)
        if not (named[place] and ends):
            continue
        before = (
            word
            for word, is_named in zip(reversed(said[:place]), reversed(named[:place]), strict=True)
            if not is_named and word not in _ARTICLES_EN
        )
        if next(before, "") not in _PREPOSITIONS_EN:
            return True
    return False


def _names(topic: Sequence[str], word: str) -> bool:
    return any(coverage((each,), word) >= 1 for each in topic)
