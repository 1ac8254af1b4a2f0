"""Does an answer still stand? What it rests on must be unchanged, and nothing newer said on its subject.

Not "nobody said anything since" (ruling 26): talk of other things leaves it standing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, Protocol

from context.answer_cache.reader import about_everything
from context.answer_cache.reading import Reading
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.korean import has_hangul
from context.language.said import split
from context.models import Frozen, TopicSegment, Utterance
from context.retrieval.questions import Asked, coverage, take_apart
from context.retrieval.terms import exact_terms

_OF_NO_WEIGHT: Final = frozenset({"courtesy"})
_MOST_FRESH: Final = 150
"""So much later an answer is made anew rather than everything since be read: some 40 ms."""
_SETTLING: Final = frozenset({"decision", "action", "open"})
_SHARE: Final = 0.3
"""Who said it and what they said, with this share of a question's words, is on its subject."""


class EvidenceMark(Frozen):
    """One thing that an answer rests on, and what it was like."""

    key: str
    """`utterance:12`, `topic:t3`, `passage:<id>`."""
    digest: str


class Witness(Protocol):
    """Knows how things stand now."""

    def digest(self, key: str) -> str | None:
        """What the thing is like now; None where there is none."""
        ...

    def newer_on(self, question: str, reading: Reading, after: int) -> bool:
        """Was something said on the question's subject after that utterance?"""
        ...


class MeetingWitness:
    """A meeting as it stands; `passages`: the digests of what was cited from elsewhere, by passage id."""

    def __init__(
        self,
        utterances: Sequence[Utterance],
        segments: Sequence[TopicSegment] = (),
        *,
        names: tuple[str, ...] = (),
        wake_words: tuple[str, ...] = DEFAULT_WAKE_WORDS,
        passages: Mapping[str, str] | None = None,
    ) -> None:
        """`utterances` in order of id."""
        self._utterances = utterances
        self._segments = {segment.id: segment for segment in segments}
        self._names = names
        self._wake_words = wake_words
        self._passages = passages or {}

    def digest(self, key: str) -> str | None:
        """Of an utterance its speaker and words, of a topic its notes and their version."""
        kind, _, name = key.partition(":")
        if kind == "utterance":
            said = self._utterance(int(name))
            return None if said is None else _digest(f"{said.speaker_id}\n{said.text}")
        if kind == "topic":
            topic = self._segments.get(name)
            return None if topic is None else _digest(f"{topic.version}\n{topic.notes.model_dump_json()}")
        return self._passages.get(name)

    def marks(
        self, evidence: Sequence[int], topics: Sequence[str] = (), passages: Sequence[str] = ()
    ) -> tuple[EvidenceMark, ...]:
        """The marks of what an answer cites; what does not exist has an empty digest and never stands."""
        keys = [f"utterance:{number}" for number in evidence]
        keys += [f"topic:{name}" for name in topics] + [f"passage:{name}" for name in passages]
        return tuple(EvidenceMark(key=key, digest=self.digest(key) or "") for key in keys)

    @property
    def last(self) -> int:
        """The newest utterance's id, 0 before the first."""
        return self._utterances[-1].id if self._utterances else 0

    def newer_on(self, question: str, reading: Reading, after: int) -> bool:
        """For "as of now" anything said; for the whole meeting what has weight; else what bears on it."""
        fresh = self._after(after)
        if reading.moving or len(fresh) > _MOST_FRESH:
            return bool(fresh)
        asked = None if about_everything(reading) else take_apart(question)
        return any(self._bears_on(said, asked) for said in fresh)

    def _bears_on(self, said: Utterance, asked: Asked | None) -> bool:
        """Whether it could change an answer; `asked` is None for a question on the whole meeting."""
        if wake(said.text, self._wake_words) is not None:
            return False  # said to the agent, not to the meeting
        parts = [part.text for part in split(said) if _tells(part.text, self._names)]
        if not parts or asked is None or not asked.topic:
            return bool(parts)
        kinds = {kind_of(part, self._names) for part in parts}
        if "decision" in kinds and any(_leaves_subject(part) for part in parts):
            return True  # "then we go with the twenty-second": its subject is in the talk before it
        covered = coverage(asked, f"{said.speaker_name} {said.text}")
        return covered >= _SHARE or (covered > 0 and bool(_SETTLING & kinds))

    def _after(self, number: int) -> Sequence[Utterance]:
        start = len(self._utterances)
        while start and self._utterances[start - 1].id > number:
            start -= 1
        return self._utterances[start:]

    def _utterance(self, number: int) -> Utterance | None:
        if 0 < number <= len(self._utterances) and self._utterances[number - 1].id == number:
            return self._utterances[number - 1]
        return next((each for each in self._utterances if each.id == number), None)


def _tells(text: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence says something that could change an answer; a question that proposes does."""
    kind = kind_of(text, names)
    return kind not in _OF_NO_WEIGHT and (kind != "question" or proposes(text))


def _leaves_subject(decision: str) -> bool:
    if has_hangul(decision):
        return not subject_of(decision)
    return len(_exact_terms(decision)) < 3


def _exact_terms(text: str) -> frozenset[str]:
    return frozenset(exact_terms(text))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
