"""The next item of a list, named without a verb, is announced; a turn to speak or a date is not."""

from __future__ import annotations

from context.topics.cues import find
from tests.unit.cases import cases


@cases
def test_an_item_without_a_verb_announces_a_topic(text: str, name: str) -> None:
    cue = find(text)
    assert cue is not None
    assert (cue.strength, cue.name) == ("strong", name)


@cases
def test_whose_turn_it_is_announces_none(text: str) -> None:
    cue = find(text)
    assert cue is None or cue.strength == "weak"
