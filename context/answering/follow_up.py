"""Follow-ups: questions that need the turn before them to mean anything ("그럼 누가 해요?", "and when?").

What such a question leaves out it takes from the asker's last question: the words of its subject, or, for
"그럼 예산은?" and "and a new slide?", the word that asks. A question that names a subject of its own takes
nothing. Pointing words and the words that go on are closed lists of each language.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.language.since import since_in
from context.meeting import Meeting
from context.models import Frozen, Invocation
from context.reading.requests import Wish
from context.retrieval.answer_kinds import is_figure, kind_asked, names_a_kind, question_words
from context.retrieval.lexical import called, words
from context.retrieval.questions import coverage, nouns, topic_words

_LISTS: Final = closed_lists("follow_ups")
_FILLERS: Final = frozenset(_LISTS["fillers"])
_GOES_ON: Final = frozenset(_LISTS["goes_on"])
_POINTS_KO: Final = _LISTS["points_ko"]
_PEOPLE: Final = frozenset(["he", "she", "him", "her", "his", "그분"])
_POINTS_EN: Final = _PEOPLE | frozenset(
    ["it", "that", "this", "they", "them", "those", "these", "their", "its"]
)
_HERE: Final = frozenset(_LISTS["here"])
"""This meeting, is it that: nothing that was named before."""
_ONE_OF_THEM: Final = frozenset(_LISTS["one_of_them"])
_NO_SUBJECT: Final = frozenset(_LISTS["no_subject"])
_OF_A_MATTER: Final = frozenset[Wish](["fact", "none", "said_by", "summary_of"])
"""A list of the whole meeting takes nothing from the turn before."""
_MOST_WORDS: Final = 9
_CARRIED: Final = 6
_TURNS: Final = 3
"""A follow-up of a follow-up takes what that one took."""
_REMEMBERED: Final = 5
"""Questions of one asker: a follow-up reaches back a few turns at most."""
_REPLIES: Final = 200
_ONE_PLACE: Final = 6
"""What came closest to a question is one matter where it was said within so many utterances."""
_STALE_MS: Final = 600_000
"""After ten minutes "why?" is about what is being said now."""


class Exchange(NamedTuple):
    """A question of one asker, and its answer."""

    question: str
    answer: str = ""
    evidence: tuple[int, ...] = ()
    """The utterances that the answer quoted; where it was declined, what came closest."""


class FollowUp(Frozen):
    """A question with what it takes from the turn before."""

    question: str
    """As it was asked; a person that it only points at named."""
    carried: tuple[str, ...] = ()
    """Words of the earlier question: of its subject, or the one that asks."""

    @property
    def text(self) -> str:
        """The question to search by, and to show to whoever does not know the turn before."""
        return f"{self.question} ({' '.join(self.carried)})" if self.carried else self.question


def history(meeting: Meeting, asked: Invocation) -> list[Exchange]:
    """The asker's own last questions with their answers, oldest first: what a follow-up may point at.

    Private ones only where this question is private too; none from before a long silence.
    """
    own = [turn for turn in meeting.thread.earlier(asked) if turn.by == asked.by][-_REMEMBERED:]
    replies = {reply.invocation_id: reply for reply in meeting.replies[-_REPLIES:]}
    said: list[Exchange] = []
    for turn in own:
        reply = replies.get(turn.question.id)
        evidence: tuple[int, ...] = ()
        if reply is not None:
            if asked.at_ms - reply.answered_at_ms > _STALE_MS:
                continue
            in_one_place = reply.evidence and max(reply.evidence) - min(reply.evidence) <= _ONE_PLACE
            evidence = reply.evidence if in_one_place or not reply.declined else ()
        answer = turn.answer.content if turn.answer else ""
        said.append(Exchange(turn.question.content, answer, evidence))
    return said


def follow_up(
    question: str, history: Sequence[Exchange], names: Sequence[str] = (), wish: Wish = "fact"
) -> FollowUp | None:
    """What `question` takes from `history` (one asker's, oldest first); None where it stands alone.

    `names`: of the participants, for "what did she say about …?". `wish`: what it asks for.
    """
    if not history or not is_follow_up(question, wish):
        return None
    last = history[-1].question
    before = follow_up(last, history[-_TURNS:-1], names)
    own = _own(question)
    read = _named(question, before.question if before else last, names)
    if read != question and own:  # what did she say about the rest: the person was all that it left out
        return FollowUp(question=read)
    if _goes_on(question) and not _points(question) and any(not names_a_kind(word) for word in own):
        if kind_asked(question) is not None:
            return None  # "And when is the party?" only sounds as if it went on
        return FollowUp(question=question, carried=_asking(last, before))
    subject = [*_subject(last), *(before.carried if before else ())]
    carried = tuple(word for word in dict.fromkeys(subject) if word not in own)[:_CARRIED]
    return FollowUp(question=read, carried=carried) if carried else None


def is_follow_up(question: str, wish: Wish = "fact") -> bool:
    """Whether a short question points at something that it does not name, or names nothing at all."""
    if len(question.split()) > _MOST_WORDS or since_in(question) is not None or wish not in _OF_A_MATTER:
        return False
    own = _own(question)
    if _points(question) or (_goes_on(question) and len(own) <= 2):
        return True
    asks = kind_asked(question) is not None or not _ONE_OF_THEM.isdisjoint(words(question))
    return not own and asks


def answered_by_history(question: str, history: Sequence[Exchange], wish: Wish = "fact") -> bool:
    """Whether the last answer holds everything that a follow-up names (seed 002 §3.4)."""
    if not history or not is_follow_up(question, wish):
        return False
    own = _own(question)
    return bool(own) and coverage(own, history[-1].answer) >= 1.0


def _goes_on(question: str) -> bool:
    heard = [word for word in words(question) if word not in _FILLERS][:2]
    return heard[:1] != [] and (heard[0] in _GOES_ON or heard in (["what", "about"], ["how", "about"]))


def _points(question: str) -> bool:
    """Whether it says "that" of something that was said before."""
    heard = [*words(question), ""]
    if has_hangul(question):
        return any(word == "그" or word.startswith(_POINTS_KO) for word in heard)
    pointing = {word for word, behind in pairwise(heard) if word in _POINTS_EN and behind not in _HERE}
    return bool(pointing) and (len(_own(question)) <= 1 or not pointing.isdisjoint(_PEOPLE))


def _own(question: str) -> tuple[str, ...]:
    """The words that name a subject: no pointers, no figures, nothing that is only done."""
    own = tuple(word for word in nouns(question) if word not in _NO_SUBJECT and not is_figure(word))
    return () if _ONE_OF_THEM.issuperset(own) else own


def _subject(question: str) -> tuple[str, ...]:
    """What a question was about; where it names no thing, what it says is done."""
    return _own(question) or tuple(word for word in topic_words(question) if word not in _NO_SUBJECT)


def _asking(last: str, before: FollowUp | None) -> tuple[str, ...]:
    """The word that asked in the last question, or in the one that this took it from."""
    asked = question_words(last) or question_words(before.text if before else "")
    return tuple(word for word, _ in asked[:1])


def _named(question: str, before: str, names: Sequence[str]) -> str:
    """`question`, he or she named where the last question named one participant."""
    asked_of = [name for name in names if called(name, before)]
    parts = question.split()
    place = next((at for at, part in enumerate(parts) if part.lower() in _PEOPLE), None)
    if len(asked_of) != 1 or place is None:
        return question
    return " ".join([*parts[:place], asked_of[0], *parts[place + 1 :]])
