"""The process that jobs are forked from goes with its worker, whenever that is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.acceptance.stack import until
from worker.monitoring import jobs
from worker.process.fork_server import PRELOADED

_WORKER = """
import os, time
from multiprocessing import forkserver
from pathlib import Path
forkserver.set_forkserver_preload(["worker.process.fork_server_lifetime", "imports_for_long"])
forkserver.ensure_running()
while not Path(os.environ["SEEN"]).exists():
    time.sleep(0.05)
os._exit(2)
"""
_IMPORTS = """
import os, time
from pathlib import Path
partial = Path(os.environ["SEEN"] + ".part")
partial.write_text(str(os.getpid()))
partial.rename(os.environ["SEEN"])
time.sleep(600)
"""


async def test_a_refused_worker_leaves_no_fork_server_that_still_imports(tmp_path: Path) -> None:
    assert PRELOADED[0] == "worker.process.fork_server_lifetime", "before what takes seconds"
    seen = tmp_path / "seen"
    (tmp_path / "imports_for_long.py").write_text(_IMPORTS)
    environment = {**os.environ, "SEEN": str(seen), "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}"}
    worker = subprocess.Popen([sys.executable, "-c", _WORKER], env=environment)

    async def gone() -> bool:
        return worker.poll() is not None and not jobs.alive(int(seen.read_text()))

    await until(gone, "the end of both")
    assert worker.returncode == 2


_INTERRUPTED = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background commands ignore it
from multiprocessing import get_context
from worker.process import fork_server
fork_server.PRELOADED = ("interrupts",)
fork_server.start_early()
job = get_context("forkserver").Process(target=print, args=("a job",))
job.start()
job.join()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


def test_an_interrupt_while_it_imports_is_for_the_worker_alone(tmp_path: Path) -> None:
    (tmp_path / "interrupts.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}"}
    command = [sys.executable, "-c", _INTERRUPTED]
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "a job\n", "")


def test_a_fork_server_whose_worker_is_gone_already_goes_as_well(tmp_path: Path) -> None:
    """Killed so soon that nobody could ask the kernel to be told of it: else it would import for seconds yet."""
    code = "import sys; sys.orig_argv.append('multiprocessing.forkserver'); import worker.process.fork_server_lifetime; print('on')"
    command = [sys.executable, "-c", code]
    for forked_by, said in ((os.getpid(), "on\n"), (os.getpid() + 1, "")):
        environment = {**os.environ, "MOIM_FORKED_BY": str(forked_by), "PYTHONPATH": str(Path.cwd())}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout) == (0, said)
