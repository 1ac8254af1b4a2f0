"""The labelled sentences: what they name stands as it was said, and nobody else's ends in the asker's profile."""

from __future__ import annotations

import pytest

from context.features import Features
from context.models import Invocation
from context.window import RoughTokenizer
from tests.unit.agent.meetings import answered, meeting_of
from tests.unit.context.medical_sentences import SETS, Sentence, labelled, score
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named

RIGHT = 0.9
"""Of the labelled entities: kind, name, value and status."""
TIERS = Features(hierarchical_memory_enabled=True)
SENTENCES = [sentence for name in SETS for sentence in labelled(name)]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", SETS)
def test_entities_have_the_right_status(name: str, language: str) -> None:
    scored = score(labelled(name, language))
    assert scored.share >= RIGHT, scored.wrong
    assert scored.details_right / max(1, scored.details) >= RIGHT, scored.wrong


async def _known(sentence: Sentence) -> str:
    """Profile and semantic tier of somebody who has written a sentence twice, so that it lasts."""
    manager = meeting_of((), people={"a": "김민지"})
    for _ in range(2):
        answered(manager, sentence.text, "네. Yes.", by="a")
    now = Invocation(id="now", by="a", via="chat", text="언제죠? When?", at_ms=99)
    memory = ThreadMemory(EntityPacks(packs_named(["meeting", "medical"])), RoughTokenizer())
    known = memory.recall(now, manager.meeting, TIERS, max_tokens=8000)
    own = [line for line in known.semantic.splitlines() if "김민지" in line]
    return "\n".join([known.profile, *own])


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.id)
async def test_a_profile_holds_nothing_of_others_and_nothing_that_was_only_asked(sentence: Sentence) -> None:
    own = {
        (label["name"], label.get("value", ""))
        for label in sentence.expected
        if label["whose"] == "asker" and label["status"] in ("active", "past")
    }
    known = await _known(sentence)
    others = {(label["name"], label.get("value", "")) for label in sentence.expected} - own
    own_names = {name for name, _ in own}
    assert not [name for name, _ in others if name in known and name not in own_names]
