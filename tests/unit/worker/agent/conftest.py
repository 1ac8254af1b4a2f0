"""LangGraph is loaded once, before any test counts its milliseconds; nobody waits before a second try."""

import pytest

import worker.agent.graph.graph  # noqa: F401 - for the time that it takes
from worker.agent.calls import calling


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "RETRY_PAUSE_S", 0.0)
