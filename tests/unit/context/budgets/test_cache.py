"""The three tiers of the context cache: what each keeps, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from context.budgets.cache_tiers import CACHE_LEVELS, ContextCache
from context.budgets.output import AgentOutput

NOW = datetime(2026, 1, 5, tzinfo=UTC)
OUTPUT = AgentOutput(
    agent_id="05", content="원문 " * 4000, decision="12월 22일 출시", t_score=0.4, confidence=0.9
)
ALL = ("session", "project", "persistent")


@pytest.fixture
def cache() -> ContextCache:
    return ContextCache()


def test_each_tier_keeps_its_level(cache: ContextCache) -> None:
    cache.save_to_cache("05", OUTPUT, ALL, now=NOW)
    found = [cache.load_from_cache("05", tier, now=NOW) for tier in CACHE_LEVELS]
    assert [(each.agent_id, each.timestamp, int(each.content.level)) for each in found if each] == [
        ("05", NOW, level) for level in (0, 1, 3)
    ]
    assert found[0] == cache.load_from_cache("05", now=NOW)
    assert found[0] is not None
    assert found[0].content == OUTPUT
    assert found[2] is not None
    assert found[2].content.content == "[05] 12월 22일 출시 | T=0.4 | 90/100"


def test_a_project_keeps_for_seven_days_and_the_persistent_tier_for_ever(cache: ContextCache) -> None:
    cache.save_to_cache("05", OUTPUT, ALL, now=NOW)
    week = NOW + timedelta(days=7)
    assert cache.load_from_cache("05", "project", now=week) is not None
    assert cache.load_from_cache("05", "project", now=week + timedelta(seconds=1)) is None
    assert cache.load_from_cache("05", "persistent", now=NOW + timedelta(days=9000)) is not None


def test_the_default_is_the_session_and_what_was_not_kept_is_absent(cache: ContextCache) -> None:
    cache.save_to_cache("05", {"content": "plain"}, now=NOW)
    assert cache.load_from_cache("05", now=NOW) is not None
    assert cache.load_from_cache("05", "project", now=NOW) is None
    assert cache.load_from_cache("06", now=NOW) is None
