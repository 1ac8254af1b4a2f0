"""Seed 002's 23 flags (§7.1) as one frozen value: which steps an answer takes, and their numbers.

A process has one `Features` (from `MOIM_FEATURE_*`); one run may differ from it by `with_overrides`.
The product's defaults are those of the fields; `Features.seed()` are the seed's.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from context.config import requirement

RetrievalMode = Literal["hybrid", "bm25", "faiss"]
CompressionStrategy = Literal["extractive", "abstractive", "hybrid"]
Preset = Literal["product", "seed"]

_CALIBRATED: Final = frozenset({"", "auto", "none"})


def _or_calibrated(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().lower() in _CALIBRATED else value


_Cosine = Annotated[float, Field(ge=0, le=1)]
Threshold = Annotated[_Cosine | None, BeforeValidator(_or_calibrated)]
"""How alike two questions must be, on the seed's scale (`context.answer_cache.likeness`), or None.

None, also written `auto`, `none` or empty, is the point that was measured for the encoder; the seed's .85.
"""


class FeatureError(ValueError):
    """A flag does not exist, or a value is not allowed: one line with name, value and what is allowed."""


class Features(BaseModel):
    """Which steps are on, and their numbers. A step that is off passes the state on unchanged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    self_refine_enabled: bool = Field(default=True, description="an answer is checked and mended")
    max_refine_iterations: int = Field(
        default=2, ge=0, le=2, description="further searches for one answer at most"
    )
    llm_based_quality_check: bool = Field(
        default=False, description="the model grades answers, if there is one; else words are compared"
    )
    dynamic_query_rewrite: bool = Field(default=True, description="search again in other words")

    active_retrieval_enabled: bool = Field(default=False, description="search only if needed")
    simple_query_k: int = Field(default=3, ge=1, le=100, description="passages, simple question")
    moderate_query_k: int = Field(default=8, ge=1, le=100, description="passages, moderate question")
    complex_query_k: int = Field(default=15, ge=1, le=100, description="passages, complex question")
    retrieval_mode: RetrievalMode = Field(
        default="hybrid", description="hybrid, bm25 (by words) or faiss (by meaning)"
    )
    budget_aware_retrieval: bool = Field(default=True, description="stop when the budget is full")

    context_compression_enabled: bool = Field(default=False, description="passages are compressed")
    compression_strategy: CompressionStrategy = Field(
        default="extractive", description="extractive, abstractive or hybrid"
    )
    compression_target_ratio: float = Field(default=0.5, gt=0, le=1, description="share that is kept")

    hierarchical_memory_enabled: bool = Field(default=False, description="three tiers of memory")
    working_memory_capacity: int = Field(default=5, ge=1, le=100, description="turns kept verbatim")
    compression_threshold: int = Field(default=5, ge=1, le=100, description="turns per compressed span")

    response_cache_enabled: bool = Field(default=True, description="give verified answers again")
    cache_similarity_threshold: Threshold = Field(
        default=None,
        description="how alike questions must be to get the same answer, 0 to 1; if empty, as measured",
    )
    style_variation_level: float = Field(
        default=0.0, ge=0, le=1, description="how much a reused answer is varied, 0 to 1"
    )

    include_history: bool = Field(default=True, description="the prompt holds the thread")
    include_profile: bool = Field(default=True, description="the prompt holds the asker's profile")
    include_evidence: bool = Field(default=True, description="the prompt holds passages")
    include_personalization: bool = Field(default=True, description="answers are suited to the asker")

    @classmethod
    def seed(cls) -> Features:
        """Seed 002's own defaults (§7.1)."""
        return Features(
            llm_based_quality_check=True, cache_similarity_threshold=0.85, style_variation_level=0.3
        )

    def with_overrides(self, overrides: Mapping[str, Any]) -> Self:
        """A copy with these flags changed; values may be texts, as in `NAME=VALUE`. Raises `FeatureError`."""
        named = {name.strip().lower(): value for name, value in overrides.items()}
        for name in named:
            if name not in FLAGS:
                near = difflib.get_close_matches(name, FLAGS, n=1, cutoff=0.5)
                mend = f"did you mean {near[0]}?" if near else f"flags: {', '.join(FLAGS)}"
                raise FeatureError(f"feature {name!r} is unknown: {mend}")
        try:
            return type(self).model_validate({**self.model_dump(), **named})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            raise FeatureError(f"feature {name}={named[name]!r} {requirement(first)}") from None


OF_THIS_MEETING: Final[Mapping[str, str]] = {
    "include_evidence": "0",
    "include_profile": "0",
    "response_cache_enabled": "0",
}
"""Overrides that keep an answer to its own meeting, for askers who see no other.

Without evidence nothing of the agent's thread and memory counts either that rests on other meetings.
"""
FLAGS: Final = tuple(Features.model_fields)
"""The flags' names, in the seed's order."""


def parsed_overrides(settings: list[str]) -> dict[str, str]:
    """The flags in a command line's `["NAME=VALUE", …]`, by name. Raises `FeatureError` on another form."""
    overrides: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise FeatureError(f"feature {setting!r} must be NAME=VALUE, e.g. self_refine_enabled=0")
        overrides[name.strip().lower().removeprefix("moim_feature_")] = value.strip()
    return overrides
