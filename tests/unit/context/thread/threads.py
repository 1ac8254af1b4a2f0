"""A meeting whose thread of questions and answers is summarised turn by turn."""

from __future__ import annotations

from context.events.effects import Effect, SummariseThread
from context.events.events import MeetingStarted, ParticipantJoined, ThreadSummaryReady
from context.fold.meeting import Meeting
from tests.unit.context.meetings import START, answered, asked


def meeting() -> Meeting:
    made = Meeting("m")
    made.receive(MeetingStarted(at=START))
    made.receive(ParticipantJoined(participant_id="minji", name="김민지", at_ms=0))
    return made


def jobs(effects: list[Effect]) -> list[SummariseThread]:
    return [effect for effect in effects if isinstance(effect, SummariseThread)]


def ready(job: SummariseThread, text: str | None = None) -> ThreadSummaryReady:
    return ThreadSummaryReady(
        version=job.version, turns=job.turns, text=text if text is not None else f"요약 {job.turns[0]}",
        original_chars=job.original_chars, compression_rate=job.compression_rate, engine="test",
    )  # fmt: skip


def turn(
    meeting: Meeting, number: int, question: str = "출시일이 언제죠?", answer: str = "12월 22일입니다."
) -> list[SummariseThread]:
    meeting.receive(asked(number, question))
    return jobs(meeting.receive(answered(number, answer, question=question)))


def turns(meeting: Meeting, first: int, last: int, *, summarise: bool = True) -> list[SummariseThread]:
    wanted: list[SummariseThread] = []
    for number in range(first, last + 1):
        new = turn(meeting, number)
        while new:
            wanted += new
            new = jobs(meeting.receive(ready(new[0]))) if summarise else []
    return wanted
