"""Seed 002: extract, store, inject, verify."""

from __future__ import annotations

from typing import Final

from tests.unit.seeds.row import Row

_GRAPH, _REMEMBERING = "tests/unit/agent/test_graph.py", "tests/unit/agent/test_remembering.py"
_MEMORY, _RULES = "tests/unit/context/test_memory.py", "tests/unit/context/test_answering_rules.py"
_CACHE, _COMPRESSION = "tests/unit/context/test_answer_cache.py", "tests/unit/context/test_compression.py"
_ENTITIES, _FLAGS = "tests/unit/context/test_entities.py", "tests/unit/agent/test_flags.py"
_STEPS = "worker.agent.graph"
_ROOM = {
    **dict.fromkeys(("check_similarity", "classify_intent", "plan_topics", "extract_slots"), "understanding"),
    **dict.fromkeys(("store_memory", "classify_complexity", "plan_tokens"), "understanding"),
    **dict.fromkeys(("retrieve", "grade", "refine"), "searching"),
    **dict.fromkeys(("assemble_context", "generate_answer", "quality_check"), "writing"),
    **dict.fromkeys(("attribute", "store_response"), "keeping"),
}
"""Where each step of the graph is."""
_BENCH = "tests/unit/bench/test_ablation.py"

ROWS: Final = (
    Row(
        "nodes",
        tuple(
            f"{_STEPS}.{_ROOM[name]}:{name}"
            for name in [
                "check_similarity",
                "classify_intent",
                "extract_slots",
                "store_memory",
                "assemble_context",
                "retrieve",
                "generate_answer",
                "refine",
                "quality_check",
                "store_response",
            ]
        ),
        (f"{_GRAPH}::test_every_step_runs_in_the_order_of_the_ruling_and_is_measured",),
    ),
    Row(
        "`AgentState`",
        tuple(
            f"sets:{key}"
            for key in [
                "conversation_history",
                "slot_out",
                "profile_summary",
                "hierarchical_memory",
                "retrieved_docs",
                "context_prompt",
                "token_plan",
                "answer",
                "quality_score",
                "quality_feedback",
                "cache_hit",
                "cached_response",
                "needs_retrieval",
                "dynamic_k",
                "query_complexity",
                "compression_stats",
                "hierarchical_contexts",
                "iteration_count",
                "retrieved_docs_history",
                "quality_score_history",
            ]
        ),
        (f"{_GRAPH}::test_the_state_has_the_seeds_keys_and_the_nodes_its_names",),
    ),
    Row(
        "slots",
        ("worker.agent.remembering:packs_named", "context.entities.entity:by_kind"),
        (f"{_ENTITIES}::test_the_medical_pack", f"{_ENTITIES}::test_the_meeting_pack"),
    ),
    Row(
        "patterns: `140/90 mmHg`, `120 mg/dL`, `65세`, HbA1c",
        ("context.entities.measures:measured", "context.entities.measures:person"),
        (f"{_ENTITIES}::test_the_medical_pack",),
    ),
    Row(
        "MedCAT2: concepts with CUI, without a model too",
        ("context.entities.medical_pack:by_spelling", "context.entities.entity:concepts"),
        (
            f"{_ENTITIES}::test_concepts_have_identifiers_and_kinds_of_their_own",
            "tests/integration/test_medcat.py",
        ),
    ),
    Row(
        "`ProfileStore`: `apply_temporal_weights()`, `profile_summary`",
        (
            "context.memory.tiers:ProfileStore.add",
            "context.memory.tiers:ProfileStore.apply_temporal_weights",
            "context.memory.tiers:ProfileStore.profile_summary",
        ),
        (f"{_MEMORY}::test_a_profile_fades_is_superseded_and_reads_as_prose",),
    ),
    Row(
        "`DialogueTurn`, importance",
        ("context.memory.tiers:DialogueTurn", "context.memory.tiers:importance"),
        (f"{_MEMORY}::test_importance_is_the_seeds_formula",),
    ),
    Row(
        "working, compressed and semantic tier; their rules; `add_turn`, `retrieve_context`, 50/30/20; over budget",
        (
            "context.memory.tiers:HierarchicalMemory.add_turn",
            "context.memory.tiers:HierarchicalMemory.working",
            "context.memory.tiers:HierarchicalMemory.semantic",
            "context.memory.tiers:HierarchicalMemory.retrieve_context",
        ),
        (
            f"{_MEMORY}::test_spans_are_compressed_when_they_have_left_the_working_tier",
            f"{_MEMORY}::test_what_lasts",
            f"{_MEMORY}::test_no_tier_goes_over_the_budget",
        ),
    ),
    Row(
        "response cache: `find_similar`, LRU, TTL",
        (
            "context.answer_cache.cache:ResponseCache.find_similar",
            "context.answer_cache.cache:ResponseCache.store",
        ),
        (f"{_CACHE}::test_the_same_words_hit_whatever_their_case_blanks_and_marks",),
    ),
    Row(
        "cache statistics",
        ("context.answer_cache.cache:CacheStatistics.as_dict",),
        (f"{_CACHE}::test_what_hits_saved_is_counted_under_the_seeds_names",),
    ),
    Row(
        "`ResponseStyleVariator`",
        ("context.answer_cache.reading:ResponseStyleVariator.vary_response",),
        ("tests/unit/context/test_response_style.py",),
    ),
    Row(
        "no retrieval: greetings, acknowledgements, what the history answers",
        ("context.thread.small_talk:kind_of_talk", "context.answering.follow_up:answered_by_history"),
        (f"{_GRAPH}::test_active_retrieval_spares_what_the_last_turn_answers_and_sizes_k",),
    ),
    Row(
        "complexity → k",
        ("context.answering.planning:complexity_of", "context.answering.planning:k_for"),
        (f"{_RULES}::test_complexity_as_the_seed_has_it",),
    ),
    Row(
        "hybrid: BM25, dense, `rrf_fusion`",
        (
            "worker.passages.retrieving:CorporaRetriever.retrieve",
            "context.corpora.words:ranked_by_words",
            "worker.passages.retrieving:CorporaRetriever._by_vector",
            "context.corpora.packing:rrf_fusion",
        ),
        ("tests/unit/worker/test_retrieving.py", "tests/unit/corpora/test_packing.py::test_rrf_is_the_seeds"),
    ),
    Row(
        "query rewriting: what is known of the asker",
        ("context.corpora.words:rewritten", "worker.agent.remembering:ThreadMemory.widening"),
        (f"{_REMEMBERING}::test_a_search_is_widened_by_what_its_asker_has_named",),
    ),
    Row(
        "budgeted selection",
        ("context.corpora.packing:pack",),
        ("tests/unit/corpora/test_packing.py::test_never_above_the_bounds_and_none_twice",),
    ),
    Row(
        "`TokenManager.make_plan`, `TokenPlan`",
        ("context.answering.planning:TokenManager.make_plan", f"{_STEPS}.understanding:plan_tokens"),
        (f"{_RULES}::test_the_seeds_token_plan",),
    ),
    Row(
        "assembly result",
        tuple(
            f"sets:{key}"
            for key in ("context_prompt", "session_context", "profile_context", "longterm_context")
        ),
        (f"{_GRAPH}::test_what_was_assembled_is_told_by_its_parts",),
    ),
    Row(
        "`ContextCompressor`, sentence weight",
        ("context.compression.compressor:ContextCompressor.compress", "context.compression.weights:weights"),
        (
            f"{_COMPRESSION}::test_the_seeds_weights",
            f"{_COMPRESSION}::test_hybrid_extracts_sixty_percent_and_abstracts_the_rest",
        ),
    ),
    Row(
        "quality JSON",
        (
            "worker.agent.judging_answers:AnswerVerdict.quality",
            "worker.agent.judging_answers:verdict_messages",
        ),
        (f"{_RULES}::test_quality_by_words",),
    ),
    Row("retry query", ("context.answering.quality:retry_query",), (f"{_RULES}::test_the_retry_query",)),
    Row(
        "stops",
        ("context.answering.quality:stop", "context.answering.quality:overlap"),
        (f"{_RULES}::test_stops", f"{_GRAPH}::test_two_rewrites_at_most"),
    ),
    Row(
        "personal answers: profile, follow-ups in the light of earlier turns",
        ("context.answering.follow_up:follow_up", "sends:<asker>", "sends:고혈압"),
        ("tests/unit/agent/test_follow_ups_in_turn.py",),
    ),
    Row(
        "flags",
        tuple(
            f"reads:{flag}"
            for flag in [
                "self_refine_enabled",
                "max_refine_iterations",
                "llm_based_quality_check",
                "dynamic_query_rewrite",
                "active_retrieval_enabled",
                "simple_query_k",
                "moderate_query_k",
                "complex_query_k",
                "retrieval_mode",
                "budget_aware_retrieval",
                "context_compression_enabled",
                "compression_strategy",
                "compression_target_ratio",
                "hierarchical_memory_enabled",
                "working_memory_capacity",
                "compression_threshold",
                "response_cache_enabled",
                "cache_similarity_threshold",
                "style_variation_level",
                "include_history",
                "include_profile",
                "include_evidence",
                "include_personalization",
            ]
        ),
        (f"{_FLAGS}::test_each_is_seen_in_what_the_steps_do",),
    ),
    Row(
        "`feature_overrides`",
        ("context.features:Features.with_overrides", "worker.agent.answering:Answerer._flags"),
        (f"{_GRAPH}::test_an_override_holds_for_one_question",),
    ),
    Row(
        "per-question record",
        ("worker.agent.graph.run:Run.recorded",),
        (f"{_GRAPH}::test_every_step_runs_in_the_order_of_the_ruling_and_is_measured",),
    ),
    Row("scenarios, result table, part metrics, quality names", (), (_BENCH,)),
)
