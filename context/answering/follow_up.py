# ruff: noqa: E501  # patterns read better unbroken
"""Follow-ups: questions that need the turn before them to mean anything ("그럼 누가 해요?", "and when?").

What such a question leaves out it takes from the asker's last question (the words of its subject, and, for
"그럼 예산은?" and "and a new slide?", the kind of answer) and from the answer to it (the utterances it
quoted: "why?" is answered near them). A question that names a subject of its own takes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from context.language.korean import has_hangul
from context.language.since import since_in
from context.models import Frozen
from context.prompts.answering import WORDING
from context.reading.requests import Wish
from context.retrieval.questions import MEASURE, AnswerKind, called, coverage, take_apart

_OPENS: Final = re.compile(
    r"^\W*(?:아\s|음\s|네\s)?(?:그럼|그러면|그래서|그리고|그런데|근데|또)(?=[\s,])|^\W*(?:(?:ok|okay|well)\W+)?(?:and|so|then|but|what about|how about)\b",
    re.IGNORECASE,
)
_POINTS_KO: Final = re.compile(
    r"(?:^|\s)(?:그거|그것|그건|그게|그때|그분|그\s사람|거기|그\s일|이거|이건|그\s?날|그걸|그런\s?거|둘\s?다)(?:[은는이가을를도에]|한테|까지|부터|\s|\?|$)"
)
_POINTS_EN: Final = re.compile(
    r"\b(?:it|that|this|they|them|those|these|he|she|him|her|his|their|its)\b", re.IGNORECASE
)
_HERE: Final = re.compile(
    r"\b(?:this|that|these|those) (?:meeting|call|session|week|month|year|quarter|sprint|morning|afternoon)\b|\bit (?:that|true)\b",
    re.IGNORECASE,
)
"""This meeting: nothing that was named before."""
_PERSON: Final = re.compile(r"\b(?:he|she|him|her|his)\b|그분|그\s사람", re.IGNORECASE)
_ONE_OF_THEM: Final = (
    re.compile(r"첫\s?번째|첫째|\bthe first(?: one)?\b", re.IGNORECASE),
    re.compile(r"두\s?번째|둘째|\bthe (?:second|other)(?: one)?\b", re.IGNORECASE),
    re.compile(r"세\s?번째|셋째|\bthe third(?: one)?\b", re.IGNORECASE),
)
_POINTER_WORDS: Final = """
그럼 그러면 그래서 그리고 그런데 근데 또 그거 그것 그건 그게 그때 그걸 그날 그분 거기 이거 이건 그런 해요 해 한 그 번째 첫 두 세
둘째 첫째 셋째 할까 하지 한대 한대요 하기 된대 된대요 정확히 혹시 근데요 누 언제 얼마 그렇게 바뀌었어 바뀐
one exactly happen doing does done
"""
_ORDINALS: Final = frozenset(["first", "second", "third", "other"])
"""The second server is something; "the second?" points."""
_POINTERS: Final = frozenset(_POINTER_WORDS.split())
_FIGURE: Final = re.compile(
    r"^(?:\d.*|[일이삼사오육칠팔구십백천만]+(?:월|일|시|명|원|개|대|건)?|[월화수목금토일]요일|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|half)$"
)
_PER: Final = re.compile(
    r"(?<![가-힣])(?:(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|매)\s?(?:대|명|개|건|달|주|번|장|분|시간|사람)|하루|일주일|월|인당)(?:에|당|씩)?(?![가-힣]{2})"
)
"""한 대에, 하루에: of what, it does not say."""
_MEASURES_EN: Final = frozenset(["cost", "price", "deadline", "date", "fee", "amount", "size"])
_DAYS_EN: Final = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())  # noqa: SIM905  # reads better
_NOUN_OF: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    (
        "when",
        re.compile(r"[가-힣](?:일|날|날짜|기한|일정)(?:은|는)요?\W*$|\b(?:date|deadline)\W*$", re.IGNORECASE),
    ),
    (
        "how_much",
        re.compile(
            r"(?:예산|비용|금액|가격|월세|보증금|시급|요금|대금|인원)(?:은|는)요?\W*$|\b(?:budget|cost|price|rent|fee|deposit)\W*$",
            re.IGNORECASE,
        ),
    ),
)
"""A noun that says itself what is wanted of it."""
_OF_A_MATTER: Final = frozenset[Wish](["fact", "none", "said_by", "summary_of"])
"""A list of the whole meeting takes nothing from the turn before."""
_MOST_WORDS: Final = 9
_CARRIED: Final = 6
_TURNS: Final = 3
"""A follow-up of a follow-up takes what that one took."""


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
    """Words of the earlier subject."""
    near: tuple[int, ...] = ()
    """What the answer before rests on."""
    kind: AnswerKind | None = None
    """Of the answer that was wanted before, where this question does not say."""
    bare: bool = False
    """It names nothing of its own: 언제까지? why not?"""
    unsure: bool = False
    """The answer before was only the closest that was said: what is found near that is no more."""

    @property
    def text(self) -> str:
        """The question to search by, and to show to whoever does not know the turn before."""
        return f"{self.question} ({' '.join(self.carried)})" if self.carried else self.question


def follow_up(
    question: str, history: Sequence[Exchange], names: Sequence[str] = (), wish: Wish = "fact"
) -> FollowUp | None:
    """What `question` takes from `history` (one asker's, oldest first); None where it stands alone.

    `names`: of the participants, for "what did she say about …?". `wish`: what it asks for.
    """
    if not history or not is_follow_up(question, wish):
        return None
    last = history[-1]
    before = follow_up(last.question, history[-_TURNS:-1], names)
    own = _own(question)
    points = _points(question)
    read = _named(question, before.question if before else last.question, names)
    if read != question and own:  # what did she say about the rest: the person was all that it left out
        return FollowUp(question=read)
    kind = take_apart(question).kind
    wanted = next((kind for kind, noun in _NOUN_OF if noun.search(question.strip())), None)
    if own and _OPENS.search(question) and all(_is_measure(word) for word in own):
        own, kind = (), kind or wanted  # "and the price?": of the same thing
    if not points and kind is not None and _nouns(own, question):
        return None  # "And when is the party?" only sounds as if it went on
    if own and not points and _OPENS.search(question) and kind is None:
        prior = take_apart(last.question).kind or (before.kind if before else None)
        return FollowUp(question=question, kind=wanted or prior)
    subject = [*_subject(last.question), *(before.carried if before else ())]
    carried = tuple(word for word in dict.fromkeys(subject) if word not in own)[:_CARRIED]
    near = last.evidence or (before.near if before and last.answer == "" else ())
    place = next((place for place, one in enumerate(_ONE_OF_THEM) if one.search(question)), None)
    if place is not None and len(near) > place:
        near = (near[place],)
    if kind is None and (place is not None or not points) and not own:
        kind = take_apart(last.question).kind
    bare = not own
    if not carried and not near:
        return None
    unsure = any(last.answer.startswith((each["not_found"], each["closest"])) for each in WORDING.values())
    return FollowUp(question=read, carried=carried, near=near, kind=kind, bare=bare, unsure=unsure)


def is_follow_up(question: str, wish: Wish = "fact") -> bool:
    """Whether a short question points at something that it does not name, or names nothing at all."""
    if len(question.split()) > _MOST_WORDS or since_in(question) is not None or wish not in _OF_A_MATTER:
        return False
    own, asked = _own(question), take_apart(question)
    if _points(question):
        return True
    if _OPENS.search(question) is not None and len(own) <= 2:
        return True
    if own:
        return False
    return not asked.deciding and (asked.kind is not None or _one_of_them(question))


def _one_of_them(question: str) -> bool:
    return any(one.search(question) for one in _ONE_OF_THEM)


def _points(question: str) -> bool:
    """Whether it says "that" of something that was said before."""
    if has_hangul(question):
        return _POINTS_KO.search(question.strip()) is not None
    return _POINTS_EN.search(_HERE.sub(" ", question)) is not None and (
        len(_own(question)) <= 1 or _PERSON.search(question) is not None
    )


def _own(question: str) -> tuple[str, ...]:
    """The words that name a subject: no pointers, no figures, no Korean verbs."""
    asked = take_apart(_PER.sub(" ", question))
    own = []
    for word, worth in zip(asked.topic, asked.importance, strict=True):
        if word in _POINTERS or word in _DAYS_EN or _FIGURE.match(word):
            continue
        if word[0] >= "가" and worth < 1.0 and not MEASURE.match(word):
            continue
        own.append(word)
    return _more_than_ordinals(own)


def _nouns(own: Sequence[str], question: str) -> list[str]:
    """Those of a question's own words that are more than what is done."""
    asked = take_apart(_PER.sub(" ", question))
    worth = dict(zip(asked.topic, asked.importance, strict=True))
    return [word for word in own if worth.get(word, 0.0) >= 1.0]


def _subject(question: str) -> tuple[str, ...]:
    """What a question was about; where no word is clearly a noun, all that it names."""
    return _own(question) or tuple(
        word for word in take_apart(question).topic if word not in _POINTERS and not _FIGURE.match(word)
    )


def _more_than_ordinals(own: Sequence[str]) -> tuple[str, ...]:
    return () if _ORDINALS.issuperset(own) else tuple(own)


def _is_measure(word: str) -> bool:
    """A word that says what is wanted of a subject, and is none: 비용, deadline."""
    return MEASURE.match(word) is not None or word in _MEASURES_EN


def _named(question: str, before: str, names: Sequence[str]) -> str:
    """`question`, he or she named where the last question named one participant."""
    if _PERSON.search(question) is None:
        return question
    asked_of = [name for name in names if called(name, before)]
    return _PERSON.sub(asked_of[0], question, count=1) if len(asked_of) == 1 else question


def answered_by_history(question: str, history: Sequence[Exchange], wish: Wish = "fact") -> bool:
    """Whether the last answer holds everything that a follow-up names (seed 002 §3.4)."""
    if not history or not is_follow_up(question, wish):
        return False
    asked = take_apart(question).model_copy(update={"topic": _own(question)})
    return bool(asked.topic) and coverage(asked, history[-1].answer) >= 1.0
