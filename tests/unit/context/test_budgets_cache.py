"""The three tiers of the context cache: what each keeps, for how long, and what it does not believe."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from context.budgets.cache import CACHE_LEVELS, ContextCache
from context.budgets.output import AgentOutput
from worker.adapters.context_cache_files import ContextCacheFiles

NOW = datetime(2026, 1, 5, tzinfo=UTC)
OUTPUT = AgentOutput(
    agent_id="05", content="원문 " * 4000, decision="12월 22일 출시", t_score=0.4, confidence=0.9
)
ALL = ("session", "project", "persistent")


@pytest.fixture
def cache(tmp_path: Path) -> ContextCache:
    return ContextCache(ContextCacheFiles(tmp_path / "context_cache"))


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


def test_a_session_ends_with_its_cache_and_the_disk_stays(cache: ContextCache, tmp_path: Path) -> None:
    cache.save_to_cache("05", OUTPUT, ALL, now=NOW)
    other = ContextCache(ContextCacheFiles(tmp_path / "context_cache"))
    assert other.load_from_cache("05", now=NOW) is None
    assert other.load_from_cache("05", "project", now=NOW) is not None


def test_the_default_is_the_session_and_without_files_nothing_else_keeps() -> None:
    cache = ContextCache()
    cache.save_to_cache("05", {"content": "plain"}, now=NOW)
    cache.save_to_cache("05", OUTPUT, ("project",), now=NOW)
    assert cache.load_from_cache("05", now=NOW) is not None
    assert cache.load_from_cache("05", "project", now=NOW) is None


def test_what_is_broken_foreign_or_from_the_future_counts_as_absent(
    cache: ContextCache, tmp_path: Path
) -> None:
    files = ContextCacheFiles(tmp_path / "context_cache")
    cache.save_to_cache("05", OUTPUT, ("project",), now=NOW + timedelta(hours=1))
    assert cache.load_from_cache("05", "project", now=NOW) is None
    cache.save_to_cache("06", OUTPUT, ("project",), now=NOW)
    text = files.read("project", "06")
    assert text is not None
    files.write("project", "07", text)
    assert cache.load_from_cache("07", "project", now=NOW) is None, "it is another's"
    for broken in ("", "{", "[]", '{"agent_id": "06"}', text[: len(text) // 2]):
        files.write("project", "06", broken)
        assert cache.load_from_cache("06", "project", now=NOW) is None


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", "", "한글 이름/😀", "x" * 5000, "a\nb", "C:\\con"]
)
def test_any_name_stays_within_the_folder(tmp_path: Path, name: str) -> None:
    files = ContextCacheFiles(tmp_path / "cache")
    files.write("project", name, "text")
    assert files.read("project", name) == "text"
    assert files.path("project", name).resolve().is_relative_to((tmp_path / "cache").resolve())
    assert [p.name for p in tmp_path.iterdir()] == ["cache"]


def test_a_disk_that_fails_is_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ContextCache(ContextCacheFiles(tmp_path / "file"))
    cache.save_to_cache("05", OUTPUT, ("project",), now=NOW)
    assert cache.load_from_cache("05", "project", now=NOW) is None
