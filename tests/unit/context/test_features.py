"""The 23 flags: names and defaults of the seed, ours beside them, overrides that explain themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.config import ConfigError
from context.features import FLAGS, FeatureError, Features, parsed_overrides
from tests.unit.cases import cases
from worker.configuration.settings import Settings

SEED = {
    "self_refine_enabled": True, "max_refine_iterations": 2, "llm_based_quality_check": True, "dynamic_query_rewrite": True,
    "active_retrieval_enabled": False, "simple_query_k": 3, "moderate_query_k": 8, "complex_query_k": 15,
    "retrieval_mode": "hybrid", "budget_aware_retrieval": True, "context_compression_enabled": False,
    "compression_strategy": "extractive", "compression_target_ratio": 0.5, "hierarchical_memory_enabled": False,
    "working_memory_capacity": 5, "compression_threshold": 5, "response_cache_enabled": True,
    "cache_similarity_threshold": 0.85, "style_variation_level": 0.3, "include_history": True, "include_profile": True,
    "include_evidence": True, "include_personalization": True,
}  # fmt: skip


def test_the_seed_preset_is_the_seed_and_the_product_differs_in_three() -> None:
    """Style variation and grades are off, and the cache threshold is calibrated (decision 0039)."""
    assert Features.seed().model_dump() == SEED
    assert len(FLAGS) == 23
    ours = {
        "llm_based_quality_check": False,
        "cache_similarity_threshold": None,
        "style_variation_level": 0,
    }
    assert Features().model_dump() == SEED | ours


def test_one_run_may_differ_and_the_process_stays_as_it_was() -> None:
    flags = Features()
    run = flags.with_overrides(
        {"simple_query_k": "5", "SELF_REFINE_ENABLED": "off", "retrieval_mode": "bm25"}
    )
    assert (run.simple_query_k, run.self_refine_enabled, run.retrieval_mode) == (5, False, "bm25")
    assert flags == Features()


@cases
def test_a_wrong_override_is_one_line(overrides: dict[str, object], line: str) -> None:
    with pytest.raises(FeatureError) as caught:
        Features().with_overrides(overrides)
    assert str(caught.value) == line


def test_an_unknown_flag_that_is_like_none_lists_them_all() -> None:
    with pytest.raises(FeatureError, match="'xyzzy' is unknown: flags: self_refine_enabled, "):
        Features().with_overrides({"xyzzy": "1"})


def test_overrides_of_a_command_line() -> None:
    assert parsed_overrides(["simple_query_k=4", "MOIM_FEATURE_RETRIEVAL_MODE = bm25"]) == {
        "simple_query_k": "4",
        "retrieval_mode": "bm25",
    }
    with pytest.raises(FeatureError, match="'self_refine_enabled' must be NAME=VALUE"):
        parsed_overrides(["self_refine_enabled"])


@given(st.builds(Features, simple_query_k=st.integers(1, 100), self_refine_enabled=st.booleans()))
def test_what_a_value_says_of_itself_makes_it_again(flags: Features) -> None:
    assert Features.seed().with_overrides(flags.model_dump()) == flags


def test_the_environment_gives_the_flags() -> None:
    assert Settings.from_env({}).features.features() == Features()
    seed = Settings.from_env({"MOIM_FEATURE_PRESET": "seed", "MOIM_FEATURE_SIMPLE_QUERY_K": "4"})
    assert seed.features.features() == Features.seed().with_overrides({"simple_query_k": 4})
    with pytest.raises(ConfigError, match=r"^MOIM_FEATURE_PRESET='seeds' must be 'product' or 'seed'$"):
        Settings.from_env({"MOIM_FEATURE_PRESET": "seeds"})
    own = Settings.from_env({"MOIM_FEATURE_PRESET": "seed", "MOIM_FEATURE_STYLE_VARIATION_LEVEL": "0"})
    assert own.features.features().style_variation_level == 0, "the product's default, under the seed's"
