"""Seed 004: context budgets. An agent is a named producer of context blocks."""

from __future__ import annotations

from typing import Final

from tests.unit.seeds.row import Row

_ALLOCATION, _PRESERVATION, _CACHE, _PROMPT, _SENT = (
    f"tests/unit/context/test_budgets_{name}.py"
    for name in ("allocation", "preservation", "cache", "prompt", "sent")
)
_PARTS, _EARLIER = "tests/unit/agent/test_prompt_parts.py", "tests/unit/agent/test_earlier.py"
_CONFIG = "context.budgets.configuration:BudgetConfig"

ROWS: Final = (
    Row(
        "`total_available` 200,000 and its four parts",
        (f"{_CONFIG}.tracker", "context.budgets.tracker:ContextBudgetTracker"),
        (
            f"{_ALLOCATION}::test_the_seeds_split_of_a_large_window",
            f"{_ALLOCATION}::test_a_meetings_budget_is_the_seeds_share_of_what_is_available",
        ),
    ),
    Row(
        "`full_vs`, `enhanced_vs`, `light_vs`: `max_output`, `summary_threshold`, weight",
        (f"{_CONFIG}.limits_of", "context.budgets.output:limits_of", "context.budgets.output:level_of"),
        (
            f"{_ALLOCATION}::test_limits_and_weights_by_level",
            f"{_PROMPT}::test_a_block_above_its_producers_threshold_comes_in_detail",
        ),
    ),
    Row(
        "`allocate_context_budget(workflow, total_budget)`",
        ("context.budgets.allocation:allocate_context_budget", "context.budgets.allocation:shared_out"),
        (f"{_ALLOCATION}::test_shares_by_weight",),
    ),
    Row(
        "levels 0–3",
        ("context.budgets.prompt:_Composition._level_of", "context.budgets.output:TARGET_TOKENS"),
        (
            f"{_ALLOCATION}::test_levels_and_their_sizes",
            f"{_PRESERVATION}::test_each_level_keeps_its_size_by_true_count",
        ),
    ),
    Row(
        "`level_1_detailed`, `level_2_brief`, `level_3_key`: templates",
        (
            "context.budgets.compression:summarize_output",
            "context.budgets.topic_templates:TopicTemplate.lines",
        ),
        (
            f"{_PRESERVATION}::test_level_1_tells_everything_that_is_known",
            f"{_PRESERVATION}::test_levels_2_and_3_are_short",
            f"{_EARLIER}::test_a_users_template_says_what_is_kept",
        ),
    ),
    Row(
        "`calculate_priority`",
        ("context.budgets.allocation:calculate_priority", "context.budgets.prompt:_Composition._priority"),
        (f"{_PRESERVATION}::test_the_five_factors",),
    ),
    Row(
        "`select_context_to_preserve(agent_outputs, budget)`",
        ("context.budgets.preservation:select_context_to_preserve",),
        (f"{_PRESERVATION}::test_the_best_comes_first_and_what_does_not_fit_comes_at_level_2",),
    ),
    Row(
        "workflows by call type, with the seed's `full_research_cycle` as a preset",
        (f"{_CONFIG}.workflow_for", f"{_CONFIG}.allocation", "context.budgets.workflows:Workflow.allocation"),
        (
            f"{_ALLOCATION}::test_the_research_cycle_as_configured_in_the_seed",
            f"{_ALLOCATION}::test_a_seeds_workflow_is_a_preset_for_a_meetings_producers",
        ),
    ),
    Row(
        "`meta_analysis`: `critical_agents`, `compressible_agents`",
        ("context.budgets.workflows:Workflow.everyone", "context.budgets.workflows:Workflow.level_after"),
        (
            f"{_ALLOCATION}::test_the_meta_analysis_as_configured_in_the_seed",
            f"{_PROMPT}::test_who_may_be_compressed_gives_way_first",
        ),
    ),
    Row(
        "`context_cache`: `session`, `project`, `persistent`",
        ("worker.agent.earlier:EarlierMeetings.keep", "worker.agent.earlier:EarlierMeetings.passages"),
        (
            f"{_CACHE}::test_each_tier_keeps_its_level",
            f"{_CACHE}::test_a_project_keeps_for_seven_days_and_the_persistent_tier_for_ever",
            f"{_EARLIER}::test_what_was_written_once_is_read_by_the_next_meeting_in_the_room",
        ),
    ),
    Row(
        "`load_from_cache`, `save_to_cache`",
        (
            "context.budgets.cache:ContextCache.load_from_cache",
            "context.budgets.cache:ContextCache.save_to_cache",
        ),
        (f"{_CACHE}::test_what_is_broken_foreign_or_from_the_future_counts_as_absent",),
    ),
    Row(
        "`ContextBudgetTracker`: `track`, `get_remaining`, `trigger_compression_mode` above 80 %",
        (
            "context.budgets.sent:SentPrompts.tracker",
            "context.budgets.tracker:ContextBudgetTracker.track",
            "context.budgets.tracker:ContextBudgetTracker.level_for_next",
            "context.budgets.sent:level_for_next",
        ),
        (
            f"{_SENT}::test_above_the_share_of_the_meetings_budget_the_next_answer_is_held_to_level_2",
            f"{_PARTS}::test_in_compression_mode_a_prompt_is_held_to_level_2",
        ),
    ),
    Row(
        "`report()`: the seed's keys",
        ("worker.meeting.panels:spending", "context.budgets.tracker:ContextBudgetTracker.report"),
        (f"{_ALLOCATION}::test_the_tracker_adds_up_and_reports_the_seeds_keys",),
    ),
    Row("dashboard", (), (f"{_ALLOCATION}::test_the_dashboard_says_what_the_seeds_says",)),
    Row(
        "every prompt through `BudgetConfig`: answer, summary, plan, verdicts, thread",
        ("context.budgets.prompt:compose", f"{_CONFIG}.shares", "context.budgets.sent:sent"),
        ("tests/unit/agent/test_prompt_sizes.py", f"{_PARTS}::test_a_users_budgets_rule_the_prompt"),
    ),
)
