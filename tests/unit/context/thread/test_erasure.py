"""What an erasure takes out of the thread's summaries, and what it leaves."""

from __future__ import annotations

import json

from context.erasure.erased_record import erased, rewritten
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import Event, MeetingStarted
from context.fold.meeting import Meeting
from context.models import ToolUse
from context.ports import RecordedEvent
from tests.unit.context.meetings import START, answered, asked, spoken
from tests.unit.context.thread.threads import jobs, meeting, ready, turns


def test_a_rewritten_record_is_folded_anew() -> None:
    """An answer that is blank sets off no early summary; that of the answer as it was is on record all the same."""
    events: list[Event] = [MeetingStarted(at=START), spoken(1, "The zeppelin leaves at nine.")]
    made = Meeting("m")
    for event in events:
        made.receive(event)
    for n in (1, 2):
        long_answer = ToolUse(name="search", arguments="{}", result="what the document says of it " * 1500)
        asks, says = (
            asked(n, "When?"),
            answered(n, "At nine.", question="When?", evidence=(1,), tools=(long_answer,)),
        )
        made.receive(asks)
        (job,) = jobs(made.receive(says))
        told = ready(job, "They asked when, and were told. " * 400)
        made.receive(told)
        events += [asks, says, told]
    record = [RecordedEvent(seq, event) for seq, event in enumerate(events, 1)]
    erasure, *_ = erased(
        made, Target(what="utterances", utterances=(1,)), id_="e", actor=operator("ops"), at_ms=99_000
    )
    for new in rewritten(record, erasure, {2: 1}):
        record[new.seq - 1] = new
    again = Meeting("m")
    for event in (*(each.event for each in record), erasure):
        again.receive(event)
    made.receive(erasure)
    assert again.snapshot() == made.snapshot()


def test_a_private_question_that_was_let_go_takes_no_summary_of_public_ones_with_it() -> None:
    made = meeting()
    turns(made, 1, 9)
    for n in range(100, 121):
        made.receive(asked(n, "secret?", by="ben", private=True))
        made.receive(answered(n, by="ben", private=True, question="secret?"))
    erasure, *_ = erased(
        made, Target(what="answers", answers=("r100",)), id_="e", actor=operator("ops"), at_ms=999_000
    )
    assert erasure.state is not None
    assert all(entry["summary"] for entry in erasure.state["thread"]["summaries"]["entries"])


def test_a_summary_that_was_under_way_at_an_erasure_is_told_as_failed() -> None:
    made = meeting()
    turns(made, 1, 3, summarise=False)
    made.receive(asked(50, "What of it?", by="ben", private=True))
    made.receive(answered(50, by="ben", private=True, question="What of it?"))
    erasure, *_ = erased(
        made, Target(what="answers", answers=("r50",)), id_="e", actor=operator("ops"), at_ms=999_000
    )
    made.receive(erasure)
    assert [row.status for row in made.thread.summaries.rows] == ["FAILED"]


def test_a_summary_that_went_on_from_one_of_an_erased_question_goes_too() -> None:
    made = meeting()
    for n in range(1, 7):
        who, question = ("ben", f"What of zeppelin {n}?") if n <= 3 else ("minji", f"When {n}?")
        made.receive(asked(n, question, by=who))
        for job in jobs(made.receive(answered(n, "Yes.", by=who, question=question))):
            made.receive(ready(job, f"{job.previous} Ben asked of the zeppelin."))
    erasure, *_ = erased(
        made, Target(what="person", person="ben"), id_="e", actor=operator("ops"), at_ms=99_000
    )
    assert "zeppelin" not in json.dumps(erasure.state)
