"""The rule itself: run on a small suite of its own, with somebody who tries the door between its tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WATCHER = """
import fcntl, os
from pathlib import Path
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    done = yield
    opened = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        print(f"\\nafter {item.name}: others compute")
    except BlockingIOError:
        print(f"\\nafter {item.name}: alone")
    os.close(opened)
    return done
"""
SPOKEN = """
import pytest

pytestmark = [pytest.mark.room, pytest.mark.speech]

def test_one(): pass
def test_two(): assert {passes}
def test_three(): pass
"""
READ = """
def test_four(): pass
def test_five(): pass
"""


def _said(folder: Path, *, passes: bool = True) -> list[str]:
    suite = folder / "tests"
    suite.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    room\n    speech\n", "utf-8")
    (suite / "conftest.py").write_text(WATCHER, "utf-8")
    (suite / "test_a_spoken.py").write_text(SPOKEN.format(passes=passes), "utf-8")
    (suite / "test_b_read.py").write_text(READ, "utf-8")
    pytest = (sys.executable, "-m", "pytest", "-p", "tests.speech_alone", "-p", "no:cacheprovider", "-s")
    done = subprocess.run(
        pytest,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == (0 if passes else 1), done.stdout
    return [line for line in done.stdout.splitlines() if line.startswith("after ")]


def test_between_the_tests_of_a_spoken_module_nobody_else_computes(tmp_path: Path) -> None:
    assert _said(tmp_path) == [
        "after test_one: alone",
        "after test_two: alone",
        "after test_three: others compute",
        "after test_four: others compute",
        "after test_five: others compute",
    ]


def test_a_test_that_fails_keeps_the_machine_for_the_rest_of_its_module(tmp_path: Path) -> None:
    said = _said(tmp_path, passes=False)
    assert said[1:3] == ["after test_two: alone", "after test_three: others compute"]
