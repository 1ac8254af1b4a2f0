"""The raw windows of L0: the newest utterances within limits of turns and tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from context.models import Utterance

_TIMESTAMP_TOKENS: Final = 9
"""A shown line's `[HH:MM:SS] ` in any of the known encodings, at most."""
_MOST_A_CHAR: Final = 8
_MOST_A_LINE: Final = 32
"""Tokens that no counter gives more of: UTF-8 has 4 bytes a character, and an estimate some more."""


class RoughTokenizer:
    """Half of the UTF-8 bytes: above the true count for ordinary Korean and English, at no cost.

    Good enough to size a window; whoever fills a prompt counts with the model's own tokenizer.
    """

    name = "rough"

    def count(self, text: str) -> int:
        """An upper guess of the tokens of `text`."""
        return len(text.encode("utf-8", "replace")) // 2 + 1


class Window:
    """Newest utterances, oldest first; never more than `max_turns` or `max_tokens`.

    The newest one always stays, however long. `keep_from` holds utterances back from leaving:
    the topic buffer keeps what no summary covers yet, even beyond its limits.

    A line costs what it does as `[time] name: text`. Lines are counted when it matters: when somebody asks
    for `tokens`, or what is not counted might be too much. Counting takes time, and the fold has none.
    """

    def __init__(
        self, count: Callable[[str], int], *, timestamps: bool, max_turns: int, max_tokens: int
    ) -> None:
        """`count`: tokens of a text. `timestamps`: whether lines show their time."""
        self.utterances: deque[Utterance] = deque()
        self._count = count
        self._head = _TIMESTAMP_TOKENS if timestamps else 0
        self._costs: deque[int] = deque()
        """Tokens of each line: exact for the `_exact` oldest, no fewer than it has for the others."""
        self._exact = 0
        self._cost = 0
        self._max_turns = max_turns
        self._max_tokens = max_tokens

    def __len__(self) -> int:
        return len(self.utterances)

    @property
    def tokens(self) -> int:
        """Add up the tokens of all lines."""
        self.count()
        return self._cost

    def count(self) -> None:
        """Count what is not counted yet."""
        for place in range(self._exact, len(self.utterances)):
            shown = self.utterances[place]
            exact = self._head + self._count(f"{shown.speaker_name}: {shown.text}")
            self._cost += exact - self._costs[place]
            self._costs[place] = exact
        self._exact = len(self.utterances)

    @property
    def over(self) -> bool:
        """Whether something has to leave."""
        if len(self.utterances) > self._max_turns:
            return True
        return self._cost > self._max_tokens and self.tokens > self._max_tokens

    def add(self, utterance: Utterance) -> None:
        """Take in the newest utterance; call `trim` afterwards."""
        chars = len(utterance.speaker_name) + len(utterance.text)
        self.utterances.append(utterance)
        self._costs.append(self._head + _MOST_A_LINE + _MOST_A_CHAR * chars)
        self._cost += self._costs[-1]

    def trim(self, keep_from: int | None = None) -> None:
        """Let the oldest leave until the limits hold, but nothing with an id of `keep_from` or above."""
        while self.over and len(self.utterances) > 1:
            if keep_from is not None and self.utterances[0].id >= keep_from:
                return
            self._drop_oldest()

    def refill(self, utterances: Iterable[Utterance]) -> None:
        """Start anew with these utterances."""
        kept = list(utterances)
        self.utterances.clear()
        self._costs.clear()
        self._cost = self._exact = 0
        for utterance in kept:
            self.add(utterance)

    def begin(self, archive: Sequence[Utterance], first: int | None = None) -> None:
        """Hold what the archive has now, from utterance `first` (None: what is the oldest) to the newest."""
        if not self.utterances:
            return
        if first is None or first < self.utterances[0].id:
            self.refill(archive[(first or self.utterances[0].id) - 1 : self.utterances[-1].id])
            return
        while self.utterances and self.utterances[0].id < first:  # what stays has been counted
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self.utterances.popleft()
        self._cost -= self._costs.popleft()
        self._exact = max(0, self._exact - 1)


def restamp(shown: deque[Utterance], archive: Sequence[Utterance], since: int) -> None:
    """Put the archive's utterances in the place of those in `shown` with an id of `since` or above."""
    for place in range(len(shown) - 1, -1, -1):
        number = shown[place].id
        if number < since:
            return
        shown[place] = archive[number - 1]
