"""The producer of the topics in a prompt: a line for each statement, with the utterances that it rests on.

The decisions and open items of all topics *stand*: they are shown however long the meeting is. Many are
shortened, and of very many the oldest are left out, which is said. Beside them each topic has what its
level's template says (`context.budgets.templates`); which topic has how much is decided by preservation (seed
004), the newest and those with decisions first. All is shown in the order of the topics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from context.budgets.output import AgentOutput, CompressionLevel
from context.budgets.preservation import select_context_to_preserve
from context.budgets.prompt import Told
from context.budgets.templates import (
    TOPIC_TEMPLATE_OF,
    TOPIC_TEMPLATES,
    TopicPlace,
    TopicTemplate,
    TopicTemplateName,
)
from context.budgets.tokens import fit, shared
from context.models import Statement, TopicSegment
from context.ports import Tokenizer
from context.prompts.quoting import block, quoted

_MIN_TOKENS: Final = 24
"""Tokens that a decision's line has at least; where not all can have so many, fewer are told."""
_JOINT_TOKENS: Final = 2
"""Tokens that a line may cost beside its parts."""
_LEFT_OUT: Final = "({} earlier decisions and open items are left out)"
_LEFT_OUT_TOKENS: Final = 16
_NAMED_CHARACTERS: Final = 60
"""Characters of an owner's name, or of a date."""
_OVER_STATUSES: Final = ("done", "superseded")
_ORDER: Final[tuple[TopicPlace, ...]] = ("key", "summary", "key_points", "decisions", "open")
FRAME_TOKENS: Final = 16
"""Tokens of the block's tags, and of what joins it to the next one."""
_WHOLE_SCALE: Final = 1_000.0
"""A scale at which preservation cuts no text: its forms are within their templates' sizes already."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One statement of the topic at `place`, told in the `form` of its template's line."""

    place: int
    kind: TopicPlace
    form: str
    name: str
    text: str
    named: str
    evidence: tuple[int, ...]

    @property
    def line(self) -> str:
        text = self.form.format(**{"name": self.name, self.kind: f"{self.text}{self.named}"})
        return f"{text} {''.join(f'[#{id_}]' for id_ in self.evidence)}"


class TopicLines:
    """The topics of one meeting: the producer `topics`, or `required_topics` where those are `only`."""

    def __init__(
        self,
        segments: Sequence[TopicSegment],
        tokenizer: Tokenizer,
        *,
        name: str = "topics",
        only: Collection[str] | None = None,
        templates: Mapping[TopicTemplateName, TopicTemplate] = TOPIC_TEMPLATES,
    ) -> None:
        """`only`: the names of the topics that are told; None: all.

        `templates`: how a topic is told at each level.
        """
        self.name, self._stands = name, only is None
        self._count = cache(tokenizer.count)
        self._tokenizer = tokenizer
        topics = [segment for segment in segments if only is None or segment.name in only]
        self._names = [quoted(segment.name) for segment in topics]
        used = {level: templates[named] for level, named in TOPIC_TEMPLATE_OF.items()}
        self._most = {level: template.target_tokens for level, template in used.items()}
        forms = {level: template.lines() for level, template in used.items()}
        self._heading_form = forms[CompressionLevel.FULL].get("name", "{name}:")
        stated = [_stated(place, topic, self._names[place]) for place, topic in enumerate(topics)]
        self._rows = {level: [_formed(topic, lines) for topic in stated] for level, lines in forms.items()}
        """What each level's template tells, topic by topic."""
        brief = (row for topic in self._rows[CompressionLevel.BRIEF] for row in topic)
        self._standing = [row for row in brief if row.kind in ("decisions", "open")]

    @property
    def least(self) -> int:
        """See `Producer.least`: decisions and open items, uncut; of `required_topics` nothing must stand."""
        return self._cost(self._standing) + FRAME_TOKENS if self._standing and self._stands else 0

    def wanted(self, level: CompressionLevel, _shown: AbstractSet[int] = frozenset()) -> int:
        """See `Producer.wanted`: room for everything that the level tells."""
        rows = [row for topic in self._rows[level] for row in topic]
        return self._cost(rows) + FRAME_TOKENS if rows else 0

    def told(self, room: int, level: CompressionLevel, _shown: AbstractSet[int] = frozenset()) -> Told:
        """See `Producer.told`."""
        room -= FRAME_TOKENS
        if level is CompressionLevel.KEY:
            standing = {row.place for row in self._standing}
            shown = self._keys(room - (_LEFT_OUT_TOKENS if standing else 0))
            shown_count = sum(row.place in standing for row in shown)
        else:
            if self._cost(self._standing) > room:
                room -= _LEFT_OUT_TOKENS
            shown = self._standing_within(room)
            shown_count = len(shown)
            shown += self._beside(room - self._cost(shown), level)
        lines = self._lines(shown)
        if left_out := len(self._standing) - shown_count:
            lines.insert(0, _LEFT_OUT.format(left_out))
        if not lines:
            return Told()
        text = block(self.name, "\n".join(lines))
        cited = frozenset(id_ for row in shown for id_ in row.evidence)
        return Told(text=text, tokens=self._tokenizer.count(text) + _JOINT_TOKENS, shows=cited)

    @property
    def text(self) -> str:
        """All that is known of the topics, however many tokens it has."""
        return "\n".join(self._lines(row for topic in self._rows[CompressionLevel.FULL] for row in topic))

    def _keys(self, room: int) -> list[_Row]:
        """One line a topic, the newest first where there is no room for all."""
        rows: list[_Row] = []
        for row in reversed([row for topic in self._rows[CompressionLevel.KEY] for row in topic]):
            short = replace(row, text=fit(row.text, self._most[CompressionLevel.KEY], self._tokenizer))
            if self._cost([*rows, short]) <= room:
                rows.append(short)
        return rows

    def _standing_within(self, room: int) -> list[_Row]:
        """The decisions and open items that can be told at all, the newest topics' before the others'.

        Their texts are cut alike where they are too long together.
        """
        rows: list[_Row] = []
        named: set[int] = set()
        left = room
        for row in sorted(self._standing, key=lambda row: -row.place):
            least = self._cost([replace(row, text="")], named) + _MIN_TOKENS
            left -= min(self._cost([row], named), least)
            if left < 0:
                break
            named.add(row.place)
            rows.append(row)
        if self._cost(rows) <= room:
            return rows
        around = self._cost([replace(row, text="") for row in rows]) + _JOINT_TOKENS * len(rows)
        texts = shared([row.text for row in rows], room - around, self._tokenizer)
        return [replace(row, text=text) for row, text in zip(rows, texts, strict=True) if text]

    def _beside(self, room: int, level: CompressionLevel) -> list[_Row]:
        """Summaries and points, topic by topic, at the level at which preservation keeps them."""
        levels = [one for one in (CompressionLevel.FULL, CompressionLevel.DETAILED) if one >= level]
        if room <= 0 or not levels:
            levels = [CompressionLevel.KEY]
        decided = {row.place for row in self._standing}
        rows: dict[str, dict[int, list[_Row]]] = {}
        blocks = []
        for place in range(len(self._names)):
            by_level = {int(one): self._extra(one, place, alone=place not in decided) for one in levels}
            texts = {one: "\n".join(self._lines(level_rows)) for one, level_rows in by_level.items()}
            if not any(texts.values()):
                continue
            rows[str(place)] = by_level
            blocks.append(
                AgentOutput(
                    agent_id=str(place),
                    content=texts[min(by_level)],
                    level=CompressionLevel(min(by_level)),
                    shorter=tuple(texts.get(number, "") for number in (1, 2, 3)),
                    vs_level="enhanced",
                    recency_score=(place + 1) / len(self._names),
                    has_dependents=place in decided,
                )
            )
        outputs = select_context_to_preserve(
            blocks, room, tokenizer=self._tokenizer, critical=frozenset(rows), scale=_WHOLE_SCALE
        )
        return [row for output in outputs for row in rows[output.agent_id].get(int(output.level), ())]

    def _extra(self, level: CompressionLevel, place: int, *, alone: bool) -> list[_Row]:
        """What a topic has beside what stands, within its template's size.

        Of the shortest level one line, where it is `alone`: without a decision and anything open.
        """
        rows = self._rows[level][place]
        if level is CompressionLevel.KEY:
            return rows if alone else []
        extra_rows: list[_Row] = []
        for row in rows:
            if row.kind in ("summary", "key_points"):
                if self._cost([*extra_rows, row]) > self._most[level]:
                    break
                extra_rows.append(row)
        return extra_rows

    def _cost(self, rows: Sequence[_Row], named: AbstractSet[int] = frozenset()) -> int:
        """Tokens of the rows, and of their topics' names where those do not stand there already."""
        places = {row.place for row in rows if row.kind != "key"} - named
        lines = (*(row.line for row in rows), *(self._heading(place) for place in places))
        return sum(self._count(line) + 1 for line in lines)

    def _heading(self, place: int) -> str:
        return self._heading_form.format(name=self._names[place])

    def _lines(self, shown: Iterable[_Row]) -> list[str]:
        lines: list[str] = []
        last = -1
        for row in sorted(shown, key=lambda row: (row.place, _ORDER.index(row.kind))):
            if row.place != last and row.kind != "key":
                lines.append(self._heading(row.place))
            lines.append(row.line)
            last = row.place
        return lines


def _stated(place: int, segment: TopicSegment, name: str) -> Mapping[TopicPlace, Sequence[_Row]]:
    """What is known of a topic, by the places that a template has for it."""
    notes = segment.notes
    by_kind: dict[TopicPlace, Sequence[Statement]] = {
        "summary": notes.sentences,
        "key_points": notes.key_points,
        "decisions": notes.decisions,
        "open": notes.pending,
    }
    known: dict[TopicPlace, list[_Row]] = {
        kind: [
            _Row(
                place=place,
                kind=kind,
                form="",
                name=name,
                text=quoted(statement.text),
                named="".join(
                    f" ({quoted(value)[:_NAMED_CHARACTERS]})"
                    for value in (statement.owner, statement.due)
                    if value
                ),
                evidence=statement.evidence,
            )
            for statement in statements
            if statement.status not in _OVER_STATUSES
        ]
        for kind, statements in by_kind.items()
    }
    key = (known["decisions"] or known["open"])[-1:] or known["summary"][:1]
    return {**known, "key": key}


def _formed(stated: Mapping[TopicPlace, Sequence[_Row]], lines: Mapping[TopicPlace, str]) -> list[_Row]:
    """A topic's statements in the lines of one template, in their order."""
    return [
        replace(row, kind=place, form=line)
        for place, line in lines.items()
        if place != "name"
        for row in stated.get(place, ())
    ]
