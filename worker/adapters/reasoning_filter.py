"""Takes a model's reasoning, and the markers of it, out of its text, also while that streams.

Known are thoughts between two tags (`<think>`, `◁think▷`, …) and OpenAI's harmony, in which a reply is a row
of messages on channels: `<|channel|>analysis<|message|>…<|end|>` and then
`<|start|>assistant<|channel|>final<|message|>…`. Only what stands on the channel `final` is an answer.
"""

from __future__ import annotations

import re
from typing import Final

_TAGS: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
_ENDS: Final = frozenset(_TAGS.values())
_HEADS: Final = ("<|start|>", "<|channel|>")
_BODY: Final = "<|message|>"
_CLOSING_MARKERS: Final = ("<|end|>", "<|return|>", "<|call|>")
_MARKERS: Final = (*_TAGS, *_ENDS, *_HEADS, _BODY, *_CLOSING_MARKERS)
_MARKER: Final = re.compile("|".join(map(re.escape, _MARKERS)))
_PREFIXES: Final = frozenset(marker[:size] for marker in _MARKERS for size in range(1, len(marker)))
_LONGEST_MARKER: Final = max(map(len, _MARKERS))
_BLANK: Final = re.compile(r"\s+")


class ReasoningFilter:
    """The filter for one reply. `feed` it the text as it comes; what it returns is no reasoning."""

    def __init__(self, *, begins_thinking: bool = False) -> None:
        """`begins_thinking`: for models whose prompt opens the thought, so that only its end is seen.

        Where no end comes, what was held back is the answer.
        """
        self._buffer = ""
        self._until = ""
        """The marker that ends the present thought; "" outside of one."""
        self._head: str | None = None
        """The head of a harmony message, as far as it was read; None outside of a head."""
        self._held: str | None = "" if begins_thinking else None
        self._shown = False
        self.thought = False
        """Whether anything was taken out."""
        self.ended_unopened = False
        """Whether a thought ended that had not been opened."""

    def feed(self, piece: str) -> str:
        """Take in the next piece; give the text that may be shown now, often ""."""
        self._buffer += piece
        shown = ""
        while (marker := _MARKER.search(self._buffer)) is not None:
            before, self._buffer = self._buffer[: marker.start()], self._buffer[marker.end() :]
            shown = self._passed(marker.group(), shown + self._text(before))
        held_size = next(
            (
                size
                for size in range(min(_LONGEST_MARKER, len(self._buffer)), 0, -1)
                if self._buffer[-size:] in _PREFIXES
            ),
            0,
        )
        ready, self._buffer = (
            self._buffer[: len(self._buffer) - held_size],
            self._buffer[len(self._buffer) - held_size :],
        )
        return self._let_out(shown + self._text(ready))

    def finish(self) -> str:
        """Give the rest, once the model has ended."""
        rest, self._buffer = self._text(self._buffer), ""
        held, self._held = self._held or "", None
        return self._let_out(held + rest)

    def _let_out(self, text: str) -> str:
        if self._held is not None:
            self._held += text
            return ""
        if not self._shown and self.thought:
            text = text.lstrip()  # the blank lines behind a thought
        self._shown |= bool(text.strip())
        return text

    def _text(self, text: str) -> str:
        """What of a stretch without markers is no thought."""
        if self._head is not None:
            self._head += text
            return ""
        if self._until:
            self.thought |= bool(text)
            return ""
        return text

    def _passed(self, marker: str, shown: str) -> str:
        """Fold a marker; gives what remains to be shown of what stood before it."""
        if marker in _TAGS:
            if self._until:
                return shown
            if self._shown or shown.strip() or (self._held or "").strip():
                return shown + marker  # an answer about tags, or somebody's words: thoughts come first
            self._until, self.thought = _TAGS[marker], True
        elif marker in _ENDS:
            return self._ended(marker, shown)
        elif marker in _HEADS:
            self._head, self._until, self.thought = self._head or "", "", True
        elif marker == _BODY:
            head = _BLANK.sub(" ", self._head or "").strip()
            self._head = None
            final = head.removeprefix("assistant").strip().startswith("final") or head in ("", "assistant")
            self._until = "" if final else _CLOSING_MARKERS[0]
        else:
            self._until, self._head = "", None
        return shown

    def _ended(self, marker: str, shown: str) -> str:
        """Fold the end of a tagged thought; one that nobody opened makes a thought of all before it."""
        self.thought = True
        if self._until:
            self._until = "" if self._until == marker else self._until
            return shown
        self.ended_unopened, self._held = True, None
        # What was let out cannot be taken back; what follows stands on a line of its own.
        return "" if not self._shown else f"{shown}\n"


def without_reasoning(text: str) -> str:
    """The answer in a whole reply."""
    if text.lstrip().startswith("{"):
        return text.strip()  # a JSON object from its start: a tag in it is somebody's word
    reading = ReasoningFilter(begins_thinking=True)
    return (reading.feed(text) + reading.finish()).strip()
