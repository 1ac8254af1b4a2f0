"""The database numbers utterances by the fold's own rules, though it never sees the fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context.events.events import (
    Event,
    MeetingEnded,
    MeetingStarted,
    ParticipantJoined,
)
from context.events.privacy_events import RecordingPaused, RecordingResumed
from context.fold.meeting import Meeting
from context.ports import Snapshot
from tests.conftest import Database
from tests.contracts.events import NINE, numbered, spoken
from tests.contracts.world import World
from tests.fakes.store import utterances_of

pytestmark = pytest.mark.postgres

_EVENTS = st.one_of(
    st.builds(
        spoken,
        st.integers(0, 12),
        st.sampled_from(["네", "Yes.", ""]),
        speaker_id=st.sampled_from(["minji", "james"]),
        speaker_name=st.sampled_from(["", "김민지", "James"]),
    ),
    st.builds(MeetingStarted, at=st.just(NINE) | st.just(NINE + timedelta(hours=1))),
    st.builds(RecordingPaused, by=st.just("minji"), at_ms=st.integers(0, 12_000)),
    st.builds(RecordingResumed, by=st.just("minji"), at_ms=st.integers(0, 12_000)),
    st.builds(
        ParticipantJoined,
        participant_id=st.sampled_from(["minji", "james"]),
        name=st.sampled_from(["", "민지", "Jim"]),
        at_ms=st.just(0),
    ),
)


def _as_shown(events: Sequence[Event]) -> Iterator[Event]:
    """The events as a session records them: with names that are told apart."""
    fold = Meeting("m-1")
    for event in events:
        shown = fold.attendance.as_shown(event)
        fold.receive(shown)
        yield shown


async def test_utterances_are_numbered_as_the_fold_numbers_them(database: Database, world: World) -> None:
    """Pauses, repeated keys, missing names and starts in any order: the same rows as the fold's."""
    runs: list[list[Event]] = []

    @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(_EVENTS, max_size=25))
    def collect(events: list[Event]) -> None:
        runs.append(events)

    collect()
    ending = MeetingEnded(at_ms=1, reason="")
    for number, events in enumerate(runs):
        half = len(events) // 2
        told = [*events[:half], *([ending] if number % 7 == 0 else []), *events[half:]]
        recorded = numbered(*_as_shown(told))
        if not recorded:
            continue
        epoch = await world.hold(f"m-{number}")
        await world.store.append(f"m-{number}", epoch, recorded[:half])
        await world.store.append(f"m-{number}", epoch, recorded)
        await world.store.save_snapshot(f"m-{number}", epoch, Snapshot(seq=len(recorded), state={}))
        stored = await world.loaded(f"m-{number}")
        assert stored.utterances == utterances_of(f"m-{number}", recorded), recorded
