"""The tools of the trade. Without them a test is skipped with the reason, which fails where CI=true."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.configuration.settings import Settings
from worker.embedded.go_build import BuildError, GoProgram

HELM = GoProgram(
    title="helm 3.22.0",
    module="helm.sh/helm/v3/cmd/helm@v3.22.0",
    takes="some three minutes on two cores",
    otherwise="put helm 3 on PATH",
    asks_version="version",
)

COMPOSE = GoProgram(
    title="compose-go 2.16.2",
    module="github.com/compose-spec/compose-go/v2/cmd@v2.16.2",
    takes="some twenty seconds",
    otherwise="build it where there is a network, and copy .cache/compose-go",
    asks_version="-h",
)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def helm() -> Run:
    """Helm, from PATH, or built once into the cache; processes that want it at once wait for each other."""
    return _runner(shutil.which("helm") or _built(HELM, "helm"))


@pytest.fixture(scope="session")
def compose_go() -> Run:
    """What `docker compose` itself reads its files with; built once like helm."""
    return _runner(_built(COMPOSE, "compose-go"))


@pytest.fixture(scope="session")
def promtool() -> Run:
    """Prometheus' own checker."""
    binary = shutil.which("promtool")
    if binary is None:
        pytest.skip("promtool is not on this machine: apt-get install prometheus")
    return _runner(binary)


def _built(program: GoProgram, name: str) -> str:
    target = Settings.load().process.cache_dir.absolute() / name / name
    if not program.runs(target):
        try:
            program.build(target)
        except BuildError as error:
            pytest.skip(str(error))
    return str(target)


def _runner(binary: str) -> Run:
    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *map(str, args)], capture_output=True, text=True, check=False)

    return run
