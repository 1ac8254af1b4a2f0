"""Who gets how much: windows, weights, workflows, limits, the tracker and its dashboard."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.budgets.allocation import allocate_context_budget
from context.budgets.configuration import BudgetConfig
from context.budgets.output import PER_AGENT_LIMITS, TARGET_TOKENS, CompressionLevel, level_of, limits_of
from context.budgets.tracker import ContextBudgetTracker
from context.budgets.workflows import PURPOSES, WORKFLOWS, Purpose
from context.seeds import RESEARCH_AGENTS
from tests.unit.cases import cases


def test_limits_and_weights_by_level() -> None:
    limits = {level: tuple(each.model_dump().values()) for level, each in PER_AGENT_LIMITS.items()}
    assert limits == {"full": (8000, 6000, 3.0), "enhanced": (5000, 4000, 2.0), "light": (3000, 2500, 1.0)}
    assert level_of("nobody") == "light"
    assert limits_of("transcript").max_output == 8000
    assert (level_of("transcript"), level_of("topics"), level_of("thread")) == ("full", "enhanced", "light")


def test_shares_by_weight() -> None:
    shares = allocate_context_budget(["transcript", "topics", "thread"])
    assert shares == {"transcript": 75000, "topics": 50000, "thread": 25000}
    assert allocate_context_budget(["y", "x"], 1000, producers={"x": "full"}) == {"y": 250, "x": 750}
    assert allocate_context_budget([]) == {}
    assert allocate_context_budget(["topics"], -5) == {"topics": 0}


def test_a_users_own_workflow_producers_templates_and_lifetimes_are_configuration() -> None:
    config = BudgetConfig.from_mapping(
        {
            "windows": {"our-model": 16000},
            "producers": {"crm": "full"},
            "limits": {"full": {"weight": 4}},
            "templates": {"level_3_key": {"format": "{decision}!", "target_tokens": 50}},
            "workflows": {
                "ours": {"agents": ["crm", "topics"], "total_budget": 900, "compressible_agents": ["topics"]}
            },
            "cache_levels": {"project": {"lifetime": "P1D", "level": 2}},
        }
    )
    assert config.workflows["ours"].allocation(producers=config.producers, limits=config.limits) == {
        "crm": 600, "topics": 300,
    }  # fmt: skip
    assert config.limits["full"].max_output == 8000, "what is said of one thing leaves the others"
    assert config.limits["light"] == PER_AGENT_LIMITS["light"]
    assert config.workflows["search"] == WORKFLOWS["search"]
    assert config.templates["level_3_key"].target_tokens == 50
    assert config.templates["level_2_brief"].target_tokens == 1000
    assert config.cache_levels["project"].lifetime == timedelta(days=1)
    assert config.budget_for("our-model").window == 16000
    assert config.budget_for("HCX-003").window == 8192


@cases
def test_a_wrong_configuration_is_one_clear_line(given_: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match=r"\S") as caught:
        BudgetConfig.from_mapping(given_)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.integers(min_value=0, max_value=200_000), st.sampled_from(sorted(PURPOSES)))
def test_other_prompts_are_shared_out_whole_and_never_above(most: int, purpose: Purpose) -> None:
    config = BudgetConfig()
    shares = config.shares(purpose, most)
    assert sum(shares.values()) == min(most, config.purposes[purpose].budget)
    assert set(shares) == set(config.purposes[purpose].everyone)
    assert min(shares.values()) >= 0


@given(st.integers(min_value=0, max_value=300_000), st.sampled_from(sorted(WORKFLOWS)))
def test_a_workflow_fits_into_less_than_it_would_have(most: int, name: str) -> None:
    assert sum(WORKFLOWS[name].allocation(most=most).values()) <= min(most, WORKFLOWS[name].budget)


def test_levels_and_their_sizes() -> None:
    assert [TARGET_TOKENS[level] for level in CompressionLevel] == [8000, 3000, 1000, 300]
    assert [int(level) for level in CompressionLevel] == [0, 1, 2, 3]


def test_the_tracker_adds_up_and_reports_the_seeds_keys() -> None:
    tracker = ContextBudgetTracker()
    tracker.track("02", 8200)
    tracker.track("05", 9100)
    tracker.track("02", 800)
    assert tracker.report() == {
        "total_budget": 150000, "used": 18100, "remaining": 131900, "usage_percent": 100 * 18100 / 150000,
        "per_agent": {"02": 9000, "05": 9100},
    }  # fmt: skip
    assert tracker.get_remaining() == 131900
    with pytest.raises(ValueError, match="cannot have used -1"):
        tracker.track("02", -1)


def test_above_eighty_percent_the_next_ones_are_limited_to_level_2() -> None:
    tracker = ContextBudgetTracker(10_000)
    tracker.track("02", 8_000)
    assert (tracker.compression_mode, tracker.level_for_next()) == (False, CompressionLevel.FULL)
    assert tracker.next_budget("02") == 2000
    tracker.track("11", 1)
    assert (tracker.compression_mode, tracker.level_for_next()) == (True, CompressionLevel.BRIEF)
    assert tracker.next_budget("02") == 1000
    tracker.track("11", 5_000)
    assert tracker.get_remaining() == -3001
    assert tracker.next_budget("02") == 0


def test_the_dashboard_says_what_the_seeds_says() -> None:
    tracker = ContextBudgetTracker(producers=RESEARCH_AGENTS)
    used = {"02-theoretical": 8200, "05-literature": 9100, "10-statistical": 7800, "03-devils": 6500}
    for agent, tokens in used.items():
        tracker.track(agent, tokens)
    for agent in range(20, 30):
        tracker.track(str(agent), 5590)
    text = tracker.dashboard("05")
    for words in (
        "Total Budget: 150,000 tokens", "Used: 87,500 tokens (58.3%)", "Remaining: 62,500 tokens",
        "05-literature", "9,100 (6.1%)", "Others", "Compression Status: Normal", "Next Agent Budget: 8,000 tokens (full",
    ):  # fmt: skip
        assert words in text
    assert "█" * 20 + "░" * 14 in text
    tracker.track("x", 62_500)
    assert "Compression Status: Active (level 2)" in tracker.dashboard("05")
    assert "(nobody yet)" in ContextBudgetTracker(0).dashboard("05")
