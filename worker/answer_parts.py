"""What an answer's graph works with beside the meeting itself, as it is configured."""

from __future__ import annotations

from context.ports import Tokenizer
from worker.agent.graph.ports import Parts
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named
from worker.settings import Settings


def answer_parts(settings: Settings, tokenizer: Tokenizer) -> Parts:
    """Entity packs and memory; nothing is connected or loaded before it is used."""
    packs = EntityPacks(packs_named(settings.agent.entity_packs))
    return Parts(slots=packs, memory=ThreadMemory(packs, tokenizer))
