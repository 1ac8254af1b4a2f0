"""A worker that is killed takes its fork server and its jobs with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
import multiprocessing, os, time
from worker.process import fork_server

def job():
    time.sleep(60)

if __name__ == "__main__":
    fork_server.start_early()
    child = multiprocessing.get_context("forkserver").Process(target=job)
    child.start()
    print(child.pid, flush=True)
    time.sleep(60)
"""


def test_jobs_go_with_their_worker(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(PROGRAM)
    worker = subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert worker.stdout is not None
    with worker.stdout:
        job = int(worker.stdout.readline())
        assert _runs(job)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        deadline_s = time.monotonic() + 10
        while _runs(job):
            assert time.monotonic() < deadline_s, "the job outlives its worker"
            time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
