"""The two sample meetings for `python -m tests.bench local-llm`: as they were spoken, and what is asked about them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from context import effects, events
from context.budget import ExactTokenizer
from context.manager import ContextManager
from context.meeting import Meeting
from tests.bench.live import audio_folder

_SAMPLES: Final = (("ko", "ko-release-planning"), ("en", "en-sprint-review"))
QUESTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "ko": (
        ("출시일이 언제로 결정됐지?", "이십이일"),
        ("마케팅 예산은 얼마로 확정됐어?", "일억 팔천만"),
    ),
    "en": (
        ("When do we move to the new office?", "second week of March"),
        ("How much does a second server cost?", "three hundred"),
    ),
}
"""A question, and what stands in a right answer."""
_START: Final = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_SHOWN: Final = 6


class Sample:
    """One meeting, folded as it was spoken."""

    def __init__(self, language: str, name: str) -> None:
        self.language, self.tokenizer = language, ExactTokenizer()
        self._script: dict[str, Any] = json.loads(
            (audio_folder(name) / "meeting.json").read_text(encoding="utf-8")
        )
        self.meeting = Meeting(name, tokenizer=self.tokenizer)
        self.manager = ContextManager(name, meeting=self.meeting)
        self.end_ms = int(self._script["duration_s"] * 1000)
        self.written: list[events.SummaryReady] = []
        self._wanted: list[effects.Summarise] = []

    def summaries(self) -> Iterator[effects.Summarise]:
        """What is to be summarised, while the meeting goes on."""
        self.take(events.MeetingOpened(meeting_id=self.meeting.meeting_id, topics_beside=True))
        self.take(events.MeetingStarted(at=_START))
        for number, line in enumerate(self._script["lines"]):
            self.take(
                events.UtteranceSpoken(
                    key=str(number),
                    speaker_id=line["speaker"],
                    speaker_name=self._script["participants"][line["speaker"]]["name"],
                    text=line["text"],
                    start_ms=int(line["start_s"] * 1000),
                    end_ms=int(line["end_s"] * 1000),
                )
            )
            yield from self._due()
        self.take(events.MeetingEnded(at_ms=self.end_ms, reason="done"))
        yield from self._due()

    def take(self, event: events.Event) -> None:
        """Fold one event; what it asks for is done, or is kept to be done."""
        for effect in self.meeting.receive(event):
            if isinstance(effect, effects.ScoreTopics):
                for found in self.meeting.changes.score():
                    if found is not None:
                        self.take(found)
            elif isinstance(effect, effects.Summarise):
                self._wanted.append(effect)

    def _due(self) -> Iterator[effects.Summarise]:
        while self._wanted:
            yield self._wanted.pop(0)

    def places(self) -> list[tuple[int, bool]]:
        """Two places in the talk (from 0), and whether a topic begins there: by the script's own labels."""
        begins = int(self._script["topics"][1]["first_line"])
        return [(begins, True), (begins - 2, False)]

    def judging(self, at: int) -> effects.JudgeTopic:
        """The question whether the topic has changed there."""
        said = self.meeting.utterances
        before = "\n".join(u.text for u in said[max(0, at - _SHOWN) : at])
        return effects.JudgeTopic(
            at_utterance=said[at].id,
            previous_topic_summary=before,
            recent=tuple(said[at : at + 2]),
        )


def samples() -> list[Sample]:
    """Korean and English."""
    return [Sample(language, name) for language, name in _SAMPLES]
