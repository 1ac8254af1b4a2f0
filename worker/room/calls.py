"""Who calls the agent, by voice: a wake word with a question, or followed by one within 5 s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.addressing import wake
from context.language.commands import Command, command
from context.language.questions import is_request
from context.language.spoken_questions import asked

WAKE_WINDOW_MS: Final = 5_000
"""After the bare name, the same speaker's next utterance counts if it begins within this."""


class VoiceCalls:
    """Remembers who has just called the agent's name."""

    def __init__(self, wake_words: Sequence[str]) -> None:
        self._wake_words = wake_words
        self._called_until_ms: dict[str, int] = {}

    def hear(self, speaker_id: str, text: str, start_ms: int, end_ms: int) -> str | Command | None:
        """A question or an order for the agent in this utterance; None where it is for the others."""
        rest = wake(text, self._wake_words)
        expected = start_ms <= self._called_until_ms.pop(speaker_id, -1)
        if rest is None:
            if not expected:
                return None
            rest = text
        order = command(rest)
        if order is not None:
            return order
        if is_request(rest):
            return rest
        if (question := asked(rest)) is not None:
            return question
        self._called_until_ms[speaker_id] = end_ms + WAKE_WINDOW_MS
        return None
