"""`python -m tests.bench ablation`: the seed's seven scenarios, each with one part more, and the seed's table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context.features import Features
from tests.bench import ablation as bench
from tests.fakes.embedder import FakeEmbedder
from worker.errors import InputError

SCENARIOS = (
    "Baseline",
    "+Self-Refine",
    "+Active Retrieval",
    "+Compression",
    "+Hierarchical",
    "+Cache",
    "Full",
)
TABLE = (
    "quality",
    "faithfulness",
    "answer relevance",
    "context precision",
    "tokens",
    "latency",
    "cache hit rate",
)
PARTS = (
    "skipped_retrieval",
    "simple_queries",
    "moderate_queries",
    "complex_queries",
    "avg_classification_time_ms",
    "total_compressions",
    "successful_compressions",
    "avg_compression_ratio",
    "avg_compression_time_ms",
    "total_tokens_saved",
    "total_questions",
    "refinement_triggered",
    "avg_iterations",
    "avg_quality_improvement",
)
TALK = (
    "The rubber buttons of the remote control cost four euros each.",
    "The plastic case is made in two colours, yellow and black.",
    "The battery of the remote control lasts for two years.",
    "The user tests start in May with twenty families.",
)
QUESTIONS = (
    "What did they say about the rubber buttons?",
    "What did they say about the plastic case?",
    "How long does the battery last?",
    "When do the user tests start?",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    turns = [
        {"speaker": "AB"[number % 2], "content": f"{TALK[number // 6]} Point {number} of it."}
        for number in range(24)
    ]
    asked = [
        {"query": text, "answer": "", "relevant_text_span": [[str(6 * place), str(6 * place + 5)]]}
        for place, text in enumerate(QUESTIONS)
    ]
    row = {
        "id": "ES1",
        "domain": "Product",
        "meeting_transcripts": turns,
        "topic_list": [],
        "specific_query_list": asked,
    }
    (tmp_path / "val.jsonl").write_text(json.dumps(row))
    return tmp_path


def test_seven_scenarios_in_the_seeds_table(data: Path) -> None:
    figures = {figure.name: figure for figure in bench.ablation(data, embedder=FakeEmbedder())}
    assert [name for name in figures if name.endswith(": quality")] == [
        f"{name}: quality" for name in SCENARIOS
    ]
    assert {f"{scenario}: {row}" for scenario in SCENARIOS for row in TABLE} <= set(figures)
    assert {f"Full: {part}" for part in PARTS} <= set(figures)
    assert figures["Full: total_questions"].value == bench.TURNS
    assert all(0 <= figures[f"{scenario}: {row}"].value <= 1 for scenario in SCENARIOS for row in TABLE[:4])
    assert figures["Baseline: cache hit rate"].value == figures["+Hierarchical: cache hit rate"].value == 0
    assert figures["+Cache: cache hit rate"].value > 0, "the same question in other words"
    assert figures["+Cache: tokens"].value < figures["+Hierarchical: tokens"].value


def test_each_scenario_has_what_the_one_before_has_and_more() -> None:
    flags = Features().with_overrides(bench._OFF)
    seen = [flags]
    for _name, more in bench.SCENARIOS[1:]:
        flags = flags.with_overrides(more)
        seen.append(flags)
    assert [name for name, _ in bench.SCENARIOS] == list(SCENARIOS)
    assert len({each.model_dump_json() for each in seen}) == 7
    full = seen[-1]
    assert full.self_refine_enabled
    assert full.active_retrieval_enabled
    assert full.context_compression_enabled
    assert full.hierarchical_memory_enabled
    assert full.response_cache_enabled
    assert (full.retrieval_mode, full.include_profile, full.include_evidence) == ("hybrid", True, True)
    assert (seen[0].retrieval_mode, seen[0].include_profile) == ("bm25", False)


def test_only_full_asks_what_lies_near_in_meaning(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = FakeEmbedder()
    monkeypatch.setattr(bench, "SCENARIOS", bench.SCENARIOS[:-1])
    bench.ablation(data, embedder=embedder)
    assert embedder.asked == []
    monkeypatch.setattr(bench, "SCENARIOS", (*bench.SCENARIOS, ("Full", {"retrieval_mode": "hybrid"})))
    bench.ablation(data, embedder=embedder)
    assert set(QUESTIONS) <= set(embedder.asked)


def test_without_data_it_says_what_it_needs() -> None:
    with pytest.raises(InputError, match="--data DIR"):
        bench.ablation(None)
