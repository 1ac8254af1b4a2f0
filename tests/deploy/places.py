"""Where what is shipped lies, and how it is read."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import yaml

from context.config import PREFIX
from context.config import names as context_names
from worker.configuration import settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "moim"
RULES = DEPLOY / "prometheus"
RUNBOOK = DEPLOY / "runbook"
BIN = Path(sys.executable).parent
"""Where the checking tools of the dev group are."""


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def alerts() -> dict[str, dict[str, Any]]:
    """The alerting rules by name."""
    groups = read_yaml(RULES / "alerts.yml")["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def recorded() -> dict[str, str]:
    """The recording rules: name to expression."""
    groups = read_yaml(RULES / "recording.yml")["groups"]
    return {rule["record"]: rule["expr"] for group in groups for rule in group["rules"]}


def panels() -> list[dict[str, Any]]:
    """The dashboard's panels, rows included."""
    found: list[dict[str, Any]] = read_yaml(DEPLOY / "grafana" / "moim.json")["panels"]  # JSON is YAML
    return found


def expressions() -> list[tuple[str, str]]:
    """(where, PromQL) of every rule and every panel."""
    return [
        *((f"alert {name}", rule["expr"]) for name, rule in alerts().items()),
        *((f"record {name}", expr) for name, expr in recorded().items()),
        *((f"panel {p['title']}", t["expr"]) for p in panels() for t in p.get("targets", [])),
    ]


def setting_names() -> set[str]:
    """Every variable that Moim reads."""
    ours = {alias for _, _, alias, _ in settings.fields()}
    return ours | {f"{PREFIX}{name.upper()}" for name in context_names()}


def names_in(text: str) -> set[str]:
    """The metrics that an expression or a page names."""
    return set(re.findall(r"\bmoim[_:][a-z][a-z0-9_:]*[a-z0-9]", text))
