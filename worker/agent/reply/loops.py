"""A model that goes round in a loop: its text is let through up to there, and no further.

Theory of operation. Lines are compared by their letters, without citations, marks, numbering and case. A loop
is a line that is said for the third time, or a cycle of up to three lines that begins for the third time,
however short these are. A line that begins as one that would close a loop is held back until it turns out to
be another one, so that nothing of a third line is shown. Within a line, a loop is the same letters three
times and more in a row, for so long as nobody says them on purpose.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from context.prompts.citing import without_citations

LOOP_ROUNDS: Final = 3
_CYCLE_LINES: Final = 3
"""Lines of the longest cycle that is looked for."""
_LONG_CHARACTERS: Final = 10
"""Letters of a line that counts wherever it is said again; shorter ones ("None.") stand in many places."""
_WITHIN_CHARACTERS: Final = 60
"""Letters that a repetition within a line has at least."""
_MAX_CHARACTERS: Final = 200
"""Letters of the longest phrase that is looked for within a line."""
_STEP_CHARACTERS: Final = 64
"""A line is looked at each time that it has grown by so many characters."""
_LAST_CHARACTERS: Final = 1_000
"""Its last characters, of which a loop within it is told."""
_OPEN_END: Final = re.compile(r"[\[【［〔(（][^\]】］〕)）]{0,60}\Z")
_NUMBERING: Final = re.compile(r"^[\s#>*_\-•·]*(?:\d{1,3}[.):]?\s|\d{1,3}[.):]\s*\Z|\d{1,3}\Z)?")


class Loops:
    """The filter for one answer: `feed` it what the model writes. `found`: it goes round in a loop."""

    def __init__(self) -> None:
        self.found = False
        self._line = ""
        self._let_out = 0
        """Characters of the line that were let out."""
        self._said: list[str] = []
        self._times = Counter[str]()
        self._is_new = False
        """Whether the line is known to be another one than those that would close a loop."""

    def feed(self, piece: str) -> str:
        """Take in the next piece; what is returned may be shown. Nothing is, once a loop was found."""
        out = ""
        for part in piece.splitlines(keepends=True):
            at = 0
            while at < len(part) and not self.found:
                step = part[at : at + _STEP_CHARACTERS - len(self._line) % _STEP_CHARACTERS]
                at += len(step)
                out += self._grown(step)
        return out

    def finish(self) -> str:
        """What is left to be shown, once the model has ended."""
        if not self.found and self._closes(_letters(self._line)):
            self.found = True
        return "" if self.found else self._line[self._let_out :]

    def _grown(self, step: str) -> str:
        """Take in a part of a line, which ends nowhere but behind it or where it is looked at."""
        self._line += step
        ended = step.endswith("\n")
        if len(self._line) % _STEP_CHARACTERS == 0 and _stutters(_letters(self._line[-_LAST_CHARACTERS:])):
            self.found = True
            return ""
        if ended:
            letters = _letters(self._line)
            self.found = self._closes(letters)
            self._remember(letters)
            return "" if self.found else self._released(ended)
        if self._is_new:
            return self._released(ended)
        letters = _letters(_OPEN_END.sub("", self._line))
        self._is_new = not any(line.startswith(letters) for line in self._awaited())
        return self._released(ended) if self._is_new else ""

    def _remember(self, letters: str) -> None:
        if letters:
            self._said.append(letters)
            self._times[letters] += 1

    def _released(self, ended: bool) -> str:
        out, self._let_out = self._line[self._let_out :], len(self._line)
        if ended:
            self._line, self._let_out, self._is_new = "", 0, False
        return out

    def _awaited(self) -> set[str]:
        """The lines that would close a loop."""
        lines = self._said
        cycles = (length for length in range(1, _CYCLE_LINES + 1) if len(lines) >= 2 * length)
        due = {lines[-length] for length in cycles if lines[-2 * length : -length] == lines[-length:]}
        return due | {
            line
            for line, times in self._times.items()
            if times >= LOOP_ROUNDS - 1 and len(line) >= _LONG_CHARACTERS
        }

    def _closes(self, letters: str) -> bool:
        return bool(letters) and letters in self._awaited()


def _letters(line: str) -> str:
    bare = without_citations(_NUMBERING.sub("", line))
    return "".join(filter(str.isalnum, bare.lower()))


def _stutters(letters: str) -> bool:
    """Whether it ends in the same letters again and again."""
    for length in range(1, min(_MAX_CHARACTERS, len(letters) // LOOP_ROUNDS) + 1):
        times = max(LOOP_ROUNDS, math.ceil(_WITHIN_CHARACTERS / length))
        if letters.endswith(letters[-length:] * times):
            return True
    return False
