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

    self_refine_enabled: bool = Field(
        default=True,
        description="where what was found for a question, or a model's answer, is graded as poor, Moim "
        "searches again and corrects the answer",
    )
    max_refine_iterations: int = Field(
        default=2, ge=0, le=2, description="how many further searches one answer may take"
    )
    llm_based_quality_check: bool = Field(
        default=False, description="a model's answer is graded by the model; 0: by comparing words"
    )
    dynamic_query_rewrite: bool = Field(
        default=True, description="such a further search is made in other words; 0: there is none"
    )

    active_retrieval_enabled: bool = Field(
        default=False,
        description="a question gets as many passages as its complexity asks for, and a follow-up that the "
        "turn before answers gets none; 0: each is searched for as a moderate one",
    )
    simple_query_k: int = Field(default=3, ge=1, le=100, description="passages for a simple question")
    moderate_query_k: int = Field(default=8, ge=1, le=100, description="passages for a moderate question")
    complex_query_k: int = Field(default=15, ge=1, le=100, description="passages for a complex question")
    retrieval_mode: RetrievalMode = Field(
        default="hybrid",
        description="how passages are found: bm25 (by words), faiss (by meaning) or hybrid (by both)",
    )
    budget_aware_retrieval: bool = Field(
        default=True, description="passages are taken only while they fit into their share of the prompt"
    )

    context_compression_enabled: bool = Field(
        default=False, description="passages are shortened before they go into the prompt"
    )
    compression_strategy: CompressionStrategy = Field(
        default="extractive",
        description="how they are shortened: extractive (sentences are left out), abstractive (a model "
        "writes them anew) or hybrid (first the one, then the other)",
    )
    compression_target_ratio: float = Field(
        default=0.5, gt=0, le=1, description="the share of their tokens that is kept"
    )

    hierarchical_memory_enabled: bool = Field(
        default=False,
        description="the prompt shows earlier questions and answers in three tiers (the newest verbatim, "
        "older ones compressed, lasting facts), in place of the thread's turns and summaries",
    )
    working_memory_capacity: int = Field(
        default=5, ge=1, le=100, description="turns that the first tier keeps verbatim"
    )
    compression_threshold: int = Field(
        default=5, ge=1, le=100, description="turns that the second tier compresses into one text"
    )

    response_cache_enabled: bool = Field(
        default=True, description="a verified answer is given again to a question that means the same"
    )
    cache_similarity_threshold: Threshold = Field(
        default=None,
        description="how alike two questions have to be for that, 0 to 1; if empty, the point that was "
        "measured for the encoder",
    )
    style_variation_level: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="in which share of cases the opening, connectives and closing of such an answer vary",
    )

    include_history: bool = Field(
        default=True,
        description="the prompt holds earlier questions and answers, and a question may lean on those "
        "before it",
    )
    include_profile: bool = Field(
        default=True,
        description="a profile of the asker is made: role, open tasks, and what their questions told of them",
    )
    include_evidence: bool = Field(
        default=True,
        description="earlier meetings and documents are searched for passages; 0: answers rest on this "
        "meeting alone",
    )
    include_personalization: bool = Field(
        default=True, description="the profile widens the search and stands in the prompt"
    )

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
