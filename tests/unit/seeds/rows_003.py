"""Seed 003: versioned asynchronous summaries."""

from __future__ import annotations

from typing import Final

from tests.unit.seeds.row import Row

_FOLD, _BRIEFING = "tests/unit/context/test_thread_fold.py", "tests/unit/context/test_thread_briefing.py"
_WRITING, _SESSION = "tests/unit/context/test_thread_writing.py", "tests/unit/worker/test_session_thread.py"
_ROWS = "tests/integration/test_conversation_summaries.py"

ROWS: Final = (
    Row(
        "token estimate, stored with the message (true counts)",
        ("context.thread.thread:Thread._counted",),
        (f"{_FOLD}::test_more_than_8000_unsummarised_tokens_are_summarised_at_once",),
    ),
    Row(
        "trigger: more than 8,000 unsummarised tokens",
        (
            "context.thread.history:ThreadPolicy.trigger_tokens",
            "context.thread.summaries:ThreadSummaries.span",
        ),
        (f"{_FOLD}::test_more_than_8000_unsummarised_tokens_are_summarised_at_once",),
    ),
    Row(
        "summariser: 1,024 tokens, 60 s, then FAILED",
        (
            "context.thread.writing:MAX_SUMMARY_TOKENS",
            "worker.agent.thread_summarising:ThreadSummariser.summarise",
        ),
        (
            f"{_WRITING}::test_the_model_is_told_the_target_and_the_messages",
            f"{_SESSION}::test_a_summary_has_sixty_seconds_and_is_tried_again_after_the_next_answer",
        ),
    ),
    Row(
        "`buildContextPrompt` case A",
        ("context.thread.briefing:build_context_prompt",),
        (
            f"{_BRIEFING}::test_case_a_nothing_was_asked_before",
            f"{_SESSION}::test_the_first_question_goes_out_alone",
        ),
    ),
    Row(
        "case B: `[RECENT MESSAGES]`, `[CURRENT MESSAGE]`",
        ("sends:[RECENT MESSAGES]", "sends:[CURRENT MESSAGE]"),
        (f"{_BRIEFING}::test_case_b_the_turns_before_with_who_asked",),
    ),
    Row(
        "case C: `[CONVERSATION CONTEXT]`",
        ("sends:[CONVERSATION CONTEXT]", "context.prompts.thread:CONTEXT_OPENING"),
        (f"{_BRIEFING}::test_case_c_summaries_recent_turns_and_whatever_none_covers",),
    ),
    Row(
        "truncation: 2,000 in a context, 3,000 in a summary's prompt",
        (
            "context.thread.messages:line_of",
            "context.thread.messages:truncated",
            "context.thread.messages:CONTEXT_CHARS",
        ),
        (
            f"{_BRIEFING}::test_a_message_is_cut_at_2000_characters_with_a_mark",
            f"{_WRITING}::test_messages_are_cut_at_3000_characters_and_stay_data",
        ),
    ),
    Row(
        "`shouldSummarize`: none while one is IN_PROGRESS; from the last COMPLETED",
        ("context.thread.summaries:ThreadSummaries.next",),
        (f"{_ROWS}::test_the_database_holds_one_job_and_no_text_before_its_end",),
    ),
    Row(
        "`triggerSummarizationAsync`: IN_PROGRESS row first, only new messages, no delay",
        (
            "worker.meeting.errands:Errands._summarise_thread",
            "context.thread.thread:Thread.attempt",
            "keeps:thread_summary_started",
        ),
        (f"{_SESSION}::test_a_late_summary_delays_no_answer_and_its_turns_go_in_raw",),
    ),
    Row(
        "versions",
        ("context.thread.summaries:ThreadSummaries.ready",),
        (f"{_ROWS}::test_a_failure_hides_no_success_and_is_tried_again",),
    ),
    Row(
        "`conversation_summaries`, `IN_PROGRESS COMPLETED FAILED`",
        ("context.thread.turn:SummaryRow", "context.thread.turn:SummaryRow.completed"),
        (
            f"{_ROWS}::test_a_row_is_under_way_then_completed_as_the_fold_has_it",
            f"{_ROWS}::test_rows_are_made_again_from_the_events",
        ),
    ),
    Row(
        "edge cases: failure, new messages meanwhile, no key, context off",
        (),
        (
            f"{_SESSION}::test_a_failed_summary_is_tried_again_after_the_next_answer",
            f"{_SESSION}::test_without_a_model_three_turns_are_summarised_in_their_own_words",
            f"{_BRIEFING}::test_switched_off_there_is_no_thread",
        ),
    ),
    Row(
        "`APP_CONTEXT_ENABLED`, `APP_CONTEXT_THRESHOLD`, `APP_CONTEXT_RECENT_MESSAGES`",
        ("worker.engines.thinking:_thread_policy", "worker.engines.thinking:Thinking.thread_tuning"),
        (f"{_SESSION}::test_the_settings_of_seed_003_take_effect_through_the_record",),
    ),
    Row(
        "`POST /v1/summarize`",
        ("worker.agent.thread_summarising:ThreadSummariser.summarise",),
        ("tests/unit/web/test_api.py", "tests/integration/test_api_meeting.py"),
    ),
    Row("first stream event: the conversation's id", (), ("tests/integration/test_api_meeting.py",)),
)
