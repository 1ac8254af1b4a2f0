"""The evidence part of a briefing: what was said that bears on a question, within a bound.

Relevance and recency share the budget. What decisions on the subject rest on comes first, then a few of
the newest lines, then whatever the ranker expects to tell the most per word; it has learned how often
people ask about what was just said. Whole lines only, in order of time, in stretches under one time of day:

    [14:30:05] Project Manager: So who draws the case?
    Industrial: I do, until Friday.
      And the buttons.

    [14:52:40] Project: That is settled, then.

A stretch goes on while no more than two utterances are left out. A name stands where the speaker changes,
in full the first time, then as the word of it that nobody else's name has: what is not spent on prefixes is
evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from context.ledger import current
from context.models import Frozen, TopicSegment, Utterance
from context.ports import Tokenizer
from context.reading.requests import request_in
from context.retrieval.evidence import Ranked, rank
from context.retrieval.lexical import Floats, LexicalIndex, legible

_LEFT_OUT: Final = 2
_TITLES: Final = frozenset(
    ("the", "of", "and", "for", "dr", "mr", "ms", "mrs", "hon", "prof", "phd", "grad", "am", "mp")
)
_CONTINUED: Final = "  "
_NAME_WORD: Final = re.compile(r"[^\W\d_]{2,}|[A-Z]")

Cost = tuple[int, int]
"""What something adds: tokens (a sum of parts; the whole takes a few fewer), and words."""


class Line(NamedTuple):
    """An utterance as it is shown, without its prefix."""

    text: str
    tokens: int
    words: int


class Page:
    """Lines of one meeting, put in place one by one, and what they come to."""

    def __init__(
        self,
        utterances: Sequence[Utterance],
        names: dict[str, str],
        count: Callable[[str], int],
        known: dict[int, Line] | None = None,
    ) -> None:
        """`names`: how each speaker is called after the first time; `count`: tokens of a text.

        `known`: lines of these utterances that were counted before; new ones are added to it.
        """
        self._utterances, self._short, self._count = utterances, names, count
        self._lines = known if known is not None else {}
        self._speakers = _Speakers(utterances)
        self._named: set[str] = set()
        self._parts: dict[str, Cost] = {}
        self._stamp = count("\n\n[00:00:00] "), 1
        self._continued = count("\n" + _CONTINUED), 0
        self.places: list[int] = []
        """Where the lines stand in the meeting, ascending."""
        self.tokens = 0
        self.words = 0

    def cost_of(self, place: int) -> Cost | None:
        """What this line would add; None for one that shows already or that says nothing."""
        at = bisect_left(self.places, place)
        after = self.places[at] if at < len(self.places) else None
        if after == place:
            return None
        line = self._line(place)
        if not line.words:
            return None
        before = self.places[at - 1] if at else None
        tokens, words = self._prefix(before, place)
        if after is not None:
            now, then = self._prefix(before, after), self._prefix(place, after)
            tokens, words = tokens + then[0] - now[0], words + then[1] - now[1]
        name = self._speakers[place]
        if name not in self._named:
            full, short = self._name(name), self._name(self._short.get(name, name))
            tokens, words = tokens + full[0] - short[0], words + full[1] - short[1]
        return tokens + line.tokens, words + line.words

    def put(self, place: int, cost: Cost) -> None:
        """Show a line, at what `cost_of` said."""
        insort(self.places, place)
        self._named.add(self._speakers[place])
        self.tokens += cost[0]
        self.words += cost[1]

    def text(self) -> str:
        """The page as it is read."""
        lines: list[str] = []
        named: set[str] = set()
        before: int | None = None
        for place in self.places:
            name = self._speakers[place]
            prefix = _CONTINUED
            stamped = _starts(before, place)
            if stamped or before is None or self._speakers[before] != name:
                prefix = f"{self._short.get(name, name) if name in named else name}: "
            if stamped:
                if before is not None:
                    lines.append("")
                prefix = f"[{self._utterances[place].absolute_timestamp:%H:%M:%S}] {prefix}"
            named.add(name)
            lines.append(prefix + self._line(place).text)
            before = place
        return "\n".join(lines)

    def _line(self, place: int) -> Line:
        line = self._lines.get(place)
        if line is None:
            text = legible(self._utterances[place].text)
            line = self._lines[place] = Line(text, self._count(text), text.count(" ") + 1 if text else 0)
        return line

    def _prefix(self, before: int | None, place: int) -> Cost:
        name = self._speakers[place]
        stamped = before is None or place - before > _LEFT_OUT + 1
        if not stamped and before is not None and self._speakers[before] == name:
            return self._continued
        tokens, words = self._name(self._short.get(name, name))
        return (tokens + self._stamp[0], words + self._stamp[1]) if stamped else (tokens, words)

    def _name(self, name: str) -> Cost:
        cost = self._parts.get(name)
        if cost is None:
            cost = self._parts[name] = self._count(f"\n{name}: "), len(f"{name}:".split())
        return cost


class _Speakers(dict[int, str]):
    """The name of who spoke at each place, on one line."""

    def __init__(self, utterances: Sequence[Utterance]) -> None:
        super().__init__()
        self._utterances = utterances

    def __missing__(self, place: int) -> str:
        name = self[place] = " ".join(self._utterances[place].speaker_name.split())
        return name


def short_names(names: Iterable[str]) -> dict[str, str]:
    """For each name the word that tells it from the others, or the whole name."""
    known = list(dict.fromkeys(" ".join(name.split()) for name in names))
    words = {name: _NAME_WORD.findall(name.partition("(")[0]) for name in known}
    counts = Counter(word.lower() for name in known for word in set(words[name]))
    found: dict[str, str] = {}
    for name in known:
        own = [word for word in words[name] if word.lower() not in _TITLES and counts[word.lower()] == 1]
        found[name] = own[0] if own and " " in name else name
    return found


def _starts(before: int | None, place: int) -> bool:
    return before is None or place - before > _LEFT_OUT + 1


_DECISIONS_SHARE: Final = 0.5
_HITS: Final = 3
_HITS_SHARE: Final = 0.3
_HITS_TOKENS: Final = 150
_NEWEST_SHARE: Final = 0.04
_WORD_TOKENS: Final = 1.3
_WORD_BUDGET: Final = 1.1
_CHARS_PER_TOKEN: Final = 12
_WORTH_COUNTING: Final = 0.05
_MISSES: Final = 15
"""After so many lines in a row that no longer fit, the room is full."""


class Briefing(Frozen):
    """Lines of a meeting for one question. `tokens` is a true count; `utterances` are shown, in order."""

    text: str
    tokens: int
    utterances: tuple[int, ...]
    wanted: tuple[int, ...] = ()
    """The same, the most wanted first."""


def briefing(  # noqa: PLR0917  # six things in the order in which the contract names them
    query: str,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment],
    budget_tokens: int,
    tokenizer: Tokenizer,
    index: LexicalIndex | None = None,
    *,
    over: bool = False,
    close: Floats | None = None,
) -> Briefing:
    """The briefing on `query`: at most `budget_tokens`, and words × 1.3 at most 1.1 times that.

    `utterances` in order of id; `index` may hold more than them (later ones are not shown). `over`: the
    meeting has ended, so that the newest is no likelier asked for than the rest. `close`: how close each
    utterance's passage is to the question, where there are vectors (`retrieval.dense.per_utterance`).
    """
    if not utterances or budget_tokens <= 0:
        return Briefing(text="", tokens=0, utterances=())
    if index is None or not index.holds(utterances):
        index = LexicalIndex(utterances)
    ranked = rank(query, index, len(utterances), over=over, close=close)
    names = short_names(index.names_among(len(utterances)))
    known = index.shown.setdefault(tokenizer.name, {})
    room = _Room(Page(utterances, names, tokenizer.count, known), utterances, budget_tokens, tokenizer)
    room.fill(_decided(query, utterances, segments), budget_tokens * _DECISIONS_SHARE)
    room.fill(_named(ranked, len(utterances)), min(budget_tokens * _HITS_SHARE, _HITS_TOKENS))
    room.fill(range(len(utterances) - 1, -1, -1), budget_tokens * _NEWEST_SHARE)
    misses = 0
    for place in _relevant(ranked, index.sizes(len(utterances))):
        misses = 0 if room.take(place) else misses + 1
        if misses > _MISSES:
            break
    return room.briefing()


def _decided(query: str, utterances: Sequence[Utterance], segments: Sequence[TopicSegment]) -> Iterator[int]:
    """Where a question asks for all that was decided: what the decisions rest on."""
    if request_in(query).wish != "decisions":
        return
    places: dict[int, int] | None = None
    for segment in reversed(segments):
        for decision in current(segment.notes.decisions):
            if places is None:
                places = {utterance.id: place for place, utterance in enumerate(utterances)}
            yield from (places[id_] for id_ in decision.evidence if id_ in places)


def _named(ranked: Ranked, heard: int) -> Iterator[int]:
    """The lines that name what is asked about most plainly, then those right after them."""
    best = [row for row in np.argsort(-ranked.own, kind="stable")[:_HITS] if ranked.own[row] > 0]
    hits = [int(ranked.places[row]) for row in best]
    yield from hits
    yield from (place + 1 for place in hits if place + 1 < heard)


def _relevant(ranked: Ranked, sizes: Floats) -> Iterator[int]:
    """Places, by what their words are expected to tell against what their line costs."""
    held = sizes[ranked.places]
    worth = ranked.scores + np.log(np.maximum(held, 1e-3) / (held + 1))
    for row in np.argsort(-worth, kind="stable"):
        yield int(ranked.places[row])


class _Room:
    """The budget as it fills."""

    def __init__(
        self, page: Page, utterances: Sequence[Utterance], budget: int, tokenizer: Tokenizer
    ) -> None:
        self.page = page
        self._utterances = utterances
        self._budget = budget
        self._most_words = int(budget * _WORD_BUDGET / _WORD_TOKENS)
        self._tokenizer = tokenizer
        self._taken: list[int] = []
        self._spare = 0
        """So many tokens fewer is the whole than its parts, when last counted."""
        self._counted = 0

    def fill(self, places: Iterable[int], most_tokens: float) -> None:
        """Show lines until they have come to `most_tokens`; one line at least, if one fits."""
        began = self.page.tokens
        for place in places:
            if self.page.tokens - began >= most_tokens:
                break
            self.take(place)

    def take(self, place: int) -> bool:
        """Show a line if it fits; one that shows already, or says nothing, takes no room."""
        if len(self._utterances[place].text) > self._budget * _CHARS_PER_TOKEN:
            return False
        cost = self.page.cost_of(place)
        if cost is None:
            return True
        tokens, words = self.page.tokens + cost[0], self.page.words + cost[1]
        if words > self._most_words:
            return False
        if tokens > self._budget + self._spare and not self._recounted(tokens):
            return False
        self.page.put(place, cost)
        self._taken.append(place)
        return True

    def _recounted(self, wanted: int) -> bool:
        """The parts come to more than the whole: is there room for `wanted` once that is counted?"""
        if self.page.tokens - self._counted < self._budget * _WORTH_COUNTING:
            return False
        self._counted = self.page.tokens
        self._spare = self._counted - self._tokenizer.count(self.page.text())
        return wanted <= self._budget + self._spare

    def briefing(self) -> Briefing:
        """What shows, in order of time. Counted once more as a whole: joints may cost."""
        while True:
            text = self.page.text()
            tokens = self._tokenizer.count(text)
            fits = tokens <= self._budget and len(text.split()) <= self._most_words
            if fits or not self.page.places:
                break
            self.page.places.pop(0)
        ids = tuple(self._utterances[place].id for place in self.page.places)
        shown = set(ids)
        taken = (self._utterances[place].id for place in self._taken)
        return Briefing(
            text=text, tokens=tokens, utterances=ids, wanted=tuple(id_ for id_ in taken if id_ in shown)
        )
