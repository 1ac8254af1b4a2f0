"""The evidence part of a briefing: what was said that bears on a question, within a bound.

Relevance and recency share the budget: three quarters go to the passages that the index finds, each
with its neighbours, the rest (and what is left over) to the newest lines. Whole lines only, in order
of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from context.extractive.statements import current
from context.models import Frozen, TopicSegment, Utterance
from context.ports import Tokenizer
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import take_apart

_RELEVANT_SHARE: Final = 0.75
_MOST_HITS: Final = 40
_NEIGHBOURS: Final = (0, 1, -1, 2)
_WORD_TOKENS: Final = 1.3
_WORD_BUDGET: Final = 1.1
_LEAST_SCORE: Final = 0.15
"""Hits under this share of the best one's score are noise."""


class Briefing(Frozen):
    """Lines of a meeting for one question. `tokens` is a true count; `utterances` are shown, in order."""

    text: str
    tokens: int
    utterances: tuple[int, ...]


def briefing(  # noqa: PLR0917  # six things in the order in which the contract names them
    query: str,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment],
    budget_tokens: int,
    tokenizer: Tokenizer,
    index: LexicalIndex | None = None,
) -> Briefing:
    """The briefing on `query`: at most `budget_tokens`, and words × 1.3 at most 1.1 times that.

    `utterances` in order of id; `index` may hold more than them (later ones are not shown).
    """
    if not utterances or budget_tokens <= 0:
        return Briefing(text="", tokens=0, utterances=())
    index = index if index is not None else LexicalIndex(utterances)
    places = _Places(utterances)
    room = _Room(utterances, budget_tokens, tokenizer)
    for place in _relevant(query, places, segments, index):
        if room.tokens >= budget_tokens * _RELEVANT_SHARE:
            break
        room.take(place)
    misses = 0
    for place in range(len(utterances) - 1, -1, -1):
        if not room.take(place):
            misses += 1
            if misses > 3:
                break
    return room.briefing()


class _Places:
    """From utterance ids to places in the sequence; ids mostly count from 1."""

    def __init__(self, utterances: Sequence[Utterance]) -> None:
        self._utterances = utterances
        self._table: dict[int, int] | None = None

    def of(self, utterance_id: int) -> int | None:
        place = utterance_id - self._utterances[0].id
        if 0 <= place < len(self._utterances) and self._utterances[place].id == utterance_id:
            return place
        if self._utterances[-1].id - self._utterances[0].id + 1 == len(self._utterances):
            return None
        if self._table is None:
            self._table = {utterance.id: at for at, utterance in enumerate(self._utterances)}
        return self._table.get(utterance_id)

    def __len__(self) -> int:
        return len(self._utterances)


def _relevant(
    query: str, places: _Places, segments: Sequence[TopicSegment], index: LexicalIndex
) -> Iterable[int]:
    """Places worth showing, best first: hits, their neighbours, what decisions on the subject rest on."""
    asked = take_apart(query)
    hits = index.search(asked.query or query, _MOST_HITS)
    if not hits and asked.query:
        hits = index.search(query, _MOST_HITS)
    best = hits[0][1] if hits else 0.0
    found = [places.of(utterance_id) for utterance_id, score in hits if score >= best * _LEAST_SCORE]
    seen: set[int] = set()
    if asked.deciding and not asked.topic:
        for segment in segments:
            for decision in current(segment.notes.decisions):
                found[:0] = [places.of(utterance_id) for utterance_id in decision.evidence]
    for place in found:
        if place is None:
            continue
        for step in _NEIGHBOURS:
            near = place + step
            if 0 <= near < len(places) and near not in seen:
                seen.add(near)
                yield near


class _Room:
    """The budget as it fills: the sum of each line's tokens, its newline counted with it."""

    def __init__(self, utterances: Sequence[Utterance], budget: int, tokenizer: Tokenizer) -> None:
        self._utterances = utterances
        self._budget = budget
        self._tokenizer = tokenizer
        self._lines: dict[int, tuple[str, int, int]] = {}
        self.tokens = 0
        self._words = 0

    def take(self, place: int) -> bool:
        """Show a line if it fits; one that is shown already fits."""
        if place in self._lines:
            return True
        line = _line(self._utterances[place])
        if len(line) > self._budget * 12:
            return False
        words = len(line.split())
        if (self._words + words) * _WORD_TOKENS > self._budget * _WORD_BUDGET:
            return False
        tokens = self._tokenizer.count(line + "\n")
        if self.tokens + tokens > self._budget:
            return False
        self._lines[place] = (line, tokens, words)
        self.tokens += tokens
        self._words += words
        return True

    def briefing(self) -> Briefing:
        """The lines in order of time. Counted once more as a whole: joints may cost."""
        shown = sorted(self._lines)
        while True:
            text = "\n".join(self._lines[place][0] for place in shown)
            tokens = self._tokenizer.count(text)
            if tokens <= self._budget or not shown:
                break
            shown.pop(0)
        ids = tuple(self._utterances[place].id for place in shown)
        return Briefing(text=text, tokens=tokens, utterances=ids)


def _line(utterance: Utterance) -> str:
    """[HH:MM:SS] name: text, on one line."""
    text = " ".join(utterance.text.split())
    return f"[{utterance.absolute_timestamp:%H:%M:%S}] {utterance.speaker_name}: {text}"
