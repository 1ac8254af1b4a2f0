"""Seed 001: rolling summaries of the thread."""

from __future__ import annotations

from typing import Final

from tests.unit.seeds.row import Row

_FOLD, _TURNS = "tests/unit/context/test_thread_fold.py", "tests/unit/context/test_thread_turns.py"
_WRITING, _BRIEFING = (
    "tests/unit/context/test_thread_writing.py",
    "tests/unit/context/test_thread_briefing.py",
)
_SESSION, _THREAD = "tests/unit/worker/test_session_thread.py", "tests/integration/test_thread.py"

ROWS: Final = (
    Row(
        "turn: question, tool calls and results, answer",
        (
            "context.thread.turn:completed_turns",
            "context.thread.messages:Message.ends_turn",
            "context.models:ToolUse",
        ),
        (f"{_TURNS}::test_a_turn_ends_at_an_answer_without_tool_calls_none_and_empty_alike",),
    ),
    Row(
        "`should_summarize(turn_count)`: 4, 7, 10, …",
        ("context.thread.turn:should_summarize", "context.thread.summaries:ThreadSummaries.span"),
        (f"{_TURNS}::test_a_summary_is_due_at_turns_4_7_10_and_so_on",),
    ),
    Row(
        "span: the 3 turns before the current one",
        ("context.thread.turn:span_end", "context.thread.turn:TURNS_PER_SUMMARY"),
        (f"{_TURNS}::test_spans_are_1_to_3_4_to_6_and_so_on",),
    ),
    Row(
        "context: every summary, uncovered turns, current turn",
        (
            "context.thread.briefing:build_context_prompt",
            "context.thread.thread:Thread.earlier",
            "sends:[1-3턴]",
        ),
        (f"{_FOLD}::test_turn_50_has_sixteen_summaries_and_two_raw_turns",),
    ),
    Row(
        "`summary_history[]`",
        ("context.thread.history:SummaryEntry", "context.thread.thread:Thread.summary_history"),
        (f"{_TURNS}::test_an_entry_of_the_history_has_the_seeds_keys",),
    ),
    Row(
        "`ChatState`",
        (
            "context.thread.messages:ChatState",
            "context.thread.thread:Thread.state",
            "context.thread.panel:as_fields",
        ),
        (f"{_SESSION}::test_another_worker_takes_over_with_the_same_history",),
    ),
    Row(
        "`turn_count`: +1 when a question comes",
        ("context.thread.thread:Thread.asked",),
        (f"{_FOLD}::test_ten_turns_are_three_summaries_and_one_raw_turn",),
    ),
    Row(
        "`compression_rate` 0.1–0.5, 0.3, step 0.05",
        ("context.thread.thread:Thread.tuned", "keeps:thread_tuned"),
        (
            f"{_FOLD}::test_the_rate_changes_at_run_time_and_counts_from_the_next_summary",
            f"{_TURNS}::test_a_rate_goes_in_steps_from_a_tenth_to_a_half",
        ),
    ),
    Row(
        "target length, tool text included",
        ("context.thread.history:target_length", "context.thread.messages:chars_of"),
        (f"{_TURNS}::test_the_target_is_the_share_of_the_original",),
    ),
    Row(
        "`extract_last_n_turns(messages, n)`",
        ("context.thread.turn:extract_last_n_turns",),
        (f"{_TURNS}::test_the_last_turns_come_whole_and_without_the_running_one",),
    ),
    Row(
        "`extract_current_turn(messages)`",
        ("context.thread.turn:extract_current_turn",),
        (f"{_TURNS}::test_finished_turns_and_the_current_one_are_everything_in_order",),
    ),
    Row(
        "`generate_summary(messages, target_length)`",
        ("context.thread.writing:generate_summary", "keeps:thread_summary_ready"),
        (f"{_WRITING}::test_the_model_is_told_the_target_and_the_messages",),
    ),
    Row(
        "`summary_node` → `llm_node` ↔ `tool_node`",
        (
            "worker.agent.graph.graph:run_turn",
            "worker.agent.graph.graph:llm_node",
            "worker.agent.graph.graph:tool_node",
            "worker.agent.thread_summarising:ThreadSummariser.summary_node",
        ),
        (f"{_SESSION}::test_a_late_summary_delays_no_answer_and_its_turns_go_in_raw",),
    ),
    Row(
        "system prompt: summaries under a heading, `[1-3턴]`",
        ("context.prompts.thread:CONTEXT_HEADING", "sends:[CONVERSATION CONTEXT]"),
        (f"{_BRIEFING}::test_case_c_summaries_recent_turns_and_whatever_none_covers",),
    ),
    Row(
        "fast path: small talk",
        ("context.thread.small_talk:small_talk", "worker.agent.graph.understanding:classify_intent"),
        (f"{_SESSION}::test_small_talk_takes_the_fast_path",),
    ),
    Row(
        "side panel",
        ("context.thread.panel:as_fields", "context.thread.history:statistics"),
        (f"{_THREAD}::test_the_side_panel_of_a_recorded_meeting",),
    ),
    Row(
        "persistence: state per session",
        ("context.thread.thread:Thread.dump", "context.thread.summaries:ThreadSummaries.dump"),
        (f"{_FOLD}::test_restored_anywhere_it_goes_on_as_if_nothing_had_happened",),
    ),
    Row(
        "test cases",
        (),
        (f"{_FOLD}::test_ten_turns_are_three_summaries_and_one_raw_turn",),
    ),
)
