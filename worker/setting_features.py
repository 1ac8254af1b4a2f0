"""Seed 002's flags."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worker.setting_values import Group


class FeatureSettings(Group):
    """Seed 002's flags, under its names and defaults (accepted; no effect in this version)."""

    self_refine_enabled: bool = Field(
        default=True, alias="MOIM_FEATURE_SELF_REFINE_ENABLED", description="check and mend an answer"
    )
    max_refine_iterations: int = Field(
        2, alias="MOIM_FEATURE_MAX_REFINE_ITERATIONS", ge=0, le=5, description="times at most"
    )
    llm_based_quality_check: bool = Field(
        default=True, alias="MOIM_FEATURE_LLM_BASED_QUALITY_CHECK", description="the LLM grades"
    )
    dynamic_query_rewrite: bool = Field(
        default=True, alias="MOIM_FEATURE_DYNAMIC_QUERY_REWRITE", description="search again in other words"
    )
    active_retrieval_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_ACTIVE_RETRIEVAL_ENABLED", description="search only where needed"
    )
    simple_query_k: int = Field(
        3, alias="MOIM_FEATURE_SIMPLE_QUERY_K", ge=1, le=100, description="passages, simple question"
    )
    moderate_query_k: int = Field(
        8, alias="MOIM_FEATURE_MODERATE_QUERY_K", ge=1, le=100, description="passages, moderate question"
    )
    complex_query_k: int = Field(
        15, alias="MOIM_FEATURE_COMPLEX_QUERY_K", ge=1, le=100, description="passages, complex question"
    )
    retrieval_mode: Literal["hybrid", "bm25", "faiss"] = Field(
        "hybrid", alias="MOIM_FEATURE_RETRIEVAL_MODE", description="hybrid, bm25 or faiss"
    )
    budget_aware_retrieval: bool = Field(
        default=True, alias="MOIM_FEATURE_BUDGET_AWARE_RETRIEVAL", description="stop when the budget is full"
    )
    context_compression_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_CONTEXT_COMPRESSION_ENABLED", description="compress passages"
    )
    compression_strategy: Literal["extractive", "abstractive", "hybrid"] = Field(
        "extractive",
        alias="MOIM_FEATURE_COMPRESSION_STRATEGY",
        description="extractive, abstractive or hybrid",
    )
    compression_target_ratio: float = Field(
        0.5, alias="MOIM_FEATURE_COMPRESSION_TARGET_RATIO", gt=0, le=1, description="share that is kept"
    )
    hierarchical_memory_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_HIERARCHICAL_MEMORY_ENABLED", description="three memory tiers"
    )
    working_memory_capacity: int = Field(
        5, alias="MOIM_FEATURE_WORKING_MEMORY_CAPACITY", ge=1, le=100, description="turns kept verbatim"
    )
    compression_threshold: int = Field(
        5, alias="MOIM_FEATURE_COMPRESSION_THRESHOLD", ge=1, le=100, description="turns per compressed span"
    )
    response_cache_enabled: bool = Field(
        default=True, alias="MOIM_FEATURE_RESPONSE_CACHE_ENABLED", description="reuse verified answers"
    )
    cache_similarity_threshold: float = Field(
        0.85, alias="MOIM_FEATURE_CACHE_SIMILARITY_THRESHOLD", ge=0, le=1, description="cosine of a cache hit"
    )
    style_variation_level: float = Field(
        0.3,
        alias="MOIM_FEATURE_STYLE_VARIATION_LEVEL",
        ge=0,
        le=1,
        description="how much a reused answer varies",
    )
    include_history: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_HISTORY", description="the thread goes into the prompt"
    )
    include_profile: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_PROFILE", description="the profile goes into the prompt"
    )
    include_evidence: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_EVIDENCE", description="passages go into the prompt"
    )
    include_personalization: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_PERSONALIZATION", description="answers suit the asker"
    )
