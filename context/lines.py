"""How lines of a meeting stand in a briefing: stretches of talk, each under one time of day.

    [14:30:05] Project Manager: So who draws the case?
    Industrial: I do, until Friday.
      And the buttons.

    [14:52:40] Project: That is settled, then.

A stretch goes on while no more than two utterances are left out. A name stands where the speaker
changes, in full the first time, then as the word of it that nobody else's name has.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from context.models import Utterance
from context.retrieval.lexical import legible

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
