"""An erasure reaches what has come and is not folded yet, whatever time a program gives it."""

from __future__ import annotations

import json

import pytest

from context.events.actors import participant
from context.events.erasure_target import Target
from context.events.events import UtteranceSpoken
from tests.fakes.meeting import meeting_at_work
from tests.fakes.virtual_time import in_virtual_time

pytestmark = in_virtual_time


@pytest.mark.parametrize("secret", ["제 연봉은 팔천만 원입니다", "My salary is eighty thousand"])
@pytest.mark.parametrize("settled", [True, False])
async def test_words_that_are_dated_ahead_of_the_clock_are_erased_too(secret: str, settled: bool) -> None:
    async with meeting_at_work() as world:
        for number in range(30):
            for who in ("ben", "carol"):
                start_ms = 600_000 + number * 1000
                world.session.post(
                    UtteranceSpoken(
                        key=f"{who}-{number}", speaker_id=who, speaker_name=who,
                        text=f"{secret} {who} {number}", start_ms=start_ms, end_ms=start_ms + 900,
                    )
                )  # fmt: skip
            if number == 10 and settled:
                await world.settle()
        target = Target(what="person", person="ben")
        assert await world.session.erase(target, id_="e1", actor=participant("ben"), by="Ben")
        await world.settle()
        said = world.session.manager.meeting.utterances
        assert {each.text for each in said if each.speaker_id == "ben"} == {""}
        assert all(each.text for each in said if each.speaker_id == "carol")
        state = json.dumps(world.session.manager.meeting.snapshot(), ensure_ascii=False)
        assert f"{secret} ben" not in state
