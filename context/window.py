"""The raw windows of L0: the newest utterances within limits of turns and tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from context.models import Utterance
from context.ports import Tokenizer

_TIMESTAMP_TOKENS: Final = 9
"""A shown line's `[HH:MM:SS] ` in any of the known encodings, at most."""


class RoughTokenizer:
    """Half of the UTF-8 bytes: above the true count for ordinary Korean and English, at no cost.

    Good enough to size a window; whoever fills a prompt counts with the model's own tokenizer.
    """

    name = "rough"

    def count(self, text: str) -> int:
        """An upper guess of the tokens of `text`."""
        return len(text.encode("utf-8", "replace")) // 2 + 1


_MOST_A_CHAR: Final = 8
_MOST_A_LINE: Final = 32
"""Tokens that no counter gives more of: UTF-8 has 4 bytes a character, and an estimate some more."""


class LineCounter:
    """What an utterance costs when it is shown as `[time] name: text`."""

    def __init__(self, tokenizer: Tokenizer, *, timestamps: bool) -> None:
        self._tokenizer = tokenizer
        self._head = _TIMESTAMP_TOKENS if timestamps else 0
        self._last = (0, 0)
        """The newest utterance that was counted: two windows show the same."""

    def count(self, utterance: Utterance) -> int:
        """Tokens of the whole line."""
        number, tokens = self._last
        if number != utterance.id:
            tokens = self._head + self._tokenizer.count(f"{utterance.speaker_name}: {utterance.text}")
            self._last = utterance.id, tokens
        return tokens

    def forget(self) -> None:
        """An utterance that was counted has other words now."""
        self._last = (0, 0)

    def at_most(self, utterance: Utterance) -> int:
        """No fewer than those, at no cost."""
        chars = len(utterance.speaker_name) + len(utterance.text)
        return self._head + _MOST_A_LINE + _MOST_A_CHAR * chars


class Window:
    """Newest utterances, oldest first; never more than `max_turns` or `max_tokens`.

    The newest one always stays, however long. `keep_from` holds utterances back from leaving:
    the topic buffer keeps what no summary covers yet, even beyond its limits.

    Lines are counted when it matters: when somebody asks for `tokens`, or what is not counted might be
    too much. Counting exactly is what costs time here, and the fold has none.
    """

    def __init__(self, counter: LineCounter, *, max_turns: int, max_tokens: int) -> None:
        self.utterances: deque[Utterance] = deque()
        self._counter = counter
        self._counted = 0
        """Tokens of the lines that are counted: `_costs`, the oldest first."""
        self._costs: deque[int] = deque()
        self._bounds: deque[int] = deque()
        """No fewer tokens than each of the others has."""
        self._bound = 0
        self._max_turns = max_turns
        self._max_tokens = max_tokens

    def __len__(self) -> int:
        return len(self.utterances)

    @property
    def tokens(self) -> int:
        """Add up the tokens of all lines."""
        self.count()
        return self._counted

    def count(self) -> None:
        """Count what is not counted yet."""
        while self._bounds:
            cost = self._counter.count(self.utterances[len(self._costs)])
            self._bound -= self._bounds.popleft()
            self._costs.append(cost)
            self._counted += cost

    @property
    def over(self) -> bool:
        """Whether something has to leave."""
        if len(self.utterances) > self._max_turns:
            return True
        return self._counted + self._bound > self._max_tokens and self.tokens > self._max_tokens

    def add(self, utterance: Utterance) -> None:
        """Take in the newest utterance; call `trim` afterwards."""
        bound = self._counter.at_most(utterance)
        self.utterances.append(utterance)
        self._bounds.append(bound)
        self._bound += bound

    def trim(self, keep_from: int | None = None) -> None:
        """Let the oldest leave until the limits hold, but nothing with an id of `keep_from` or above."""
        while self.over and len(self.utterances) > 1:
            if keep_from is not None and self.utterances[0].id >= keep_from:
                return
            self.utterances.popleft()
            if self._costs:
                self._counted -= self._costs.popleft()
            else:
                self._bound -= self._bounds.popleft()

    def refill(self, utterances: Iterable[Utterance]) -> None:
        """Start anew with these utterances."""
        self.utterances.clear()
        self._costs.clear()
        self._bounds.clear()
        self._counted = self._bound = 0
        for utterance in utterances:
            self.add(utterance)

    def begin(self, first: int, archive: Sequence[Utterance]) -> None:
        """Hold what it has from utterance `first` on; what has left it already comes from the archive."""
        if self.utterances and self.utterances[0].id > first:
            self.refill(archive[first - 1 : self.utterances[-1].id])
            return
        gone = first - self.utterances[0].id if self.utterances else 0
        counted = len(self._costs)
        self.utterances = deque(islice(self.utterances, gone, None))
        self._costs = deque(islice(self._costs, gone, None))
        self._bounds = deque(islice(self._bounds, max(0, gone - counted), None))
        self._counted, self._bound = sum(self._costs), sum(self._bounds)

    def recount(self, archive: Sequence[Utterance]) -> None:
        """Hold the same utterances as the archive has them now, whose words are others."""
        self._counter.forget()
        self.refill([archive[each.id - 1] for each in self.utterances])

    def restamp(self, archive: Sequence[Utterance], since: int) -> None:
        """Show the utterances from `since` on as the archive has them now (a topic was renamed or split)."""
        restamp(self.utterances, archive, since)


def restamp(shown: deque[Utterance], archive: Sequence[Utterance], since: int) -> None:
    """Put the archive's utterances in the place of those in `shown` with an id of `since` or above."""
    for place in range(len(shown) - 1, -1, -1):
        number = shown[place].id
        if number < since:
            return
        shown[place] = archive[number - 1]
