"""What stands in a prompt beside the meeting's own briefing: sources, memory, a first answer."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Final

from context.budget import fit
from context.models import Utterance
from context.ports import Tokenizer
from worker.agent.material import Extras
from worker.agent.quoting import block, quoted
from worker.agent.sources import Foreign

_LACKING: Final = (
    "An answer was given already; <lacking> says what it lacks. Say only what corrects or completes it."
)
_BETTER: Final = "An answer was given already, and not all of it holds. Say only what corrects it."


class Beside:
    """What stands in a prompt beside the meeting's own briefing, each part within its bound."""

    def __init__(self, extras: Extras, tokenizer: Tokenizer, zone: tzinfo = UTC) -> None:
        self._extras, self._tokenizer, self._zone = extras, tokenizer, zone
        self._foreign = Foreign(extras.passages)
        self.shown: tuple[Utterance, ...] = ()
        """Stand-ins for the passages that found room."""
        self.cited_as: dict[int, str] = {}

    def block(self, tag: str, text: str, most: int) -> str:
        """A block of at most so many tokens; the text has been made safe where somebody said it."""
        room = most - self._tokenizer.count(block(tag, "")) - 2
        kept = fit(text, room, self._tokenizer) if text and room > 0 else ""
        return block(tag, kept) if kept else ""

    def sources(self, most: int) -> str:
        """Passages from earlier meetings and documents, best first, whole ones."""
        kept: list[str] = []
        left = most - self._tokenizer.count(block("sources", "")) - 2
        for line, stand_in in zip(self._foreign.lines(), self._foreign.stand_ins(), strict=True):
            tokens = self._tokenizer.count(line) + 1
            if tokens > left:
                continue
            left -= tokens
            kept.append(line)
            self.shown = (*self.shown, stand_in)
            self.cited_as[stand_in.id] = self._foreign.cited_as[stand_in.id]
        return block("sources", "\n".join(kept)) if kept else ""

    def first_answer(self, most: int) -> str:
        """What was said already, and what it lacked."""
        if not self._extras.before:
            return ""
        lacking = "; ".join(quoted(item) for item in self._extras.lacking)
        named = self.block("lacking", lacking, most // 3)
        note = f"{_LACKING}\n{named}" if named else _BETTER
        room = max(0, most - self._tokenizer.count(note) - 20)
        return f"{note}\n{self.block('first_answer', quoted(self._extras.before), room)}"
