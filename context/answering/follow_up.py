"""Follow-ups: questions that need the turn before them to mean anything ("그럼 누가 해요?", "and when?").

What such a question leaves out is taken from the asker's last question: the words of its subject, or, for
"그럼 예산은?" and "and a new slide?", its question word. A question that names a subject of its own takes
nothing. Pointing words ("it", "그") and words that go on ("and", "그럼") are closed lists of each language.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.fold.meeting import Meeting
from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.language.since_moment import since_in
from context.models import Frozen, Reply
from context.primitives.person_names import called
from context.question import Intent, Question
from context.retrieval.answer_kinds import is_figure, kind_asked, names_a_kind, question_words
from context.retrieval.index_terms import words
from context.retrieval.question_subject import coverage, nouns, topic_words

_LISTS: Final = closed_lists("follow_ups")
_FILLERS: Final = frozenset(_LISTS["fillers"])
_GOES_ON: Final = frozenset(_LISTS["goes_on"])
_POINTS_KO: Final = _LISTS["points_ko"]
_PEOPLE: Final = frozenset(["he", "she", "him", "her", "his", "그분"])
_POINTS_EN: Final = _PEOPLE | frozenset(
    ["it", "that", "this", "they", "them", "those", "these", "their", "its"]
)
_HERE_WORDS: Final = frozenset(_LISTS["here"])
"""Words behind which a pointing word means nothing that was named before: "this meeting", "is it that …"."""
_ONE_OF_THEM: Final = frozenset(_LISTS["one_of_them"])
_NO_SUBJECT: Final = frozenset(_LISTS["no_subject"])
_MORE_WORDS: Final = frozenset(_LISTS["more"])
"""Words that ask for more of the last answer."""
_OF_A_MATTER: Final = frozenset[Intent](["fact", "none", "said_by", "summary_of"])
"""Requests that can be follow-ups; one for a list of the whole meeting takes nothing from before."""
_MOST_WORDS: Final = 9
_CARRIED_WORDS: Final = 6
_TURNS: Final = 3
"""How many questions back a follow-up of a follow-up of … is resolved."""
_REMEMBERED_TURNS: Final = 5
"""Questions of one asker that are remembered; a follow-up reaches back a few turns at most."""
_ONE_PLACE_UTTERANCES: Final = 6
"""Quotes that came closest to a question are kept only where they stand within so many utterances."""
_STALE_MS: Final = 600_000
"""After ten minutes a "why?" is about what is being said now, not about the last answer."""


class PastQuestion(NamedTuple):
    """An earlier question of the same asker, and its answer."""

    question: str
    answer: str = ""
    evidence: tuple[int, ...] = ()
    """Ids of the utterances that the answer quoted; where it was declined, of those that came closest."""
    private: bool = False
    """Whether only its asker has the answer."""


class FollowUp(Frozen):
    """A follow-up with the words that it takes from the question before."""

    question: str
    """The question as it was asked, but with the name of a person to whom it only points."""
    carried: tuple[str, ...] = ()
    """Words of the earlier question: those of its subject, or its question word."""

    @property
    def text(self) -> str:
        """The question as it can be understood alone, to search by and to show."""
        return f"{self.question} ({' '.join(self.carried)})" if self.carried else self.question


def history(meeting: Meeting, asked: Question) -> list[PastQuestion]:
    """The asker's last questions with their answers, oldest first: those that a follow-up may point at.

    Private ones are among them only where `asked` is private too, and none that was answered more than ten
    minutes before.
    """
    own = [turn for turn in meeting.thread.earlier(asked) if turn.by == asked.by][-_REMEMBERED_TURNS:]
    said: list[PastQuestion] = []
    for turn in own:
        reply = turn.invocation
        evidence: tuple[int, ...] = ()
        if isinstance(reply, Reply):
            if asked.at_ms - reply.answered_at_ms > _STALE_MS:
                continue
            in_one_place = (
                reply.evidence and max(reply.evidence) - min(reply.evidence) <= _ONE_PLACE_UTTERANCES
            )
            evidence = reply.evidence if in_one_place or not reply.declined else ()
        answer = turn.answer.content if turn.answer else ""
        said.append(PastQuestion(turn.question.content, answer, evidence, turn.private))
    return said


def follow_up(
    question: str, history: Sequence[PastQuestion], names: Sequence[str] = (), intent: Intent = "fact"
) -> FollowUp | None:
    """`question` with what it takes from `history` (one asker's, oldest first); None where it stands alone.

    `names`: of the participants, for "what did she say about …?". `intent`: what the question asks for.
    """
    if not history or not is_follow_up(question, intent):
        return None
    last = history[-1].question
    before = follow_up(last, history[-_TURNS:-1], names)
    own = _own(question)
    read = _named(question, before.question if before else last, names)
    if read != question and own:  # what did she say about the rest: the person was all that it left out
        return FollowUp(question=read)
    names_a_subject = any(not names_a_kind(word) for word in own)
    if names_a_subject and _goes_on(question) and not _points(question):
        if kind_asked(question) is not None:
            return None  # "And when is the party?" only sounds as if it went on
        return FollowUp(question=question, carried=_asking(last, before))
    subject = [*_subject(last), *(before.carried if before else ())]
    carried = tuple(word for word in dict.fromkeys(subject) if word not in own)[:_CARRIED_WORDS]
    return FollowUp(question=read, carried=carried) if carried else None


def is_follow_up(question: str, intent: Intent = "fact") -> bool:
    """Whether a short question points at something that it does not name, or names nothing at all."""
    if len(question.split()) > _MOST_WORDS or since_in(question) is not None or intent not in _OF_A_MATTER:
        return False
    own = _own(question)
    if _points(question) or (_goes_on(question) and len(own) <= 2):
        return True
    said = words(question)
    asks = kind_asked(question) is not None or said[:2] == ["how", "come"]
    return not own and (asks or not _ONE_OF_THEM.isdisjoint(said) or not _MORE_WORDS.isdisjoint(said))


def answered_by_history(follow_up: str, history: Sequence[PastQuestion]) -> bool:
    """Whether the last answer holds all that a follow-up names, so no search is needed (seed 002 §3.4)."""
    own = _own(follow_up)
    return bool(own) and bool(history) and coverage(own, history[-1].answer) >= 1.0


def _goes_on(question: str) -> bool:
    """Whether it begins with a word that goes on from what was said: "and …", "그럼 …", "what about …"."""
    first = [word for word in words(question) if word not in _FILLERS][:2]
    return bool(first) and (first[0] in _GOES_ON or first in (["what", "about"], ["how", "about"]))


def _points(question: str) -> bool:
    """Whether it points at something that was named before: "it", "that", "그"."""
    heard = [*words(question), ""]
    if has_hangul(question):
        return any(word == "그" or word.startswith(_POINTS_KO) for word in heard)
    pointing = {word for word, behind in pairwise(heard) if word in _POINTS_EN and behind not in _HERE_WORDS}
    return bool(pointing) and (len(_own(question)) <= 1 or not pointing.isdisjoint(_PEOPLE))


def _own(question: str) -> tuple[str, ...]:
    """The words of a question that name its subject: no pointing words, figures, or mere actions."""
    own = tuple(word for word in nouns(question) if word not in _NO_SUBJECT and not is_figure(word))
    return () if _ONE_OF_THEM.issuperset(own) else own


def _subject(question: str) -> tuple[str, ...]:
    """The words of what a question was about: those that name its subject, else those for the action."""
    return _own(question) or tuple(word for word in topic_words(question) if word not in _NO_SUBJECT)


def _asking(last: str, before: FollowUp | None) -> tuple[str, ...]:
    """The question word of the last question, or of the one that it was a follow-up of; () for none."""
    asked = question_words(last) or question_words(before.text if before else "")
    return tuple(word for word, _ in asked[:1])


def _named(question: str, before: str, names: Sequence[str]) -> str:
    """`question` with "he", "she" or the like replaced by the one participant that `before` names, if any."""
    asked_of = [name for name in names if called(name, before)]
    parts = question.split()
    place = next((at for at, part in enumerate(parts) if part.lower() in _PEOPLE), None)
    if len(asked_of) != 1 or place is None:
        return question
    return " ".join([*parts[:place], asked_of[0], *parts[place + 1 :]])
