"""The LiveKit server: found, built by whatever Go there is, run on loopback."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import aiohttp
import pytest

from worker.configuration.settings import Settings
from worker.embedded.child import EmbeddedError
from worker.embedded.go_build import BuildError, go_version
from worker.embedded.livekit import LiveKitServer
from worker.embedded.livekit_server import build, ensure, find


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def settings(tmp_path: Path, **environ: str) -> Settings:
    return Settings.from_env({"MOIM_CACHE_DIR": str(tmp_path / "cache"), **environ})


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but a shell's own tools."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}:/usr/bin:/bin")
    return tmp_path / "tools"


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("go version go1.26.6 linux/amd64", (1, 26)),
        ("go version go1.27rc1 linux/arm64", (1, 27)),
        ("gibberish", None),
    ],
)
def test_go_says_its_version(output: str, version: tuple[int, int] | None) -> None:
    assert go_version(output) == version


def test_the_named_binary_comes_first_then_path_then_cache(tmp_path: Path, tools: Path) -> None:
    assert find(settings(tmp_path)) is None
    cached = program(tmp_path / "cache" / "livekit" / "server", "exit 0")
    assert find(settings(tmp_path)) == cached
    on_path = program(tools / "livekit-server", "exit 0")
    assert find(settings(tmp_path)) == on_path
    named = program(tmp_path / "mine", "exit 0")
    assert find(settings(tmp_path, MOIM_LIVEKIT_SERVER=str(named))) == named


def test_a_named_binary_that_does_not_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"MOIM_LIVEKIT_SERVER='.*nowhere' is no program that runs"):
        ensure(settings(tmp_path, MOIM_LIVEKIT_SERVER=str(tmp_path / "nowhere")))


def test_a_build_leaves_the_binary_and_nothing_else(tmp_path: Path, tools: Path) -> None:
    program(
        tools / "go",
        'if [ "$1" = version ]; then echo "go version go1.26.0 linux/amd64"; exit; fi\n'
        'case "$GOMODCACHE$GOCACHE$GOPATH" in *livekit/build*livekit/build*) ;; *) exit 9 ;; esac\n'
        'printf "#!/bin/sh\\necho built $*" > "$GOBIN/server"; chmod +x "$GOBIN/server"\n'
        'mkdir -p "$GOMODCACHE/x"',
    )
    binary = ensure(settings(tmp_path))
    assert binary == (tmp_path / "cache" / "livekit" / "server").resolve()
    assert "cmd/server@v" in binary.read_text(encoding="utf-8")
    assert sorted(path.name for path in binary.parent.iterdir()) == ["lock", "server", "version"]
    program(tools / "go", "exit 1")
    assert build(tmp_path / "cache") == binary, "built once"


def test_a_failed_build_is_one_line_with_a_mend(tmp_path: Path, tools: Path) -> None:
    program(
        tools / "go",
        'if [ "$1" = version ]; then echo "go version go1.26.0 linux/amd64"; exit; fi\n'
        'echo "no route to host" >&2; exit 1',
    )
    with pytest.raises(BuildError) as caught:
        ensure(settings(tmp_path))
    assert str(caught.value) == (
        "LiveKit server 1.13.5 could not be built: no route to host "
        "(offline: set MOIM_LIVEKIT_SERVER to a livekit-server binary)"
    )
    assert not (tmp_path / "cache" / "livekit" / "build").exists()


@pytest.mark.room
async def test_it_runs_restarts_on_its_ports_and_dies(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    binary = find(Settings.from_env(dict(os.environ)))
    if binary is None:
        pytest.skip("no livekit-server: run `make test` with a network, or set MOIM_LIVEKIT_SERVER")
    server = LiveKitServer(binary, tmp_path)
    with pytest.raises(EmbeddedError, match="has not been started"):
        _ = server.url
    await server.start()
    try:
        url, pid = server.url, server.pid
        await server.restart()
        assert server.url == url
        assert server.pid not in {pid, None}
        async with aiohttp.ClientSession() as client, client.get(url.replace("ws://", "http://")) as response:
            assert response.status == 200
        mode = (tmp_path / "livekit.yaml").stat().st_mode
        assert stat.S_IMODE(mode) == 0o600, "it holds the secret"
    finally:
        await server.stop()
    assert server.pid is None


async def test_a_server_that_does_not_start_says_its_last_words(tmp_path: Path) -> None:
    binary = program(tmp_path / "server", 'echo "could not listen: permission denied"; exit 1')
    with pytest.raises(EmbeddedError, match="could not listen: permission denied"):
        await LiveKitServer(binary, tmp_path / "home").start()
