"""The experiments' short forms, for pytest: what has to hold on any machine, however busy."""

from __future__ import annotations

import argparse
from importlib import import_module

from tests.chaos.report import Report


async def short(name: str, *arguments: str) -> Report:
    """Run an experiment; fails on every missed goal but times and shares, which are the machine's too."""
    experiment = import_module(f"tests.chaos.{name}")
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    experiment.add_arguments(parser)
    report: Report = await experiment.run(parser.parse_args(arguments))
    print(report.table())
    assert not report.broken, report.table()
    return report
