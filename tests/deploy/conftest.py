"""The tools of the trade. Without them a test is skipped with the reason, which fails where CI=true."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.go_build import BuildError, GoProgram
from worker.settings import Settings

HELM = GoProgram(
    title="helm 3.22.0",
    module="helm.sh/helm/v3/cmd/helm@v3.22.0",
    takes="some three minutes on two cores",
    otherwise="put helm 3 on PATH",
    asks_version="version",
)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def helm() -> Run:
    """Helm, from PATH, or built once into the cache; processes that want it at once wait for each other."""
    binary = shutil.which("helm")
    if binary is None:
        target = Settings.load().process.cache_dir.absolute() / "helm" / "helm"
        if not HELM.runs(target):
            try:
                HELM.build(target)
            except BuildError as error:
                pytest.skip(str(error))
        binary = str(target)

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *map(str, args)], capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def promtool() -> Run:
    """Prometheus' own checker."""
    binary = shutil.which("promtool")
    if binary is None:
        pytest.skip("promtool is not on this machine: apt-get install prometheus")

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([binary, *map(str, args)], capture_output=True, text=True, check=False)

    return run
