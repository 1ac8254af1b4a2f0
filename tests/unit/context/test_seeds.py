"""What `context.seeds` offers is called as its design documents show."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from context import (
    ContextBuilder,
    ContextConfig,
    ContextManager,
    Participant,
    TopicDetector,
    Utterance,
    format_context_as_system_prompt,
)
from context.budgets.allocation import allocate_context_budget
from context.budgets.cache_tiers import CACHE_LEVELS
from context.budgets.output import AgentOutput, CompressionLevel, level_of, limits_of
from context.seeds import (
    FULL_RESEARCH_CYCLE,
    META_ANALYSIS,
    RESEARCH_AGENTS,
    ContextBudget,
    ContextCache,
)
from tests.fakes.llm import ScriptedModel
from tests.fakes.store import FakeStore
from tests.unit.context.samples import utter

SAID: Final = {
    "ko": ("배포는 언제 합니까?", "월요일에 합니다.", "다음 안건으로 넘어가죠."),
    "en": ("When do we deploy?", "On Monday.", "Let's move on to hiring."),
}
each_language = pytest.mark.parametrize("language", ["ko", "en"])


def lines(language: str) -> list[Utterance]:
    speakers = ("minji", "junho", "minji")
    return [
        utter(number, who, text)
        for number, (who, text) in enumerate(zip(speakers, SAID[language], strict=True), 1)
    ]


@each_language
async def test_a_manager_stands_alone(language: str) -> None:
    store = FakeStore()
    epoch = store.record.open_meeting("meeting-1")
    manager = ContextManager("meeting-1", ContextConfig(), store=store, epoch=epoch)
    for utterance in lines(language):
        await manager.add_utterance(utterance)
    assert [u.text for u in manager.get_l0_utterances(limit=2)] == list(SAID[language][1:])
    assert manager.speaker_context.interaction_matrix == {("minji", "junho"): 1, ("junho", "minji"): 1}
    buffers = manager.speaker_context.speaker_buffers
    assert {who: [u.id for u in said] for who, said in buffers.items()} == {"minji": [1, 3], "junho": [2]}
    await manager._sync_to_db()
    again = ContextManager("meeting-1", store=store, epoch=epoch)
    assert await again.restore_from_db()
    assert again.get_l0_utterances() == manager.get_l0_utterances()
    assert again.speaker_context.speaker_buffers == buffers


@each_language
async def test_a_detector_is_asked(language: str) -> None:
    verdict = {
        "topic_changed": True,
        "current_topic": "채용" if language == "ko" else "hiring",
        "confidence": 0.9,
    }
    detector = TopicDetector(config=ContextConfig(), llm=ScriptedModel([json.dumps(verdict)]))
    assert [detector.quick_check(text) for text in SAID[language]] == [False, False, True]
    result = await detector.detect(recent_utterances=lines(language), previous_topic_summary="")
    assert (result.topic_changed, result.current_topic) == (True, verdict["current_topic"])
    assert (await TopicDetector().detect(lines(language))).reason == "no_change_detected"


@each_language
async def test_a_context_is_written_out(language: str) -> None:
    manager = ContextManager(meeting_id="meeting-1")
    for utterance in lines(language):
        await manager.add_utterance(utterance)
    people = [Participant(user_id="minji", name="김민지")]
    context = ContextBuilder().build_context("IMMEDIATE_RESPONSE", manager, participants=people)
    text = format_context_as_system_prompt(context, language=language)
    assert "meeting-1" in text
    assert "- 김민지 (observer)" in text
    assert all(said in text for said in SAID[language])


# Seed 004


def test_the_seeds_agents_share_a_budget_by_weight() -> None:
    agents = [f"{number:02d}" for number in range(1, 21)]
    levels = {each: level_of(each, RESEARCH_AGENTS) for each in agents}
    assert [each for each in agents if levels[each] == "full"] == ["02", "03", "05", "10", "16"]
    assert [each for each in agents if levels[each] == "enhanced"] == ["01", "04", "06", "07", "08", "09"]
    assert limits_of("02-theoretical", RESEARCH_AGENTS).max_output == 8000
    shares = allocate_context_budget(["02", "01", "11"], producers=RESEARCH_AGENTS)
    assert shares == {"02": 75000, "01": 50000, "11": 25000}


def test_the_seeds_split_of_a_large_window() -> None:
    budget = ContextBudget()
    assert (budget.system_prompt, budget.user_context, budget.agent_outputs) == (5000, 10000, 150000)
    assert (budget.buffer, budget.total_available) == (35000, 200000)


def test_the_research_cycle_as_configured_in_the_seed() -> None:
    stages = FULL_RESEARCH_CYCLE.stages
    assert {name: (stage.budget, int(stage.compression)) for name, stage in stages.items()} == {
        "planning": (30000, 1), "literature": (35000, 1), "methods": (30000, 2), "validation": (25000, 2),
        "publication": (20000, 3),
    }  # fmt: skip
    assert FULL_RESEARCH_CYCLE.budget == 140000
    assert FULL_RESEARCH_CYCLE.everyone == tuple(f"{n:02d}" for n in range(1, 21))
    shares = FULL_RESEARCH_CYCLE.allocation(producers=RESEARCH_AGENTS)
    assert sum(shares[a] for a in stages["planning"].agents) <= 30000
    assert shares["02"] == 9000
    assert FULL_RESEARCH_CYCLE.level_after("17") is CompressionLevel.KEY


def test_the_meta_analysis_as_configured_in_the_seed() -> None:
    assert META_ANALYSIS.budget == 100000
    levels = {agent: int(META_ANALYSIS.level_after(agent)) for agent in META_ANALYSIS.everyone}
    assert levels == {"01": 2, "02": 2, "05": 0, "06": 0, "07": 0, "10": 0, "12": 0, "16": 2, "17": 2}
    assert set(META_ANALYSIS.critical_agents) == {"05", "07", "10"}


OUTPUT: Final = AgentOutput(
    agent_id="05", content="원문 " * 4000, decision="12월 22일 출시", t_score=0.4, confidence=0.9
)
NOW: Final = datetime(2026, 1, 5, tzinfo=UTC)


def test_each_tier_of_the_cache_keeps_its_level() -> None:
    cache = ContextCache()
    cache.save_to_cache("05", OUTPUT, ("session", "project", "persistent"), now=NOW)
    found = [cache.load_from_cache("05", tier, now=NOW) for tier in CACHE_LEVELS]
    assert [(each.agent_id, each.timestamp, int(each.content.level)) for each in found if each] == [
        ("05", NOW, level) for level in (0, 1, 3)
    ]
    assert found[0] == cache.load_from_cache("05", now=NOW)
    assert found[0] is not None
    assert found[0].content == OUTPUT
    assert found[2] is not None
    assert found[2].content.content == "[05] 12월 22일 출시 | T=0.4 | 90/100"


def test_the_cache_keeps_a_project_for_seven_days_and_the_key_for_good() -> None:
    cache = ContextCache()
    cache.save_to_cache("05", {"content": "plain"}, ("project", "persistent"), now=NOW)
    week = NOW + timedelta(days=7)
    assert cache.load_from_cache("05", "project", now=week) is not None
    assert cache.load_from_cache("05", "project", now=week + timedelta(seconds=1)) is None
    assert cache.load_from_cache("05", "persistent", now=NOW + timedelta(days=9000)) is not None
    assert cache.load_from_cache("05", now=NOW) is None, "it was not kept for the session"
    assert cache.load_from_cache("06", "project", now=NOW) is None
