"""L0, the windows of raw utterances (seed 000): the newest within limits of turns and tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from context.models import Utterance

_TIMESTAMP_TOKENS: Final = 9
"""Most tokens of a shown line's `[HH:MM:SS] ` in the known encodings."""
_MAX_TOKENS_PER_CHAR: Final = 8
_MAX_TOKENS_PER_LINE: Final = 32
"""Most tokens per character, and per line besides, of any tokenizer: UTF-8 has 4 bytes a character."""


class RoughTokenizer:
    """Counts half of the UTF-8 bytes: more than the true count for ordinary Korean and English.

    It is good enough to size a window; prompts are counted with the model's own tokenizer.
    """

    name = "rough"

    def count(self, text: str) -> int:
        """A number of tokens that is mostly too high, at least 1."""
        return len(text.encode("utf-8", "replace")) // 2 + 1


class Window:
    """The newest utterances, oldest first, within `max_turns` and `max_tokens` as far as `trim` was called.

    The newest one always stays, however long. `trim` can spare utterances: the topic buffer keeps what no
    summary covers yet, even beyond its limits.

    An utterance costs the tokens of its line `[time] name: text`. Lines are counted only when somebody asks
    for `tokens`, or an upper bound of the uncounted ones exceeds the limit: counting would delay the fold.
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
        """The tokens of all lines together; lines that were not counted yet are counted now."""
        self.count()
        return self._cost

    def count(self) -> None:
        """Count the lines that are not counted yet."""
        for place in range(self._exact, len(self.utterances)):
            shown = self.utterances[place]
            exact = self._head + self._count(f"{shown.speaker_name}: {shown.text}")
            self._cost += exact - self._costs[place]
            self._costs[place] = exact
        self._exact = len(self.utterances)

    @property
    def over(self) -> bool:
        """Whether the window exceeds one of its limits."""
        if len(self.utterances) > self._max_turns:
            return True
        return self._cost > self._max_tokens and self.tokens > self._max_tokens

    def add(self, utterance: Utterance) -> None:
        """Append the newest utterance; `trim` is to be called afterwards."""
        chars = len(utterance.speaker_name) + len(utterance.text)
        self.utterances.append(utterance)
        self._costs.append(self._head + _MAX_TOKENS_PER_LINE + _MAX_TOKENS_PER_CHAR * chars)
        self._cost += self._costs[-1]

    def trim(self, keep_from: int | None = None) -> None:
        """Drop the oldest until the limits hold, but none from id `keep_from` on, nor the newest."""
        while self.over and len(self.utterances) > 1:
            if keep_from is not None and self.utterances[0].id >= keep_from:
                return
            self._drop(1)

    def refill(self, utterances: Iterable[Utterance]) -> None:
        """Replace the content by these utterances, oldest first."""
        kept = list(utterances)
        self.utterances.clear()
        self._costs.clear()
        self._cost = self._exact = 0
        for utterance in kept:
            self.add(utterance)

    def refresh(self, archive: Sequence[Utterance], first: int | None = None) -> None:
        """Begin at utterance `first` and show all utterances as in the archive; None: begin where it does.

        Where `first` lies within the window, its utterances are not replaced, only those before it dropped.
        """
        if not self.utterances:
            return
        if first is None or first < self.utterances[0].id:
            self.refill(archive[(first or self.utterances[0].id) - 1 : self.utterances[-1].id])
            return
        self._drop(first - self.utterances[0].id)  # keeps the counts of those that stay

    def _drop(self, oldest: int) -> None:
        """Drop so many of the oldest, at most all."""
        utterances, costs = self.utterances, self._costs
        for _ in range(min(oldest, len(utterances))):
            utterances.popleft()
            self._cost -= costs.popleft()
        self._exact = max(0, self._exact - oldest)


def restamp(shown: deque[Utterance], archive: Sequence[Utterance], since: int) -> None:
    """Replace the utterances in `shown` with an id of `since` or above by those of the archive."""
    for place in range(len(shown) - 1, -1, -1):
        number = shown[place].id
        if number < since:
            return
        shown[place] = archive[number - 1]
