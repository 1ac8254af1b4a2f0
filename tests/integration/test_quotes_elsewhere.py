"""Words that are erased in one meeting are gone from the answers of other meetings that quote them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import (
    AnswerGiven,
    Event,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    QuestionAsked,
    UtteranceSpoken,
)
from context.models import Reply
from context.ports import RecordedEvent
from context.question import Question
from tests.conftest import Database
from tests.contracts.world import World, world_in_postgres
from tests.integration.erasing import differing, folded_from_events, found
from tests.integration.text_meetings import held
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore
from worker.bootstrap.database import Database as AppDatabase
from worker.bootstrap.parts import correcting
from worker.record.restoring import load_meeting

pytestmark = pytest.mark.postgres


async def over(world: World, id_: str, said: Sequence[tuple[str, str]], answers: Sequence[str] = ()) -> None:
    """Record a meeting that is over: who said what, and what the agent answered to Ben there."""
    happened: list[Event] = [
        MeetingOpened(meeting_id=id_, topics_beside=True),
        MeetingStarted(at=datetime(2026, 1, 5, 5, tzinfo=UTC)),
        *(ParticipantJoined(participant_id=who, name=who, at_ms=0) for who in dict(said)),
    ]
    for at, (who, text) in enumerate(said):
        happened.append(
            UtteranceSpoken(
                key=f"{who}{at}", speaker_id=who, speaker_name=who, text=text,
                start_ms=at * 2_000, end_ms=at * 2_000 + 1_500,
            )
        )  # fmt: skip
    for number, text in enumerate(answers):
        question = {"by": "ben", "via": "http"}
        asked = Question.model_validate(
            question | {"id": f"q{number}", "text": "그건 누가 맡나요?", "at_ms": 90_000}
        )
        reply = Reply.model_validate(
            question
            | {"id": f"r{number}", "invocation_id": asked.id, "question": asked.text, "text": text}
            | {"call_type": "SEARCH", "elsewhere": True, "sources": ("주간 회의",)}
            | {"asked_at_ms": 90_000, "answered_at_ms": 91_000}
        )
        happened += [QuestionAsked(question=asked), AnswerGiven(reply=reply)]
    happened.append(MeetingEnded(at_ms=200_000, reason="over"))
    epoch = await world.hold(id_)
    await world.store.append(id_, epoch, [RecordedEvent(seq, event) for seq, event in enumerate(happened, 1)])
    await world.registry.mark_ended(id_, epoch, datetime(2026, 1, 5, 6, tzinfo=UTC))
    await world.leases.release(id_, epoch)


@pytest.mark.parametrize(
    ("line", "quote", "word"),
    [
        ("좋습니다. 보안 감사는 두루미재단에 맡기죠.", "보안 감사는 **두루미재단**에 맡기죠.", "두루미재단"),
        ("Fine. We give the audit to Heronwood.", "We give the audit to *Heronwood*.", "Heronwood"),
        ("암호는 사칠일일", "암호는 사칠일일", "사칠일일"),
        ("It is 4711.", "It is 4711.", "It is 4711"),
    ],
)
@pytest.mark.parametrize("whole_person", [True, False])
async def test_an_answer_that_quotes_another_meeting_goes_with_what_it_quotes(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path,
    *, line: str, quote: str, word: str, whole_person: bool,
) -> None:  # fmt: skip
    erasures, world = PostgresErasures(pool), world_in_postgres(pool, database)
    others = "- **carol** (주간 회의): 출시일은 십이월로 하기로 했습니다."
    await over(world, "earlier", [("alice", line), ("carol", "출시일은 십이월로 하기로 했습니다.")])
    quoting = f"다른 회의에서:\n- **alice** (주간 회의, 2026-01-05 14:00): {quote}"
    await over(world, "later", [("ben", "시작합시다.")], [quoting, others])
    target = (
        Target(what="person", person="alice") if whole_person else Target(what="utterances", utterances=(1,))
    )
    where = None if whole_person else "earlier"
    async with held(database.url, redis_url, tmp_path) as live:
        assert "replies" in await found(word, database, redis_url, tmp_path)
        await erasures.ask(target, id_="gone", actor=operator("ops"), by="alice", meeting_id=where)
        carried_out = []
        while waiting := await erasures.meetings(5):
            for meeting_id in waiting:
                await correcting(live.shared, AppDatabase(pool)).erase(meeting_id)
                carried_out.append(meeting_id)
        assert carried_out == ["earlier", "later"]
        assert await found(word, database, redis_url, tmp_path) == []
        later = await load_meeting(PostgresStore(pool), "later", live.shared.settings)
        assert [reply.text for reply in later.replies] == ["", others], "what quotes others stays"
        assert [reply.question for reply in later.replies] == ["그건 누가 맡나요?"] * 2
        assert [mark.answers for mark in later.erasures] == [("r0",)]
        assert differing(await folded_from_events(live.shared, later), later) == {}
