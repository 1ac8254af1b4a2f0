"""Who gets how much: windows, weights, workflows, limits, the tracker and its dashboard."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.budgets.allocation import ContextBudget, allocate_context_budget
from context.budgets.configuration import BudgetConfig
from context.budgets.output import PER_AGENT_LIMITS, TARGET_TOKENS, CompressionLevel, level_of, limits_of
from context.budgets.tracker import ContextBudgetTracker
from context.budgets.workflows import FULL_RESEARCH_CYCLE, META_ANALYSIS, PURPOSES, WORKFLOWS, Purpose
from tests.unit.cases import cases


def test_the_seeds_split_of_a_large_window() -> None:
    budget = ContextBudget()
    assert (budget.system_prompt, budget.user_context, budget.agent_outputs) == (5000, 10000, 150000)
    assert (budget.buffer, budget.total_available) == (35000, 200000)


def test_limits_and_weights_by_level() -> None:
    limits = {level: tuple(each.model_dump().values()) for level, each in PER_AGENT_LIMITS.items()}
    assert limits == {"full": (8000, 6000, 3.0), "enhanced": (5000, 4000, 2.0), "light": (3000, 2500, 1.0)}
    agents = [f"{number:02d}" for number in range(1, 21)]
    assert [each for each in agents if level_of(each) == "full"] == ["02", "03", "05", "10", "16"]
    assert [each for each in agents if level_of(each) == "enhanced"] == ["01", "04", "06", "07", "08", "09"]
    assert level_of("11") == level_of("nobody") == "light"
    assert limits_of("02-theoretical").max_output == 8000
    assert (level_of("transcript"), level_of("topics"), level_of("thread")) == ("full", "enhanced", "light")


def test_shares_by_weight() -> None:
    assert allocate_context_budget(["02", "01", "11"]) == {"02": 75000, "01": 50000, "11": 25000}
    assert allocate_context_budget(["02", "x"], 1000, producers={"x": "full"}) == {"02": 250, "x": 750}
    assert allocate_context_budget([]) == {}
    assert allocate_context_budget(["02"], -5) == {"02": 0}


def test_the_research_cycle_as_configured_in_the_seed() -> None:
    stages = FULL_RESEARCH_CYCLE.stages
    assert {name: (stage.budget, int(stage.compression)) for name, stage in stages.items()} == {
        "planning": (30000, 1), "literature": (35000, 1), "methods": (30000, 2), "validation": (25000, 2),
        "publication": (20000, 3),
    }  # fmt: skip
    assert FULL_RESEARCH_CYCLE.budget == 140000
    assert FULL_RESEARCH_CYCLE.everyone == tuple(f"{n:02d}" for n in range(1, 21))
    shares = FULL_RESEARCH_CYCLE.allocation()
    assert sum(shares[a] for a in stages["planning"].agents) <= 30000
    assert shares["02"] == 9000
    assert FULL_RESEARCH_CYCLE.level_after("17") is CompressionLevel.KEY


def test_the_meta_analysis_as_configured_in_the_seed() -> None:
    assert META_ANALYSIS.budget == 100000
    levels = {agent: int(META_ANALYSIS.level_after(agent)) for agent in META_ANALYSIS.everyone}
    assert levels == {"01": 2, "02": 2, "05": 0, "06": 0, "07": 0, "10": 0, "12": 0, "16": 2, "17": 2}
    assert set(META_ANALYSIS.critical_agents) == {"05", "07", "10"}


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
    assert config.workflows["meta_analysis"] == META_ANALYSIS
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


@pytest.mark.parametrize(("whole", "total"), [(200_000, 150_000), (100_000, 75_000), (8, 6)])
def test_a_meetings_budget_is_the_seeds_share_of_what_is_available(whole: int, total: int) -> None:
    assert BudgetConfig.from_mapping({"total_available": whole}).total_budget == total
    assert BudgetConfig.from_mapping({"total_available": whole, "total_budget": 5}).total_budget == 5


def test_a_seeds_workflow_is_a_preset_for_a_meetings_producers() -> None:
    config = BudgetConfig.from_mapping(
        {
            "workflows": {
                "review": {
                    "preset": "meta_analysis",
                    "stands_for": {"05": "transcript", "10": "topics", "16": "profile"},
                    "total_budget": 6_000,
                },
                "course": {
                    "preset": "full_research_cycle",
                    "stands_for": {"01": "transcript", "20": "thread"},
                },
                "as_it_is": {"preset": "meta_analysis"},
            },
            "call_types": {"SEARCH": "review"},
        }
    )
    review = config.workflow_for("SEARCH")
    assert set(review.critical_agents) == {"transcript", "topics"}
    assert review.compressible_agents == ("profile",)
    assert sum(review.allocation(producers=config.producers, limits=config.limits).values()) <= 6_000
    assert review.level_after("profile") is CompressionLevel.BRIEF
    course = config.workflows["course"]
    assert course.everyone == ("transcript", "thread")
    assert course.level_after("thread") is CompressionLevel.KEY
    assert config.workflows["as_it_is"] == META_ANALYSIS


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
    tracker = ContextBudgetTracker()
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
