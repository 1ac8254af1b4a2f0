"""Passages taken apart into sentences that keep their speaker, and put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from context.corpora.passage import Passage
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.said import parted
from context.reading.acts import act_of, is_courtesy
from context.retrieval.terms import STOPWORDS, words

_CITATION: Final = re.compile(r"^(?:\[#?\d+(?:,\s*#?\d+)*\]\s*)+")
_FEW_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class PassageLine:
    """One sentence of one passage."""

    passage: int
    """Which of the passages, from 0."""
    place: int
    """Which sentence of its passage, from 0."""
    of: int
    """How many sentences its passage has."""
    row: int
    """On which of its passage's lines it stands."""
    speaker: str
    """Whose it is; "" in documents."""
    text: str
    kind: str
    """What it does, as `context.reading.acts` reads it by itself; `plain` where that is nothing."""
    needs_before: bool
    """A decision that leaves its subject to the sentence before: one isn't kept without the other."""


def lines_of(passages: Sequence[Passage]) -> list[PassageLine]:
    """All sentences, in order."""
    found: list[PassageLine] = []
    for number, passage in enumerate(passages):
        said = list(_said(passage))
        for place, (row, speaker, text) in enumerate(said):
            to_agent = wake(text, DEFAULT_WAKE_WORDS) is not None
            kind = "courtesy" if to_agent or is_courtesy(text) else act_of(text) or "plain"
            needs = place > 0 and kind in {"decision", "acceptance"} and _leaves_subject(text)
            found.append(PassageLine(number, place, len(said), row, speaker, text, kind, needs))
    return found


def rendered(passages: Sequence[Passage], kept: Iterable[PassageLine]) -> tuple[Passage, ...]:
    """The passages with what was kept of them, in the original order; none that nothing is left of.

    Whoever spoke is named wherever the speaker changes, and again behind a gap.
    """
    texts: dict[int, list[str]] = {}
    last: dict[int, PassageLine] = {}
    for line in sorted(kept, key=lambda each: (each.passage, each.place)):
        before = last.get(line.passage)
        follows = before is not None and before.speaker == line.speaker
        text = line.text if follows or not line.speaker else f"{line.speaker}: {line.text}"
        rows = texts.setdefault(line.passage, [])
        if before is not None and follows and (before.row, before.place + 1) == (line.row, line.place):
            rows[-1] = f"{rows[-1]} {text}"
        else:
            rows.append(text)
        last[line.passage] = line
    return tuple(
        passage.model_copy(update={"text": "\n".join(texts[number])})
        for number, passage in enumerate(passages)
        if number in texts
    )


def _said(passage: Passage) -> list[tuple[int, str, str]]:
    """(row, speaker, sentence); a row without a name goes on with the speaker before."""
    speaker = ""
    found: list[tuple[int, str, str]] = []
    for number, row in enumerate(passage.text.split("\n")):
        name, colon, rest = row.partition(": ")
        text = row
        if colon and name in passage.speakers:
            speaker, text = name, rest
        for piece in parted(text):
            citation, sentence = _cited(piece.strip())
            if citation and found:
                found[-1] = (*found[-1][:2], f"{found[-1][2]} {citation}")
            elif citation:
                sentence = f"{citation} {sentence}"
            if any(char.isalnum() for char in sentence):
                found.append((number, speaker, sentence))
    return found


def _cited(piece: str) -> tuple[str, str]:
    """The citations that a sentence begins with, which belong to the one before it, and the rest."""
    found = _CITATION.match(piece)
    return (found.group().strip(), piece[found.end() :]) if found else ("", piece)


def _leaves_subject(text: str) -> bool:
    return len([word for word in words(text) if word not in STOPWORDS]) < _FEW_WORDS
