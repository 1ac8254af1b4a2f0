"""An answer that is kept, the occasion of its question, who else may get it, and whether it still holds.

`is_for_asker_alone` tells a personal answer by what a model was shown of the asker and what it made of that.
Nearly every prompt says who asks, and that alone makes no answer personal. A doubt makes it so: a miss costs
time, a leak costs trust. Korean leaves "I" out ("뭐 해야 하죠?"), so the answer is read as well.

An answer stands (`MeetingWitness`) while what it rests on is unchanged and nothing newer was said on its
subject; talk of other things leaves it standing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import AwareDatetime

from context.answer_cache.compared_question import ComparedQuestion
from context.evidence.figures import figures
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.closed_lists import closed_lists
from context.language.dates import lone_days, month_days, weekdays
from context.language.first_person import says_i
from context.language.questions import is_question, sentences
from context.models import AgentCallType, Frozen, Utterance
from context.primitives.person_names import called
from context.question import Intent
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.index_terms import words
from context.retrieval.question_subject import coverage, topic_words

Vector = NDArray[np.float32]


@dataclass(slots=True)
class CacheEntry:
    """A verified answer, the question it answered, and what it rests on."""

    query: str
    response: str
    occasion: Occasion
    reading: ComparedQuestion
    evidence: Mapping[int, str]
    """The numbers of the utterances that it cites, each with its digest (`MeetingWitness.digest`)."""
    after_utterance: int
    """The number of the newest utterance when it was made."""
    tokens: int
    """The tokens that making it took, in and out; each hit saves them."""
    time_ms: float
    """How long making it took; each hit saves that."""
    stored_at: datetime
    quality: float = 1.0
    """The score of its quality check, 0 to 1."""
    readers: frozenset[str] = frozenset()
    """The identities that may read all that it rests on; empty stands for everybody."""
    vector: Vector | None = None
    """The question's embedding, of length 1."""
    encoder: str = ""
    """The name of what made `vector`."""
    elsewhere: bool = False
    """Whether it may rest on other meetings or documents."""
    hit_count: int = 0

    def may_be_read_by(self, occasion: Occasion) -> bool:
        """Whether whoever asks there may read it: if private, only its asker privately; else its readers."""
        if self.occasion.private and not (occasion.private and occasion.asker == self.occasion.asker):
            return False
        return not self.readers or occasion.asker in self.readers


class Occasion(Frozen):
    """The circumstances of one question; a kept answer is given only on its own `shelf`."""

    meeting_id: str
    at: AwareDatetime
    """The moment, in the zone in which the asker counts days."""
    tenant: str = "default"
    asker: str = ""
    private: bool = False
    """Whether the answer is for the asker's eyes alone."""
    call_type: AgentCallType = "IMMEDIATE_RESPONSE"
    intent: Intent = "fact"
    """What the question asks for."""
    language: str = "auto"
    """The language of the answer: ko, en or auto."""
    names: tuple[str, ...] = ()
    """The participants' names."""
    erasures: int = 0
    """How many erasures the meeting had: an answer from before one may have words that rest on what was
    erased, whatever it cites, and is not given behind it."""
    maker: str = ""
    """The model or engine that answers, and a digest of its flags: another maker's answers differ."""

    @property
    def shelf(self) -> tuple[str, ...]:
        """What two questions must share for one to get the other's answer; also the day: "tomorrow" moves."""
        day = self.at.date().isoformat()
        own = self.tenant, self.meeting_id, str(self.erasures)
        return (*own, self.call_type, self.language, self.maker, day)


_LISTS: Final = closed_lists("people")
_SECOND_PERSON_EN: Final = frozenset(_LISTS["you_en"])


def is_for_asker_alone(
    question: str, answer: str, *, name: str = "", personal: bool = False, tasks: Sequence[str] = ()
) -> bool:
    """Whether somebody else who asks the same must not get this answer.

    `name`: the asker's. `personal`: whether the model was shown something of a personal `Kind` of the asker,
    such as their health: it may bear on anything. `tasks`: the asker's tasks that it was shown; they count
    where the answer takes one up.
    """
    if personal or says_i(question) or called(name, answer):
        return True
    said = words(answer)
    if not _SECOND_PERSON_EN.isdisjoint(said) or any(word.startswith(_LISTS["you_ko"]) for word in said):
        return True
    return any(coverage(topic_words(task), answer) > 0 for task in tasks)


_MAX_NEWER_UTTERANCES: Final = 150
"""Most newer utterances that are read (some 40 ms); after more the answer is made anew."""
_TOPIC_SHARE: Final = 0.3
"""The share of a question's words with which an utterance, with its speaker's name, is on its subject."""
_FEW_WORDS: Final = 3
"""Most words of a sentence that leaves its subject to the talk before ("then the 22nd")."""


class MeetingWitness:
    """A meeting as it stands now: tells whether a kept answer still holds."""

    def __init__(
        self, utterances: Sequence[Utterance], *, wake_words: tuple[str, ...] = DEFAULT_WAKE_WORDS
    ) -> None:
        """Look at all utterances of the meeting, number n at n - 1."""
        self._utterances = utterances
        self._wake_words = wake_words

    def digest(self, number: int) -> str:
        """A digest of an utterance's speaker and words; "" where there is no such utterance."""
        if not 0 < number <= len(self._utterances):
            return ""
        said = self._utterances[number - 1]
        text = f"{said.speaker_id}\n{said.text}"
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def marks(self, evidence: Sequence[int]) -> dict[int, str]:
        """The digests of the utterances that an answer cites, by number; "" for one that does not exist."""
        return {number: self.digest(number) for number in evidence}

    def newer_on(self, question: str, reading: ComparedQuestion, after: int) -> bool:
        """Whether something that may change the answer to a question was said after utterance `after`.

        For a question about the state as of now that is anything, about the whole meeting any statement, else
        a statement on its subject. More than `_MAX_NEWER_UTTERANCES` utterances always count.
        """
        fresh = self._utterances[after:]
        if reading.moving or len(fresh) > _MAX_NEWER_UTTERANCES:
            return bool(fresh)
        topic = () if reading.of_everything else topic_words(question)
        return any(self._bears_on(said, topic) for said in fresh)

    def _bears_on(self, said: Utterance, topic: Sequence[str]) -> bool:
        """Whether an utterance could change an answer; without `topic` it is on the whole meeting."""
        if without_wake_word(said.text, self._wake_words) is not None:
            return False  # said to the agent, not to the meeting
        told = [part for part in sentences(said.text) if _tells(part)]
        if not told or not topic or coverage(topic, f"{said.speaker_name} {said.text}") >= _TOPIC_SHARE:
            return bool(told)
        return any(len(_words(part)) <= _FEW_WORDS and _names_a_figure(part) for part in told)


def _tells(text: str) -> bool:
    """Whether a sentence states or proposes (shall we?) something: no courtesy, and no other question."""
    asks = is_question(text) and kind_asked(text) is not None
    return not asks and (bool(_words(text)) or _names_a_figure(text))


def _words(text: str) -> list[str]:
    return [word for word in topic_words(text) if len(word) > 1 and word.isalpha()]


def _names_a_figure(text: str) -> bool:
    return bool(figures(text) or weekdays(text) or month_days(text) or lone_days(text))
