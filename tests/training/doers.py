"""Training of which words name whoever is to do something, on rows of plain tasks, cross-validated by wordings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from context.language.korean import has_hangul
from context.reading.doers import EARLIER_WORD, LAST_WORD, NO_NAME, name_lengths, name_tokens, token_context
from context.reading.linear import LinearHead
from tests.training import linear
from tests.training.linear import Row
from tests.training.meetings import DATA

ROWS: Final = DATA / "labels" / "rows"
_UNNAMED: Final = frozenset(
    ("", "me", "self", "you", "unnamed", "none", "all", "everybody", "everyone", "우리", "저희")
)
_FIRST_PERSON: Final = frozenset(("i", "제가", "내가", "저는", "나"))
_SHARE_OF_CUTS: Final = 0.35
"""The share of words that name nobody of which each cut is a row; of the others one is."""


@dataclass(frozen=True, slots=True)
class PlainTask:
    """One labelled sentence that gives a task out, and what somebody else said before it."""

    text: str
    before: str
    owner: str
    """`me` for whoever says it, `you` for whoever is spoken to, a name as it stands in the text, or nothing."""
    group: str
    language: str

    @property
    def is_named(self) -> bool:
        return self.owner not in ("me", "you", "")


def plain_tasks() -> Iterator[PlainTask]:
    """The tasks of the rows of plain sentences."""
    for path in (ROWS / "acts.jsonl", *sorted(ROWS.glob("plain_*.jsonl"))):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["act"] == "task" and row.get("owner", "other") != "other":  # than the speaker: not who
                yield PlainTask(
                    row["text"],
                    row.get("before", ""),
                    _owner(row["owner"]),
                    row.get("group", row["text"]),
                    row["language"],
                )


def _owner(told: str) -> str:
    if told in ("me", "self") or told.lower() in _FIRST_PERSON:
        return "me"
    return told if told == "you" or told.lower() not in _UNNAMED else ""


def trained(tasks: Sequence[PlainTask]) -> LinearHead:
    """A head that has learnt from the words of each text, every one by itself."""
    dice = Random(0)
    return linear.fitted([row for task in tasks for row in _rows(task, dice)], is_even=False)


def _rows(task: PlainTask, dice: Random) -> Iterator[Row]:
    words = name_tokens(task.text)
    named = _named(words, task.owner) if task.is_named else range(0)
    if named is None:  # in other words than the label has
        return
    for place, word in enumerate(words):
        cuts = name_lengths(word)
        if place in named[:-1]:
            yield Row(token_context(words, place, len(word)), EARLIER_WORD, task.group)
        elif place in named:
            last = len(name_tokens(task.owner)[-1])
            for cut in {*cuts, last}:
                yield Row(token_context(words, place, cut), LAST_WORD if cut == last else NO_NAME, task.group)
        else:
            for cut in cuts if dice.random() < _SHARE_OF_CUTS else dice.sample(cuts, min(1, len(cuts))):
                yield Row(token_context(words, place, cut), NO_NAME, task.group)


def _named(words: Sequence[str], owner: str) -> range | None:
    """The places of the words that are the owner's name; None where they are not there."""
    parts = [part.lower() for part in name_tokens(owner)]
    for first in range(len(words) - len(parts) + 1):
        *those, last = (word.lower() for word in words[first : first + len(parts)])
        rest = last.removeprefix(parts[-1])
        ends = last.startswith(parts[-1]) and (not rest or rest[0] == "'" or has_hangul(rest))
        if ends and those == parts[:-1]:
            return range(first, first + len(parts))
    return None
