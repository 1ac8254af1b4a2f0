"""What an answer's graph works with beside the meeting itself, as it is configured."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from context.answer_cache import LookUp
from context.compression import Compression
from context.corpora import Retriever
from context.entities.medical_pack import ConceptFinder, by_spelling
from context.ports import Embedder, Tokenizer
from worker.adapters.medcat_concepts import medcat_finder
from worker.agent.answer_memory import CachedAnswers
from worker.agent.compressing import PassageCompressor
from worker.agent.graph.parts import AnswerParts, EarlierTalk
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named
from worker.configuration.settings import Settings
from worker.engines.language_models import LanguageModels
from worker.engines.model_budgets import model_budget


def answer_parts(
    settings: Settings,
    tokenizer: Tokenizer,
    *,
    models: LanguageModels | None,
    zone: tzinfo,
    embedder: Embedder | None = None,
    retriever: Retriever | None = None,
    earlier: EarlierTalk | None = None,
    on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    on_compression: Callable[[Compression], None] = lambda _made: None,
) -> AnswerParts:
    """Cache, compressor, entity packs and memory; nothing is connected or loaded before it is used.

    `on_look_up` is told how each look-up in the cache ended, `on_compression` what each compression came to.
    """
    packs = EntityPacks(packs_named(settings.agent.entity_packs, _concept_finder(settings)))
    summaries = models.summaries if models else None
    return AnswerParts(
        retriever=retriever,
        earlier=earlier,
        answers=CachedAnswers(
            embedder,
            maker=models.answers.name if models else "extractive",
            zone=zone,
            on_look_up=on_look_up,
        ),
        slots=packs,
        memory=ThreadMemory(packs, tokenizer),
        compressor=PassageCompressor(
            tokenizer,
            summaries,
            shares=settings.budgets.shares(
                "compression", model_budget(settings, summaries.name if summaries else "").shown
            ),
            on_compression=on_compression,
        ),
    )


def _concept_finder(settings: Settings) -> ConceptFinder:
    """Who finds medical concepts. MedCAT takes some seconds to load, before a job asks for its meeting."""
    wanted = settings.agent.medical_concepts
    if wanted == "builtin" or "medical" not in settings.agent.entity_packs:
        return by_spelling
    return medcat_finder(None if wanted == "medcat" else Path(wanted))
