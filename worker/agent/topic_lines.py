"""What a prompt tells of the topics, each line with the utterances that it rests on.

Three rights, in this order: topics that planning asked for have half of the room. Decisions and what is open
stand, of all topics, however long the meeting is: many are shortened, and of very many the oldest are left
out, which is said. Other topics' summaries take what remains, newest first. All is shown in order of topics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from context.budget import shared
from context.models import Statement, TopicSegment
from context.ports import Tokenizer
from worker.agent.quoting import quoted

_LEAST: Final = 24
"""Tokens of a decision's line; with less for each, fewer are told."""
_JOINT: Final = 2
"""Tokens that a line may cost beside its parts."""
_LEFT_OUT: Final = "({} earlier decisions and open items are left out)"
_LEFT_OUT_TOKENS: Final = 16
_NAMED: Final = 60
"""Characters of an owner's name, or of a date."""
_OVER: Final = ("done", "superseded")


@dataclass(frozen=True, slots=True)
class _Row:
    """One statement of the topic at `place`; `kind` puts it in order within the topic."""

    place: int
    kind: int
    text: str
    named: str
    evidence: tuple[int, ...]

    @property
    def line(self) -> str:
        mark = ("", "decided: ", "open: ")[self.kind]
        return f"- {mark}{self.text}{self.named} {''.join(f'[#{id_}]' for id_ in self.evidence)}"


@dataclass(frozen=True, slots=True)
class ToldTopics:
    """The lines, the utterances that they cite, and what they count."""

    text: str
    cited: frozenset[int]
    tokens: int


class TopicLines:
    """The topics of one meeting, ready to be told."""

    def __init__(self, segments: Sequence[TopicSegment], tokenizer: Tokenizer) -> None:
        self._count = cache(tokenizer.count)
        self._tokenizer = tokenizer
        self._plain = [segment.name for segment in segments]
        self._names = [f"{quoted(segment.name)}:" for segment in segments]
        self._summaries = [_rows(place, each.notes.sentences, 0) for place, each in enumerate(segments)]
        self._standing = [
            row
            for place, each in enumerate(segments)
            for kind, statements in enumerate((each.notes.decisions, each.notes.pending), 1)
            for row in _rows(place, (one for one in statements if one.status not in _OVER), kind)
        ]

    @property
    def whole_tokens(self) -> int:
        """Of everything."""
        return self._cost([*(row for rows in self._summaries for row in rows), *self._standing], set())

    def told(self, most: int, *, spare: int = 0, wanted: Collection[str] = ()) -> ToldTopics:
        """At most `most` tokens, and `spare` more for decisions and open items. `wanted`: topics by name."""
        topics = list(zip(self._plain, self._summaries, strict=True))
        shown = self._cut([row for name, rows in topics if name in wanted for row in rows], most // 2, set())
        used = self._cost(shown, set()) + _LEFT_OUT_TOKENS
        standing = self._newest(most + spare - used, _places(shown))
        shown += self._cut(standing, most + spare - used, _places(shown))
        used = self._cost(shown, set()) + _LEFT_OUT_TOKENS
        for name, rows in reversed(topics):
            cost = self._cost(rows, _places(shown))
            if name not in wanted and used + cost <= most:
                shown, used = [*shown, *rows], used + cost
        lines = self._lines(shown)
        if left_out := len(self._standing) - len(standing):
            lines.insert(0, _LEFT_OUT.format(left_out))
        cited = frozenset(id_ for row in shown for id_ in row.evidence)
        return ToldTopics("\n".join(lines), cited, sum(self._count(line) + 1 for line in lines))

    def _newest(self, room: int, named: AbstractSet[int]) -> list[_Row]:
        """As many decisions and open items as can be told at all, the newest topics' before the others'."""
        kept: list[_Row] = []
        named = set(named)
        for row in sorted(self._standing, key=lambda row: -row.place):
            least = self._cost([replace(row, text="")], named) + _LEAST
            room -= min(self._cost([row], named), least)
            if room < 0:
                break
            named.add(row.place)
            kept.append(row)
        return kept

    def _cut(self, rows: Sequence[_Row], room: int, named: AbstractSet[int]) -> list[_Row]:
        """The rows within `room` tokens: their texts are cut alike where they are too long together."""
        if self._cost(rows, named) <= room:
            return list(rows)
        around = self._cost([replace(row, text="") for row in rows], named) + _JOINT * len(rows)
        texts = shared([row.text for row in rows], room - around, self._tokenizer)
        return [replace(row, text=text) for row, text in zip(rows, texts, strict=True) if text]

    def _cost(self, rows: Sequence[_Row], named: AbstractSet[int]) -> int:
        """Tokens of the rows, and of their topics' names where those do not stand there already."""
        lines = (*(row.line for row in rows), *(self._names[place] for place in _places(rows) - named))
        return sum(self._count(line) + 1 for line in lines)

    def _lines(self, shown: Sequence[_Row]) -> list[str]:
        lines: list[str] = []
        last = -1
        for row in sorted(shown, key=lambda row: (row.place, row.kind)):
            if row.place != last:
                lines.append(self._names[row.place])
            lines.append(row.line)
            last = row.place
        return lines


def _places(rows: Iterable[_Row]) -> set[int]:
    return {row.place for row in rows}


def _rows(place: int, statements: Iterable[Statement], kind: int) -> list[_Row]:
    return [
        _Row(
            place=place,
            kind=kind,
            text=quoted(each.text),
            named="".join(f" ({quoted(value)[:_NAMED]})" for value in (each.owner, each.due) if value),
            evidence=each.evidence,
        )
        for each in statements
    ]
