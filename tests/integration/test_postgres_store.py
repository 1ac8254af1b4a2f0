"""The record's speed, and the short cut that it takes for it."""

from __future__ import annotations

import pytest

from context.events.events import MeetingStarted
from context.models import Utterance
from context.ports import RecordedEvent, Snapshot
from tests.contracts.events import NINE, spoken
from tests.contracts.world import World

pytestmark = pytest.mark.postgres


async def test_restored_utterances_are_as_good_as_validated_ones(world: World) -> None:
    epoch = await world.hold()
    events = [
        MeetingStarted(at=NINE),
        spoken(1, "안녕하세요", source=(0, 3), times_derived=True),
        spoken(2, "Hello", confidence=0.5),
    ]
    await world.store.append("m-1", epoch, [RecordedEvent(seq=n, event=e) for n, e in enumerate(events, 1)])
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=3, state={}))
    stored = await world.loaded()
    assert [u.times_derived for u in stored.utterances] == [True, False]
    for fast in stored.utterances:
        slow = Utterance.model_validate(fast.model_dump())
        assert fast == slow
        assert repr(fast) == repr(slow)
        assert hash(fast) == hash(slow)
        assert fast.model_dump_json() == slow.model_dump_json()
        assert fast.model_copy(update={"topic": "출시"}) == slow.model_copy(update={"topic": "출시"})
        with pytest.raises(ValueError, match="frozen"):
            fast.text = "other"  # type: ignore[misc]  # that it cannot is the point
