"""Find the LiveKit server's binary on this machine, or build it. (`LiveKitServer` in `livekit` runs it.)

It is built by one `go install` of the released module (see `go_build`) into the cache.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Final

from worker.configuration.settings import Settings
from worker.embedded.go_build import BuildError, GoProgram, say

VERSION: Final = "1.13.5"
_SERVER: Final = GoProgram(
    title=f"LiveKit server {VERSION}",
    module=f"github.com/livekit/livekit-server/cmd/server@v{VERSION}",
    takes="some four minutes on two cores",
    otherwise="set MOIM_LIVEKIT_SERVER to a livekit-server binary",
)


def find(settings: Settings) -> Path | None:
    """The binary that `MOIM_LIVEKIT_SERVER` names, else the one on PATH, else the one in the cache, or None.

    If the named one does not run the result is None: no other is taken in its place.
    """
    named = settings.process.livekit_server
    if named is not None:
        return named.resolve() if _SERVER.runs(named) else None
    on_path = shutil.which("livekit-server")
    if on_path:
        return Path(on_path)
    built = _built(settings.process.cache_dir)
    return built if _SERVER.runs(built) else None


def ensure(settings: Settings) -> Path:
    """The binary that `find` finds, built first if there is none. Raises `BuildError`."""
    named = settings.process.livekit_server
    if named is not None and not _SERVER.runs(named):
        raise BuildError(f"MOIM_LIVEKIT_SERVER={str(named)!r} is no program that runs")
    binary = find(settings)
    return binary if binary is not None else build(settings.process.cache_dir)


def build(cache: Path) -> Path:
    """Build the binary `{cache}/livekit/server`, unless it runs already; its path. Raises `BuildError`."""
    target = _built(cache)
    if not _SERVER.runs(target):
        _SERVER.build(target)
        (target.parent / "version").write_text(f"{VERSION}\n", encoding="utf-8")
        say(f"{_SERVER.title}: {target}")
    return target


def _built(cache: Path) -> Path:
    return cache.resolve() / "livekit" / "server"


def main() -> int:
    """Print the binary's path, or on stderr why there is none; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m worker.embedded.livekit_server")
    parser.add_argument("--ensure", action="store_true", help="build it where there is none")
    settings = Settings.load()
    try:
        binary = ensure(settings) if parser.parse_args().ensure else find(settings)
    except BuildError as error:
        say(str(error))
        return 1
    if binary is None:
        say("no LiveKit server found: run with --ensure to build one")
        return 1
    print(binary)  # noqa: T201 - the result
    return 0


if __name__ == "__main__":
    sys.exit(main())
