"""Whether the day of a task tells when a thing takes place, or only until when something is done about it.

"I'll write the release notes by Friday" names no day of the release. A question for a limit ("by when",
"언제까지") is answered by any task that names what it asks about; another one only where the task is about
that very thing, and the thing does not just stand before another noun or behind a preposition.

Until when a task is due may also be told behind it (`places_of_due`): "I'll do it." – "By when?" – "Friday."
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import matter
from context.language.closed_lists import closed_lists, holds, spaced
from context.language.dates import Moment, moments_in
from context.language.due_moments import deadline_in
from context.language.first_person import says_i
from context.language.korean import has_hangul
from context.language.questions import sentences
from context.language.spoken_sentences import SpokenSentence
from context.models import Statement
from context.plain.mentions import may_name
from context.reading.aligning import content_words
from context.retrieval.answer_kinds import gives, is_figure, kind_asked
from context.retrieval.index_terms import STOPWORDS, words
from context.retrieval.question_subject import coverage, topic_words
from context.topics.phrases.cues import nouns

_LISTS: Final = closed_lists("dues")
_PREPOSITIONS_EN: Final = frozenset(_LISTS["prepositions_en"])
_ARTICLES_EN: Final = frozenset(_LISTS["articles_en"])
_MAX_WORDS_BESIDE_LIMIT: Final = 2
"""So many words, at most, stand beside a limit that somebody else sets: "Great, by Friday, please"."""
_MAX_WORDS_BESIDE_DAY: Final = 4
"""Whoever asks until when, or tells it, says at most so many words beside the day."""


def tells_event_time(question: str, task: Statement) -> bool:
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
        return any(_is_named(topic, each.stem) for each in content_words(sentence) if each.role in parts)
    said = words(sentence)
    named = [_is_named(topic, word) for word in said]
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


def _is_named(topic: Sequence[str], word: str) -> bool:
    return any(coverage((each,), word) >= 1 for each in topic)


def places_of_due(said: Sequence[SpokenSentence], place: int) -> list[int]:
    """The places behind a task, from `place` on, that tell its due; none where none does.

    It is the next sentence of the same turn, what is answered to whoever asks right behind the task, or what
    somebody else asks for there: "By Friday, please."
    """
    if place >= len(said):
        return []
    text = said[place].text
    same_turn, moments = said[place].utterance.id == said[place - 1].utterance.id, moments_in(text)
    limits = any(each.limits for each in moments) or _words_beside(text, moments) <= _MAX_WORDS_BESIDE_DAY
    if same_turn and limits and deadline_in(text) is not None:
        return [place]
    if _only_limits(text):
        return [place]
    asks = "?" in text and len(text.split()) <= _MAX_WORDS_BESIDE_DAY
    if not asks or place + 1 == len(said):
        return []
    reply = said[place + 1].text
    moments = moments_in(reply)
    told = bool(moments) and (kind_asked(text) == "when" or any(each.limits for each in moments))
    return [place, place + 1] if told and _words_beside(reply, moments) <= _MAX_WORDS_BESIDE_DAY else []


def _only_limits(text: str) -> bool:
    """Whether a sentence says until when, and names no thing: no promise or matter of the speaker's own."""
    moments = moments_in(text)
    rest = text
    for moment in reversed(moments):
        rest = f"{rest[: moment.start]} {rest[moment.end :]}"
    limits = any(each.limits for each in moments) and "?" not in text and not says_i(text)
    beside = _words_beside(text, moments)
    return limits and beside <= _MAX_WORDS_BESIDE_LIMIT and not any(map(may_name, nouns(rest)))


def _words_beside(text: str, moments: Sequence[Moment]) -> int:
    return len(text.split()) - sum(len(each.words.split()) for each in moments)
