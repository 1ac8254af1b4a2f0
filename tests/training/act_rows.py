"""Single sentences, each with what it does: as they are, and as they stand between lines of small talk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul
from context.language.spoken_sentences import SpokenSentence
from context.reading.acts import ACTS, SETTLING_ACTS, context_signals
from tests.training.made_rows import made_rows
from tests.training.meetings import DATA, utterances

FOLDS: Final = 6
_MADE: Final = 2400
"""Rows that are made by filling in: forms that everybody knows, which people seldom write down."""
_FAMILY: Final = 8
"""Rows without a group that stand together were written together."""
_WEAK: Final = 0.3
"""A row that no person has labelled counts so much."""
_BESIDE: Final = 2
"""Lines of small talk to either side, at most."""
_PLACED: Final = 2
"""So often is a row placed, each time between other lines."""
_IDLE: Final = ("none", "courtesy")
"""What small talk does."""
_FILES: Final = ("acts", "acts_of_rules", "courtesies")


@dataclass(frozen=True)
class Row:
    """A labelled sentence; rows of one family never stand on both sides of a fold."""

    text: str
    act: str
    """One of `ACTS`, or `none`; "" of what only stands before another row, which nobody has labelled."""
    language: str
    before: str
    """What was said right before it, if anything."""
    family: str
    file: str

    @cached_property
    def fold(self) -> int:
        return crc32(self.family.encode()) % FOLDS

    @property
    def tells(self) -> frozenset[str]:
        """The acts of which it is an example, or a counterexample."""
        if not self.act:
            return frozenset()
        if self.file == "courtesies":
            return frozenset({"courtesy"})
        if self.file == "acts_of_rules":  # the rules told nothing else apart
            return frozenset((*SETTLING_ACTS, self.act))
        return frozenset(ACTS) - ({"courtesy"} if self.act == "none" else set())

    @property
    def tells_in_talk(self) -> frozenset[str]:
        """The same where it stands in talk: a yes to a proposal may settle it, so it tells nothing there."""
        return frozenset() if self.act == "acceptance" else self.tells

    @property
    def counts(self) -> float:
        return _WEAK if self.file in {"courtesies", "acts_of_rules", "made"} else 1.0


def read_rows() -> list[Row]:
    """All of them, and behind them what was said before some."""
    folder = DATA / "labels" / "rows"
    names = (*_FILES, *sorted(path.stem for path in folder.glob("plain_*.jsonl")))
    rows = [row for name in names for row in _read(name, (folder / f"{name}.jsonl").read_text("utf-8"))]
    rows += [
        Row(text, act, "ko" if has_hangul(text) else "en", "", f"made {number // _FAMILY}", "made")
        for number, (text, act) in enumerate(made_rows(_MADE))
    ]
    return [*rows, *(replace(row, text=row.before, act="", before="") for row in rows if row.before)]


def _read(name: str, text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines()):
        found: dict[str, Any] = json.loads(line)
        family = found.get("group") or str(number // _FAMILY)
        before = found.get("before") or ""
        yield Row(found["text"], found["act"], found["language"], before, f"{name} {family}", name)


def placed(rows: Sequence[Row], own: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """What the trees see of rows in small talk [places, signals], and which row each is [places].

    `own`: the log odds of the rows' own words, by weights that had not seen them.
    """
    dice = Random(0)
    lines_before = {(row.text, row.family): i for i, row in enumerate(rows) if not row.act}
    idle = {
        language: [i for i, row in enumerate(rows) if row.language == language and row.act in _IDLE]
        for language in ("ko", "en")
    }
    signals: list[NDArray[np.float32]] = []
    of_row: list[int] = []
    for number, row in enumerate(rows):
        if not row.tells_in_talk - {"courtesy"}:
            continue
        ahead = [
            (row.before, own[at]) for at in (lines_before.get((row.before, row.family)),) if at is not None
        ]
        for _ in range(_PLACED):
            around = [dice.sample(idle[row.language], dice.randint(0, _BESIDE)) for _ in range(2)]
            first, last = ([(rows[i].text, own[i]) for i in side] for side in around)
            lines = [*first, *ahead, (row.text, own[number]), *last]
            at = len(first) + len(ahead)
            signals.append(
                context_signals(_said(text for text, _ in lines), np.stack([odds for _, odds in lines]))[
                    at : at + 1
                ]
            )
            of_row.append(number)
    return np.concatenate(signals), np.array(of_row)


def _said(lines: Iterable[str]) -> list[SpokenSentence]:
    """One sentence a line, by three people in turn."""
    turns = utterances([{"speaker": "abc"[i % 3], "text": text} for i, text in enumerate(lines)])
    return [SpokenSentence(turn.text, turn, 0) for turn in turns]
