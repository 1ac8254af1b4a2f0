"""With CI=true a skipped test is a failed one: what is not run is not known to work.

The exception are tests of what root alone can do, run by somebody else. Loaded by pyproject.toml.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

_DOES_NOT_APPLY = "only root"
Report = pytest.TestReport | pytest.CollectReport


def _strict(report: Report) -> Report:
    if os.environ.get("CI") != "true" or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(_DOES_NOT_APPLY):
        report.outcome = "failed"
        report.longrepr = f"skipped, and CI=true allows no skips: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """After each test."""
    report = yield
    _strict(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself."""
    report = yield
    _strict(report)
    return report
