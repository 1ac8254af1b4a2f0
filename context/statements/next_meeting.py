"""When the people of a meeting meet next, as they said it: the last time that somebody named it with a day.

Where it was asked for or a day did not suit ("다음 회의는 언제 할까요?", "Tuesday? – Wednesday, then."),
the last day that was offered in the sentences behind counts. A meeting that was called off has no day.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.due_moments import deadline_in
from context.language.hours import hour_in
from context.language.korean import has_hangul
from context.language.meeting_again import (
    asks_for_it,
    calls_it_off,
    may_name_it,
    names_it,
    names_time,
    points_back,
    without_its_name,
)
from context.language.questions import clauses
from context.language.spoken_sentences import SpokenSentence, split_utterances
from context.models import Statement, Utterance
from context.people.exchanges import is_nod
from context.reading.acts import ACTS, SETTLING_ACTS, act_of, log_odds
from context.retrieval.answer_kinds import kind_asked, question_words
from context.retrieval.question_subject import nouns
from context.statements.voices import in_lines

_REGARDED_UTTERANCES: Final = 1000
"""So many of the newest utterances are read."""
_LINES_BEFORE: Final = 6
"""A day that is offered stands in one of so many sentences behind the name, or before "See you then"."""
_SENTENCES_RIGHT_BEHIND: Final = 1
"""Where it is neither asked for nor has a day, only the next sentence tells one."""
_FEW_WORDS: Final = 5
"""Whoever offers a day says at most so many words more; in more there is another matter."""
_WORDS_OF_A_CHANGE_EN: Final = 7
"""Whoever puts another day in the place of one says at most so many words beside the days, in Korean
`_FEW_WORDS`: whoever sums up says more."""
_PARTICLES: Final = closed_lists("next_meeting")["particles_ko"]
_NOT_NEXT: Final = frozenset(closed_lists("next_meeting")["not_next"])
_YES_ACTS: Final = ("acceptance", "courtesy")
_MIN_OFFER_LOG_ODDS: Final = -1.5
"""Log odds below which a sentence does none of the acts: "목요일은 비었습니다" offers no day."""
_OFFERS: Final = [ACTS.index(act) for act in ("decision", "proposal", "acceptance")]


def next_meeting(utterances: Sequence[Utterance]) -> Statement | None:
    """When the people meet next, its moment as `due`; None where nobody said it. `utterances`: in order."""
    newest = utterances[-_REGARDED_UTTERANCES:]
    for place in reversed(range(len(newest))):
        if not (may_name_it(newest[place].text) or _asks(newest[place].text)):
            continue
        first = max(0, place - _LINES_BEFORE)
        said = split_utterances(newest[first : place + 1 + _LINES_BEFORE])
        own = [number for number, each in enumerate(said) if each.utterance.id == newest[place].id]
        for number in reversed(own):
            text = said[number].text
            if not (names_it(text) or points_back(text) or _asks(text)):
                continue
            if calls_it_off(said[number].text):
                return None
            if (told := _statement_at(said, number)) is not None:
                return told
    return None


def only_tells(text: str, told: Statement) -> bool:
    """Whether a decision says when the people meet next, as `told` does, and decides nothing else.

    A yes to it may stand on a line of its own.
    """
    own = told.text.splitlines()
    return any(line in own for line in text.splitlines()) and all(
        _decides_no_more(line) if line in own else is_nod(line) or act_of(line) in _YES_ACTS
        for line in text.splitlines()
    )


def _decides_no_more(line: str) -> bool:
    """Whether a line that names the next meeting is short there, and settles nothing in another clause."""
    return all(
        _changes(clause) if names_it(clause) or _is_short(clause) else act_of(clause) not in SETTLING_ACTS
        for clause in clauses(line)
    )


def _statement_at(said: Sequence[SpokenSentence], place: int) -> Statement | None:
    """The statement of a sentence that names the next meeting, with the last day that was offered, if any."""
    parts, due = [said[place]], _moment(said[place].text)
    if due is None and points_back(said[place].text):
        before = next(
            (
                sentence
                for sentence in reversed(said[max(0, place - _LINES_BEFORE) : place])
                if _offer(sentence)
            ),
            None,
        )
        parts, due = ([before, said[place]], _offer(before)) if before is not None else (parts, None)
    else:
        asks = "?" in said[place].text
        reach = _LINES_BEFORE if asks or due is not None else _SENTENCES_RIGHT_BEHIND
        for sentence in said[place + 1 : place + 1 + reach]:
            offer = _offer(sentence, answers=asks)
            again = due is not None and (offer is None or offer.lower() in due.lower())
            if offer is not None and not again and (due is None or _changes(sentence.text)):
                parts, due = [said[place], sentence], offer
    if due is None:
        return None
    evidence = tuple(dict.fromkeys(sentence.utterance.id for sentence in parts))
    return Statement(text=in_lines(parts), evidence=evidence, due=due)


def _offer(sentence: SpokenSentence, *, answers: bool = False) -> str | None:
    """The day that a sentence offers, and no more than that; None where it offers none.

    `answers`: it was asked for a day, and need not say more than one. Of several clauses with a day the
    first tells it: "Make it Thursday, I'm away on Monday".
    """
    text = sentence.text
    if without_its_name(text) != text and not names_it(text):
        return None  # somebody else's meeting
    parts = [*map(_without_particles, text.split(",")), ""]
    clause, behind = next((each for each in pairwise(parts) if _moment(each[0])), ("", ""))
    said = moments_in(clause)
    if hour_in(behind) == behind.strip(" .?!"):
        clause = f"{clause},{behind}"  # the ninth of May, half seven
    if not said or not _is_short(clause) or is_negated(clause) or any(moment.limits for moment in said):
        return None
    if all(moment.words.lower() in _NOT_NEXT for moment in said):
        return None
    odds = log_odds(text)
    offers = odds[_OFFERS].max() > max(_MIN_OFFER_LOG_ODDS, np.delete(odds, _OFFERS).max())
    return _moment(clause) if answers or "?" in text or offers else None


def _changes(text: str) -> bool:
    """Whether a text is short enough to put another day in the place of one."""
    return _is_short(text, _FEW_WORDS if has_hangul(text) else _WORDS_OF_A_CHANGE_EN)


def _is_short(text: str, most: int = _FEW_WORDS) -> bool:
    """Whether a text says little beside its days: what goes on about other matters moves no meeting."""
    named = [each.words for each in moments_in(text)]
    if (hour := hour_in(text)) is not None and not any(hour in each for each in named):
        named.append(hour)
    return len(text.split()) - sum(len(each.split()) for each in named) <= most


def _moment(text: str) -> str | None:
    """The moment that a sentence names beside the next meeting itself."""
    bare = _without_particles(without_its_name(text))
    day = deadline_in(bare) if moments_in(bare) else None
    hour = hour_in(bare)
    if day is None or hour is None or hour in day:
        return day
    return f"{day}, {hour}" if f"{day}, {hour}" in bare else f"{day} {hour}"


def _without_particles(text: str) -> str:
    """A text without the particles behind a day that is put to others, rather than due: 목요일은 어떠세요?"""
    for particle in _PARTICLES:
        text = text.replace(f"일{particle} ", "일 ")
    return text


def _asks(text: str) -> bool:
    """Whether somebody asks the others when they meet next: "그럼 다음엔 언제 봐요?"."""
    return "?" in text and asks_next_time(text)


def asks_next_time(question: str) -> bool:
    """Whether a question names when people meet next, and asks for a day."""
    kind = kind_asked(question)
    if kind != "when" and not (kind is None and names_time(nouns(question))):
        return False
    return asks_for_it(without_question_words(question)) or asks_for_it(question)


def without_question_words(question: str) -> str:
    """A question without its question words, which stand anywhere: 다시 언제 만나, 언제 다시 만나."""
    asking = {part for words, _ in question_words(question) for part in words.split()}
    return " ".join(word for word in question.split() if word.lower().strip(".,?!") not in asking)
