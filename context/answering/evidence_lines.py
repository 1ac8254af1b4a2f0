"""The evidence for a question: lines of the meeting that bear on it, within a budget of tokens and words.

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
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from context.language.transcriber_marks import legible
from context.models import Frozen, TopicSegment, Utterance
from context.ports import Tokenizer
from context.question import Intent
from context.retrieval.evidence import Ranked, rank
from context.retrieval.lexical import Floats, LexicalIndex
from context.statements.ledger import current

_LEFT_OUT_LINES: Final = 2
"""Lines that may be missing within a stretch that stands under one time."""
_TITLES: Final = frozenset(
    ("the", "of", "and", "for", "dr", "mr", "ms", "mrs", "hon", "prof", "phd", "grad", "am", "mp")
)
_CONTINUED: Final = "  "
_NAME_WORD: Final = re.compile(r"[^\W\d_]{2,}|[A-Z]")
_DECISIONS_SHARE: Final = 0.5
_MOST_HITS: Final = 3
_NUMBER_LINES: Final = 30
"""How many of the lines nearest by words are looked at for the question's numbers."""
_NUMBER: Final = re.compile(r"\d+")
_HITS_SHARE: Final = 0.3
_HITS_TOKENS: Final = 150
_NEWEST_SHARE: Final = 0.04
_WORD_TOKENS: Final = 1.3
_WORDS_PER_BUDGET: Final = 1.1
"""Words times the one are at most the budget times the other: the second bound, of `moim briefing`."""
_CHARS_PER_TOKEN: Final = 12
"""A line that is longer than the budget times this cannot fit, whatever the tokenizer."""
_RECOUNT_SHARE: Final = 0.05
"""The page is counted as a whole again only when it has grown by this share of the budget."""
_MOST_MISSES: Final = 15
"""After so many lines in a row that no longer fit, the page is full."""

Cost = tuple[int, int]
"""What a piece adds to the page: tokens (counted by itself; joined, it may take a few fewer), and words."""


class Line(NamedTuple):
    """An utterance's text as it is shown, without time and name, and its size in tokens and words."""

    text: str
    tokens: int
    words: int


class Briefing(Frozen):
    """Lines of a meeting for one question: the text, its true token count, and the ids it shows, in order."""

    text: str
    tokens: int
    utterances: tuple[int, ...]
    wanted: tuple[int, ...] = ()
    """The ids of `utterances`, the most wanted first."""


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
    intent: Intent = "fact",
) -> Briefing:
    """The briefing on `query`: at most `budget_tokens`, and words × 1.3 at most 1.1 times that; may be empty.

    `utterances` stand in order of id; `index` may hold later ones too, which are not shown, and is made where
    there is none that fits. `over`: the meeting has ended, so the newest lines are no likelier asked for than
    the rest. `close`: how close each utterance's passage is to the question, where there are vectors
    (`retrieval.ranker.per_utterance`). `intent`: what the question asks for.
    """
    if not utterances or budget_tokens <= 0:
        return Briefing(text="", tokens=0, utterances=())
    if index is None or not index.holds(utterances):
        index = LexicalIndex(utterances)
    ranked = rank(query, index, len(utterances), over=over, close=close)
    names = short_names(index.names_among(len(utterances)))
    known = index.shown.setdefault(tokenizer.name, {})
    page = _Page(utterances, names, budget_tokens, tokenizer, known)
    if intent == "decisions":
        page.fill(_decided(utterances, segments), budget_tokens * _DECISIONS_SHARE)
    page.fill(_numbered(query, utterances, index), min(budget_tokens * _HITS_SHARE, _HITS_TOKENS))
    page.fill(_named(ranked, len(utterances)), min(budget_tokens * _HITS_SHARE, _HITS_TOKENS))
    page.fill(range(len(utterances) - 1, -1, -1), budget_tokens * _NEWEST_SHARE)
    misses = 0
    held = index.sizes(len(utterances))[ranked.places]
    # By what their words are expected to tell against what their line costs.
    worth = ranked.scores + np.log(np.maximum(held, 1e-3) / (held + 1))
    for row in np.argsort(-worth, kind="stable"):
        misses = 0 if page.take(int(ranked.places[row])) else misses + 1
        if misses > _MOST_MISSES:
            break
    return page.briefing()


def _decided(utterances: Sequence[Utterance], segments: Sequence[TopicSegment]) -> Iterator[int]:
    """Places of what the standing decisions rest on."""
    places = {utterance.id: place for place, utterance in enumerate(utterances)}
    for segment in reversed(segments):
        for decision in current(segment.notes.decisions):
            yield from (places[id_] for id_ in decision.evidence if id_ in places)


def _numbered(query: str, utterances: Sequence[Utterance], index: LexicalIndex) -> Iterator[int]:
    """Places of the nearest lines that hold all numbers of the question: these tell like from like."""
    numbers = set(_NUMBER.findall(query))
    if not numbers:
        return
    for id_, _ in index.search(query, _NUMBER_LINES):
        place = id_ - utterances[0].id
        if 0 <= place < len(utterances) and numbers <= set(_NUMBER.findall(utterances[place].text)):
            yield place


def _named(ranked: Ranked, heard: int) -> Iterator[int]:
    """Places of the few lines that match the question best by themselves, then of those right after them."""
    best = [row for row in np.argsort(-ranked.own, kind="stable")[:_MOST_HITS] if ranked.own[row] > 0]
    hits = [int(ranked.places[row]) for row in best]
    yield from hits
    yield from (place + 1 for place in hits if place + 1 < heard)


class _Page:
    """Lines of one meeting, put in place one by one, as many as fit into the budget."""

    def __init__(
        self,
        utterances: Sequence[Utterance],
        names: dict[str, str],
        budget: int,
        tokenizer: Tokenizer,
        known: dict[int, Line],
    ) -> None:
        """`names`: each speaker's short name, shown from the second time on.

        `known`: lines that were counted before, by place; new ones are added to it.
        """
        self._utterances, self._short, self._lines = utterances, names, known
        self._budget = budget
        self._most_words = int(budget * _WORDS_PER_BUDGET / _WORD_TOKENS)
        self._count = tokenizer.count
        self._stamp = self._count("\n\n[00:00:00] "), 1
        self._continued = self._count("\n" + _CONTINUED), 0
        self._names: dict[str, Cost] = {}
        self._named: set[str] = set()
        self._places: list[int] = []
        """The places of the lines in the meeting, ascending."""
        self._taken: list[int] = []
        """The same places, the most wanted first."""
        self._tokens = self._words = 0
        self._spare = self._counted = 0
        """By how many tokens the whole was less than its parts when it was last counted, and at which sum."""

    def fill(self, places: Iterable[int], most_tokens: float) -> None:
        """Show lines until they have come to `most_tokens`; one line at least, if one fits."""
        began = self._tokens
        for place in places:
            if self._tokens - began >= most_tokens:
                break
            self.take(place)

    def take(self, place: int) -> bool:
        """Show a line; False where it does not fit. One that shows already, or is empty, takes no room."""
        if len(self._utterances[place].text) > self._budget * _CHARS_PER_TOKEN:
            return False
        cost = self._cost_of(place)
        if cost is None:
            return True
        tokens, words = self._tokens + cost[0], self._words + cost[1]
        if words > self._most_words:
            return False
        if tokens > self._budget + self._spare:
            # The parts come to more than the whole: there may be room once that is counted.
            if self._tokens - self._counted < self._budget * _RECOUNT_SHARE:
                return False
            self._counted = self._tokens
            self._spare = self._tokens - self._count(self._text())
            if tokens > self._budget + self._spare:
                return False
        self._tokens, self._words = tokens, words
        insort(self._places, place)
        self._taken.append(place)
        self._named.add(self._speaker(place))
        return True

    def briefing(self) -> Briefing:
        """The page in order of time, counted as a whole; the oldest lines leave where that is too much."""
        text = self._text()
        while self._places and (self._count(text) > self._budget or len(text.split()) > self._most_words):
            self._places.pop(0)
            text = self._text()
        shown = set(self._places)
        return Briefing(
            text=text,
            tokens=self._count(text),
            utterances=tuple(self._utterances[place].id for place in self._places),
            wanted=tuple(self._utterances[place].id for place in self._taken if place in shown),
        )

    def _cost_of(self, place: int) -> Cost | None:
        """The cost of showing this line; None for one that shows already or that says nothing."""
        at = bisect_left(self._places, place)
        after = self._places[at] if at < len(self._places) else None
        line = self._line(place)
        if after == place or not line.words:
            return None
        before = self._places[at - 1] if at else None
        tokens, words = self._prefix(before, place)
        if after is not None:
            now, then = self._prefix(before, after), self._prefix(place, after)
            tokens, words = tokens + then[0] - now[0], words + then[1] - now[1]
        name = self._speaker(place)
        if name not in self._named:
            full, short = self._name(name), self._name(self._short.get(name, name))
            tokens, words = tokens + full[0] - short[0], words + full[1] - short[1]
        return tokens + line.tokens, words + line.words

    def _text(self) -> str:
        """The page as it is read."""
        lines: list[str] = []
        named: set[str] = set()
        before: int | None = None
        for place in self._places:
            name = self._speaker(place)
            prefix = _CONTINUED
            stamped = _starts(before, place)
            if stamped or before is None or self._speaker(before) != name:
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
        name = self._speaker(place)
        stamped = _starts(before, place)
        if not stamped and before is not None and self._speaker(before) == name:
            return self._continued
        tokens, words = self._name(self._short.get(name, name))
        return (tokens + self._stamp[0], words + self._stamp[1]) if stamped else (tokens, words)

    def _name(self, name: str) -> Cost:
        if name not in self._names:
            self._names[name] = self._count(f"\n{name}: "), len(f"{name}:".split())
        return self._names[name]

    def _speaker(self, place: int) -> str:
        """The name of who spoke there, on one line."""
        return " ".join(self._utterances[place].speaker_name.split())


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The names on one line: of each the first word that nobody else's has, titles aside, or all of it."""
    known = list(dict.fromkeys(" ".join(name.split()) for name in names))
    words = {name: _NAME_WORD.findall(name.partition("(")[0]) for name in known}
    counts = Counter(word.lower() for name in known for word in set(words[name]))
    found: dict[str, str] = {}
    for name in known:
        own = [word for word in words[name] if word.lower() not in _TITLES and counts[word.lower()] == 1]
        found[name] = own[0] if own and " " in name else name
    return found


def _starts(before: int | None, place: int) -> bool:
    """Whether a stretch under its own time begins at `place`, where the line before it stands at `before`."""
    return before is None or place - before > _LEFT_OUT_LINES + 1
