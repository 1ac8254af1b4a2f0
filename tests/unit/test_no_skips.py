"""The CI rule itself: run on a small suite of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = """
import pytest

def test_runs(): pass
def test_skips(): pytest.skip("no Chromium on this machine")
@pytest.mark.skipif(True, reason="only root is somebody else's user")
def test_does_not_apply(): pass
@pytest.mark.xfail(strict=True)
def test_expected(): raise ValueError
"""


@pytest.mark.parametrize(
    ("environ", "code", "closing"),
    [
        ({}, 0, "1 passed, 2 skipped, 1 xfailed"),
        ({"CI": "true"}, 1, "1 failed, 1 passed, 1 skipped, 1 xfailed"),
    ],
)
def test_a_skip_fails_in_ci_only(tmp_path: Path, environ: dict[str, str], code: int, closing: str) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.no_skips", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **environ,
        },
    )
    assert done.returncode == code, done.stdout
    assert closing in done.stdout
    assert ("no Chromium on this machine" in done.stdout) == bool(environ)
