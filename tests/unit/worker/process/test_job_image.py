"""What jobs are born with: settings and logging made once, a meeting rehearsed that leaves no trace."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator

import pytest
import structlog

from context.budgets.tokens import ExactTokenizer
from worker.configuration.settings import Settings
from worker.monitoring.metrics import process_metrics
from worker.process import job_image, rehearsal


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    monkeypatch.setattr(job_image, "_settings", None)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_the_rehearsal_leaves_no_thread_and_counts_nothing() -> None:
    ExactTokenizer().count("as in the fork server, which has loaded it by then")
    threads, figures = threading.active_count(), process_metrics().render()
    rehearsal.rehearse(Settings())
    assert (threading.active_count(), process_metrics().render()) == (threads, figures)


def test_an_image_is_silent_and_its_settings_are_those_of_its_jobs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOIM_AGENT_NAME", "now")
    assert job_image.settings().agent.name == "now", "without an image the environment counts"
    job_image.make()
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("MOIM_AGENT_NAME", "later")
    assert job_image.settings().agent.name == "now"
    assert job_image.settings() is job_image.settings()


def test_a_rehearsal_that_fails_is_one_line_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_settings: Settings) -> None:
        raise RuntimeError("no stage")

    monkeypatch.setattr(job_image, "rehearse", broken)
    job_image.make()
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "rehearsal_failed"
    assert "no stage" in json.loads(line)["error"]
    assert job_image.settings() is not None
