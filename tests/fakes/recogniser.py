"""A blocking recogniser for the engine server: understands `tests.fakes.spoken`, can be held up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from stt.agreement import Reading, TimedWord
from stt.segment import EngineBusy, Segment
from stt.spoken_language import FIRST_SHARES, Shares
from tests.fakes import spoken


class ScriptedRecogniser:
    """Answers at once, or not before `gate` is set."""

    name = "scripted"

    def __init__(self, *, held: bool = False) -> None:
        self.gate = threading.Event()
        self.heard: list[int] = []
        """The values of all stretches, in the order in which they were begun."""
        self.expected: list[Shares] = []
        """What was expected of each stretch and reading."""
        self.sounded: Shares | None = None
        """What it says of the sound of each stretch."""
        self.told: list[tuple[str, ...]] = []
        """The terms that came with each stretch."""
        if not held:
            self.gate.set()
        self.reading_gate = threading.Event()
        """Readings wait for it."""
        self.reading_gate.set()
        self.read_of: list[int] = []
        """The values of all readings."""

    def recognise(
        self, pcm: bytes, language: str, expected: Shares = FIRST_SHARES, terms: Sequence[str] = ()
    ) -> list[Segment]:
        self.expected.append(expected)
        self.heard.append(spoken.value_of(pcm))
        self.told.append(tuple(terms))
        assert self.gate.wait(10), "held up for good"
        if spoken.value_of(pcm) == spoken.BROKEN:
            raise ZeroDivisionError("a defect of the model")
        return [replace(segment, sounded=self.sounded) for segment in spoken.said(pcm)]

    def read(
        self, pcm: bytes, language: str, goes_on: Callable[[], bool], expected: Shares = FIRST_SHARES
    ) -> Reading:
        self.expected.append(expected)
        self.read_of.append(spoken.value_of(pcm))
        assert self.reading_gate.wait(10), "held up for good"
        if not goes_on():
            raise EngineBusy("gave way")
        segments = spoken.said(pcm)
        return Reading(
            tuple(TimedWord(word, segment.end_ms) for segment in segments for word in segment.text.split()),
            segments[0].language if segments else None,
        )
