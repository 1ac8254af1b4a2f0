"""A blocking recogniser for the engine server: understands `tests.fakes.spoken`, can be held up."""

from __future__ import annotations

import threading

from stt.segment import Segment
from tests.fakes import spoken


class ScriptedRecogniser:
    """Answers at once, or not before `gate` is set."""

    name = "scripted"

    def __init__(self, *, held: bool = False) -> None:
        self.gate = threading.Event()
        self.heard: list[int] = []
        """The values of all stretches, in the order in which they were begun."""
        if not held:
            self.gate.set()

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        self.heard.append(spoken.value_of(pcm))
        assert self.gate.wait(10), "held up for good"
        if spoken.value_of(pcm) == spoken.BROKEN:
            raise ZeroDivisionError("a defect of the model")
        return spoken.said(pcm)
