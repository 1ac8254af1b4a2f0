"""Rules and dashboard: Prometheus understands them, they name what exists, and every alert is tried."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests import grafana_dashboard
from tests.deploy.conftest import Run
from tests.deploy.places import (
    CHART,
    DEPLOY,
    RULES,
    RUNBOOK,
    alerts,
    expressions,
    names_in,
    panels,
    read_yaml,
    recorded,
)
from tests.unit.worker.metrics import exercise
from worker.monitoring.instruments import ERASURE_STATES, PARTS, QueueName
from worker.monitoring.metric_labels import PURPOSES, SpeechState
from worker.monitoring.metrics import Metrics

_SUFFIXES = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_count", "_sum"),
    "summary": ("", "_count", "_sum"),
}


@cache
def exported() -> set[str]:
    """Every series' name that a process of ours shows, whether or not anything has been counted yet."""
    metrics = Metrics()
    exercise(metrics)
    families = text_string_to_metric_families(metrics.render().decode())
    return {f"{family.name}{end}" for family in families for end in _SUFFIXES[family.type]}


def test_prometheus_takes_configuration_and_rules(promtool: Run) -> None:
    done = promtool("check", "config", RULES / "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(alerts())} rules found" in done.stdout
    assert f"{len(recorded())} rules found" in done.stdout


def test_every_alert_fires_when_it_must_and_only_then(promtool: Run) -> None:
    done = promtool("test", "rules", RULES / "alerts_test.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_alert_that_slept_would_be_noticed(promtool: Run, tmp_path: Path) -> None:
    for path in RULES.glob("*.yml"):
        shutil.copy(path, tmp_path)
    rules = (RULES / "alerts.yml").read_text(encoding="utf-8")
    (tmp_path / "alerts.yml").write_text(rules.replace('{part="redis"}', '{part="rediss"}'), encoding="utf-8")
    done = promtool("test", "rules", tmp_path / "alerts_test.yml")
    assert done.returncode == 1
    assert "MoimRedisAway" in done.stdout + done.stderr


def test_each_alert_has_both_cases() -> None:
    cases = [test["name"] for test in read_yaml(RULES / "alerts_test.yml")["tests"]]
    for name in alerts():
        assert sum(case.startswith(f"{name} fires: ") for case in cases) == 1, name
        assert sum(case.startswith(f"{name} is quiet: ") for case in cases) == 1, name


def test_each_alert_says_whom_it_wakes_and_where_to_read_on() -> None:
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in {"critical", "warning"}, name
        said = rule["annotations"]
        assert set(said) == {"summary", "description", "runbook_url"}, name
        assert said["runbook_url"] == f"{{{{ $externalLabels.moim_runbooks }}}}/{name}.md", name


def test_the_address_of_the_pages_is_absolute() -> None:
    labels = read_yaml(RULES / "prometheus.yml")["global"]["external_labels"]
    assert labels["moim_runbooks"].startswith("https://")


def test_each_alert_has_its_page_and_each_page_its_alert() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in RUNBOOK.glob("Moim*.md")}
    assert set(pages) == set(alerts())
    headings = ["## What people notice", "## How to see it", "## What to do", "## When it is over"]
    for name, page in pages.items():
        assert page.startswith(f"# {name}\n"), name
        assert re.findall(r"^## .*$", page, re.MULTILINE) == headings, name


def test_the_pages_name_what_exists() -> None:
    known = exported() | set(recorded()) | {"moim_owner", "moim_runbooks"}  # a role, and a label
    for page in (*RUNBOOK.glob("*.md"), DEPLOY / "README.md"):
        assert not names_in(page.read_text(encoding="utf-8")) - known, page.name


@pytest.mark.parametrize(("where", "expression"), expressions())
def test_what_is_asked_for_exists(where: str, expression: str) -> None:
    names = names_in(expression)
    assert names or "up{" in expression or "ALERTS" in expression, where
    assert not names - exported() - set(recorded()), where
    for label, values in {
        "part": PARTS,
        "state": (*get_args(SpeechState), *ERASURE_STATES, "firing"),
        "queue": get_args(QueueName),
        "purpose": PURPOSES,
        "job": tuple(_jobs()),
    }.items():
        for found in re.findall(rf'\b{label}(?:=~|!=|=)"([^"]*)"', expression):
            assert set(found.split("|")) <= set(values), f"{where}: {label}={found}"


FOR_A_CLOSER_LOOK = {
    *("answer_cache_look_ups", "answer_cache_guarded", "compressions", "budgets_spent"),
    *("pushes", "push_latency_seconds", "dispatches", "commands_refused", "api_requests"),
}
"""Metrics that no panel, rule or alert asks for: whoever looks into something reads them by themselves."""


def test_each_metric_is_shown_or_named_as_one_for_a_closer_look() -> None:
    metrics = Metrics()
    exercise(metrics)
    families = list(text_string_to_metric_families(metrics.render().decode()))
    asked = {name for _, expression in expressions() for name in names_in(expression)}
    silent = {
        family.name.removeprefix("moim_")
        for family in families
        if family.name.startswith("moim_")
        and not family.name.endswith("_created")
        and not asked & {f"{family.name}{end}" for end in _SUFFIXES[family.type]}
    }
    assert silent == FOR_A_CLOSER_LOOK


def _jobs() -> list[str]:
    return [job["job_name"] for job in read_yaml(RULES / "prometheus.yml")["scrape_configs"]]


def test_the_panels_are_promql(promtool: Run, tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": target["expr"]}
        for number, target in enumerate(target for panel in panels() for target in panel.get("targets", []))
    ]
    path = tmp_path / "panels.yml"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    done = promtool("check", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(rules)} rules found" in done.stdout


def test_the_dashboard_is_what_its_table_makes() -> None:
    """`make dashboard` writes it anew."""
    assert (DEPLOY / "grafana" / "moim.json").read_text(encoding="utf-8") == grafana_dashboard.render()


def test_panels_side_by_side_fill_the_board() -> None:
    for lines in grafana_dashboard.BOARD.values():
        for line in lines:
            assert len(line) in {1, 2, 3, 4, 6}, line[0].title


def test_the_dashboard_asks_the_operators_questions() -> None:
    rows = [panel["title"] for panel in panels() if panel["type"] == "row"]
    assert len(rows) == 7
    assert all(title.endswith("?") for title in rows)
    assert len({panel["id"] for panel in panels()}) == len(panels())
    for panel in panels():
        if panel["type"] == "row":
            continue
        assert panel["description"], panel["title"]
        named = set(re.findall(r"\bMoim[A-Z]\w+", panel["description"]))
        assert named <= set(alerts()), panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


_LEAVES_OUT = re.compile(r"[<>]=? *\d")
"""A comparison without `bool`: where it does not hold there is no series."""


def test_a_panel_that_is_empty_in_health_says_so_and_only_then() -> None:
    """What is never empty says "No data", so that a Prometheus that scrapes nothing does not look like health."""
    emptied = {name for name, expr in recorded().items() if _LEAVES_OUT.search(expr)}
    for panel in panels():
        asked = [target["expr"] for target in panel.get("targets", [])]
        may_be_empty = bool(asked) and all(
            _LEAVES_OUT.search(expr) or names_in(expr) & emptied for expr in asked
        )
        said = panel.get("fieldConfig", {}).get("defaults", {}).get("noValue")
        assert (said is not None) == may_be_empty, panel["title"]


def test_the_chart_carries_the_same_rules() -> None:
    for name, original in {
        "recording.yml": RULES,
        "alerts.yml": RULES,
        "moim.json": DEPLOY / "grafana",
    }.items():
        assert (CHART / "files" / name).resolve() == original / name
