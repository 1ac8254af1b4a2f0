"""What an answer's graph works with beside the meeting itself, as it is configured."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from context.corpora import Retriever
from context.ports import Embedder, Tokenizer
from worker.agent.answer_memory import CachedAnswers
from worker.agent.compressing import PassageCompressor
from worker.agent.graph.ports import Parts
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named
from worker.language_models import LanguageModels
from worker.metrics import Metrics
from worker.settings import Settings


def answer_parts(
    settings: Settings,
    tokenizer: Tokenizer,
    *,
    models: LanguageModels | None,
    zone: tzinfo,
    embedder: Embedder | None = None,
    retriever: Retriever | None = None,
    on_look_up: Callable[[str], None] = lambda _result: None,
) -> Parts:
    """Cache, compressor, entity packs and memory; nothing is connected or loaded before it is used.

    `on_look_up` is told how each look-up in the cache ended: `exact`, `similar`, or the guard that refused.
    """
    packs = EntityPacks(packs_named(settings.agent.entity_packs))
    return Parts(
        retriever=retriever,
        answers=CachedAnswers(
            embedder,
            maker=models.answers.name if models else "extractive",
            zone=zone,
            on_look_up=lambda told: on_look_up(
                ("exact" if told.exact else "similar") if told.hit else (told.guard or "new")
            ),
        ),
        slots=packs,
        memory=ThreadMemory(packs, tokenizer),
        compressor=PassageCompressor(tokenizer, models.summaries if models else None),
    )
