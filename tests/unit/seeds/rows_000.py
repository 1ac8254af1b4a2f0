"""Seed 000: the meeting's context."""

from __future__ import annotations

from typing import Final

from tests.unit.seeds.row import Row

_SEED, _BUILDER = "tests/unit/context/test_seed000.py", "tests/unit/context/test_builder.py"
_SPEAKERS, _TOPICS = "tests/unit/context/test_speakers.py", "tests/unit/context/test_topics.py"
_MANAGER, _PARTS = "context.manager:ContextManager", "tests/unit/agent/test_prompt_parts.py"

ROWS: Final = (
    Row(
        "`ContextConfig`",
        tuple(
            f"reads:{name}"
            for name in [
                "l0_max_turns",
                "l0_max_tokens",
                "l0_include_timestamps",
                "l0_topic_buffer_max_turns",
                "l0_topic_buffer_max_tokens",
                "l1_topic_check_interval_turns",
                "l1_update_turn_threshold",
                "l1_update_interval_minutes",
                "l1_min_new_utterances_for_time_trigger",
                "l1_summary_max_tokens",
                "topic_quick_check_enabled",
                "speaker_buffer_max_per_speaker",
                "db_sync_interval_seconds",
            ]
        ),
        (f"{_SEED}::test_settings_have_the_seeds_names_and_defaults_and_are_frozen",),
    ),
    Row(
        "`summary_model_name`, `topic_detection_model_name` (CLOVA)",
        (),
        ("tests/unit/worker/test_language_models.py",),
    ),
    Row(
        "8K budget",
        ("context.budget:budget_for", "worker.engines.language_models:model_budget"),
        ("tests/unit/context/test_budget.py",),
    ),
    Row(
        "`Utterance`, `TopicSegment`, `Participant`, `AgentCallType`, `AgentContext`",
        ("context.models:Utterance", "context.models:TopicSegment", "context.models:AgentContext"),
        (f"{_SEED}::test_models_have_the_seeds_fields",),
    ),
    Row(
        "`ContextManager`: attributes and `get_*`",
        (
            f"{_MANAGER}.get_l0_utterances",
            f"{_MANAGER}.get_topic_utterances",
            f"{_MANAGER}.get_l1_segments",
            f"{_MANAGER}.l0_buffer",
            f"{_MANAGER}.l1_segments",
            f"{_MANAGER}.current_topic",
            f"{_MANAGER}.speaker_context",
        ),
        (f"{_SEED}::test_a_new_manager_is_empty_and_its_topic_is_intro",),
    ),
    Row(
        "`add_utterance`, `restore_from_db()`, `_sync_to_db()` (the worker's: `receive`, `restore`, `Snapshots`)",
        (f"{_MANAGER}.receive", "worker.record.restoring:restore", "worker.record.restoring:Snapshots.run"),
        (f"{_SEED}::test_restore_from_db_goes_on_where_the_record_ends",),
    ),
    Row(
        "no span twice; recursive summary; update reasons",
        (
            "context.summaries:Summaries.trigger",
            "context.summaries:Summaries.due",
            "context.topics.topics:uncovered_from",
            "context.prompts.summarization:recursive_summary_prompt",
            "keeps:summary_ready",
        ),
        (f"{_SEED}::test_one_segment_per_topic_is_updated_not_doubled",),
    ),
    Row(
        "on a topic change: summarise, close, clear, rename",
        (
            "context.topics.topics:Topics.split",
            "context.topics.topics:Topics.close",
            "context.window:Window.begin",
        ),
        (f"{_SEED}::test_a_topic_change_closes_the_segment_clears_the_buffer_and_renames",),
    ),
    Row(
        "when to detect: cue or interval",
        ("context.topics.topic_changes:TopicChanges.hear", "context.topics.cues:find"),
        (f"{_TOPICS}::test_an_announcement_is_a_strong_cue_and_names_its_topic",),
    ),
    Row(
        "`TopicDetector`, `TopicChangeResult`, `TOPIC_CHANGE_KEYWORDS`",
        (),
        (f"{_TOPICS}::test_detect_reads_the_model_and_shows_it_the_last_five_as_data",),
        front=True,
    ),
    Row("`TOPIC_DETECTION_PROMPT`", (), ("tests/unit/agent/test_judging.py",)),
    Row(
        "`L1_SUMMARY_PROMPT`, `RECURSIVE_SUMMARY_PROMPT`",
        (
            "context.prompts.summarization:summary_prompt",
            "context.prompts.summarization:recursive_summary_prompt",
        ),
        ("tests/unit/agent/test_summarising.py",),
    ),
    Row(
        "`SpeakerContext`, `SpeakerStats`, `SpeakerRole`, the question rule",
        (
            "context.speaker_context:SpeakerContext.add_utterance",
            "context.speaker_context:SpeakerContext.infer_roles",
            "context.language.questions:is_question",
        ),
        (f"{_SPEAKERS}::test_roles_in_the_seeds_order_with_confidence",),
    ),
    Row(
        "`speaker_buffers`, `interaction_matrix`",
        (),
        (
            f"{_SPEAKERS}::test_the_buffer_keeps_the_newest_of_each_speaker",
            f"{_SPEAKERS}::test_who_answers_whom_and_who_follows_whom",
        ),
        front=True,
    ),
    Row(
        "`ContextBuilder.build_context`, the four call types",
        (
            "context.builder:ContextBuilder.build_context",
            "context.builder:IMMEDIATE_TURNS",
            "context.builder:BACKGROUND_TURNS",
        ),
        (
            f"{_PARTS}::test_the_table_rules_the_live_window",
            f"{_BUILDER}::test_each_call_type_sees_its_share",
        ),
    ),
    Row(
        "`build_planning_input_context`, `build_required_topic_context`",
        (
            "context.builder:ContextBuilder.build_planning_input_context",
            "context.builder:ContextBuilder.build_required_topic_context",
            "sets:planning_context",
            "sets:required_topics",
        ),
        (f"{_PARTS}::test_where_topics_exceed_the_prompt_a_plan_names_those_that_it_shows_in_full",),
    ),
    Row(
        "`format_context_as_system_prompt`",
        ("context.context_text:format_context_as_system_prompt",),
        (f"{_BUILDER}::test_the_system_prompt_has_every_part",),
    ),
    Row(
        "`OrchestrationState`",
        tuple(
            f"sets:{key}"
            for key in [
                "planning_context",
                "required_topics",
                "additional_context",
                "skip_planning",
                "retry_count",
                "response",
                "meeting_context",
            ]
        ),
        ("tests/unit/agent/test_graph.py::test_the_state_has_the_seeds_keys_and_the_nodes_its_names",),
    ),
    Row(
        "`RESPONSE_TEMPLATE` (answers in quotes, without a model)",
        (),
        ("tests/unit/context/test_answering_rules.py::test_the_template_leaves_out_what_is_empty",),
    ),
    Row("simultaneous speech", (), ("tests/unit/context/test_simultaneous.py",)),
    Row(
        "agent occasions: summary, actions, questions, clash with a decision",
        ("worker.agent.answering:Answerer.answer", "worker.agent.closing:closing_summary"),
        ("tests/unit/agent/test_closing.py", "tests/unit/context/test_bitemporal.py"),
    ),
    Row(
        "`CONTEXT_METRICS`, log `l1_segment_created`",
        (
            "worker.monitoring.metrics:Metrics.agent_call",
            "worker.monitoring.metrics:Metrics.summary",
            "worker.monitoring.telemetry:l1_segment_created",
        ),
        ("tests/unit/worker/test_metrics.py", "tests/unit/worker/test_telemetry.py"),
    ),
    Row("`RealtimeWorker._on_stt_result`", (), ("tests/unit/worker/test_realtime_worker.py",), front=True),
    Row(
        "transcript push",
        (),
        ("tests/unit/worker/test_pusher.py", "tests/integration/test_transcript_push.py"),
    ),
    Row(
        "response as text or speech",
        (),
        ("tests/unit/worker/test_livekit_outlet.py", "tests/unit/worker/test_voice.py"),
    ),
    Row("test script: interactive, batch, verifying", (), ("tests/integration/test_commands.py",)),
    Row(
        "the database is the truth",
        ("worker.record.recorder:Recorder.write", "context.meeting:Meeting.snapshot"),
        ("tests/integration/test_postgres_store.py",),
    ),
)
