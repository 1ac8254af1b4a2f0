"""No secret in what a command prints, logs, counts or raises, whatever goes wrong.

Every setting that holds a secret is given one that can be recognised; addresses carry passwords, also those
whose setting is no secret. Then everything fails: nobody there, access refused by a server that sends back what it
was sent, values that cannot be read.
"""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, urlsplit, urlunsplit

import prometheus_client
import pytest
import structlog
from aiohttp import web

from context.config import ConfigError
from tests.conftest import Database
from tests.fakes.listening import listen
from worker import __main__ as cli
from worker.configuration.settings import Settings, fields
from worker.monitoring import telemetry

MARK = "S3CRET"
NOBODY = "127.0.0.1:1"
COMMANDS = (
    ["check", "--json"],
    ["check"],
    ["meetings", "--json"],
    ["dispatch", "room-1"],
    ["dispatch", "--text", "--meeting", "m-1"],
    ["end", "m-1"],
    ["export", "m-1", "--format", "json"],
    ["ask", "m-1", "What was decided?"],
    ["thread", "m-1"],
    ["docs", "list"],
    ["migrate"],
)


def secret(name: str) -> str:
    """Ends in what URLs must escape, so that both spellings are looked for."""
    return f"{MARK}-{name.lower().replace('_', '-')}-p@ss"


def secret_settings() -> dict[str, str]:
    """Every setting whose value is a secret, by introspection, with a value of its shape."""
    values = {}
    for _, _, name, info in fields():
        if "SecretStr" not in str(info.annotation):
            continue
        password = quote(secret(name), safe="")
        if name.endswith("_URL"):
            scheme = "redis" if "REDIS" in name else "postgresql"
            values[name] = f"{scheme}://moim:{password}@{NOBODY}/moim"
            if scheme == "redis":
                values[name] = f"redis://:{password}@{NOBODY}/0"
        elif "tuple" in str(info.annotation):
            values[name] = f"http://{NOBODY}/external|{MARK}-domain-one,http://{NOBODY}/x|{MARK}-domain-two"
        else:
            values[name] = secret(name)
    return values


def environment(folder: Path, base: str = f"http://user:{MARK}-in-url@{NOBODY}") -> dict[str, str]:
    """All of them, and addresses at which nobody takes them."""
    return secret_settings() | {
        "LIVEKIT_URL": base.replace("http", "ws"),
        "LIVEKIT_API_KEY": "key",
        "LLM_ENGINE": "openai",
        "LLM_MODEL": "m",
        "LLM_BASE_URL": f"{base}/v1",
        "STT_ENGINE": "clova",
        "STT_BASE_URL": f"{base}/v1",
        "EMBED_ENGINE": "openai",
        "EMBED_MODEL": "e",
        "EMBED_BASE_URL": f"{base}/v1",
        "MOIM_WEBHOOK_URL": f"{base}/hook?token={MARK}-query",
        "OTEL_EXPORTER_OTLP_ENDPOINT": base,
        "MOIM_STATE_DIR": str(folder / "state"),
        "MOIM_CACHE_DIR": str(folder / "cache"),
        "MOIM_HTTP_PORT": "0",
        "MOIM_LOG_LEVEL": "debug",
    }


def leaks(text: str) -> list[str]:
    """Every line with a secret in it."""
    return [line[:300] for line in text.splitlines() if MARK in line or "p%40ss" in line]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """An environment without this machine's own settings, in a folder without a `.env`."""
    for name in {alias for _, _, alias, _ in fields()} & os.environ.keys():
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield monkeypatch
    logging.getLogger().handlers[:] = []
    structlog.reset_defaults()


def run(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli.main(arguments)
    shown = capfd.readouterr()
    return code, shown.out + shown.err


def test_there_is_a_secret_in_every_setting_that_holds_one() -> None:
    names = secret_settings()
    assert {
        "DATABASE_URL",
        "LIVEKIT_API_SECRET",
        "MOIM_WEBHOOK_SECRET",
        "CLOVA_SPEECH_DOMAINS",
    } <= names.keys()
    assert all(MARK in value for value in names.values())


def test_settings_show_no_secret(tmp_path: Path) -> None:
    settings = Settings.from_env(environment(tmp_path))
    hidden = [settings, *(getattr(settings, group) for group, _, _, _ in fields())]
    for _, _, name, info in fields():
        if "SecretStr" not in str(info.annotation):
            continue
        for value in (repr(hidden), str(settings.model_dump()), settings.model_dump_json()):
            assert secret(name) not in value
            assert f"{MARK}-domain" not in value
            assert quote(secret(name), safe="") not in value


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nobody_there(
    arguments: list[str], alone: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment(tmp_path).items():
        alone.setenv(name, value)
    code, shown = run(arguments, capfd)
    assert code in (1, 2, 3), shown
    assert shown
    assert leaks(shown) == []
    assert leaks(prometheus_client.generate_latest().decode()) == []


@pytest.mark.parametrize(
    ("arguments", "environ", "named"),
    [
        (["--e2ee-key", MARK], {}, "--e2ee-key-file FILE"),
        ([f"--e2ee-key={MARK}"], {}, "--e2ee-key-file FILE"),
        (["--e2ee-key-file", MARK], {}, "--e2ee-key-file: No such file or directory; name a file"),
        (["--e2ee-key-file", f"/{MARK}/" + "x" * 300], {}, "--e2ee-key-file: "),
        ([], {"MOIM_E2EE_KEY": f"{MARK}\n{MARK}"}, "MOIM_E2EE_KEY: the key must be one line"),
        ([], {"MOIM_E2EE_KEY": MARK * 300}, "MOIM_E2EE_KEY: the key must have at most 1000 characters"),
    ],
)
def test_a_key_of_a_room_that_is_given_wrongly_is_not_quoted_and_the_mend_is_told(
    arguments: list[str],
    environ: dict[str, str],
    named: str,
    alone: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        alone.setenv(name, value)
    code, shown = run(["dispatch", "room-1", *arguments], capfd)
    assert code == 2
    assert named in shown
    assert leaks(shown) == []


@pytest.fixture
async def parrot() -> AsyncIterator[str]:
    """A server that refuses everybody and sends back what it was sent."""

    async def refuse(request: web.Request) -> web.Response:
        return web.json_response(
            {"error": {"message": "no access"}}, status=401, headers={"X-Seen": request.path}
        )

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", refuse)
    runner, url = await listen(app)
    yield url.removeprefix("http://")
    await runner.cleanup()


@pytest.mark.postgres
@pytest.mark.parametrize("arguments", [["check", "--json"], ["meetings"], ["migrate"]], ids=" ".join)
async def test_access_refused(  # noqa: PLR0917 - pytest hands fixtures in by name
    arguments: list[str],
    alone: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    database: Database,
    redis_url: str,
    parrot: str,
) -> None:
    import asyncio

    values = environment(tmp_path, f"http://user:{MARK}-in-url@{parrot}")
    for name in ("DATABASE_URL", "DATABASE_ADMIN_URL"):
        parts = urlsplit(database.url)
        password = quote(secret(name), safe="")
        values[name] = urlunsplit(
            parts._replace(netloc=f"{parts.username}:{password}@{parts.hostname}:{parts.port}")
        )
    host = urlsplit(redis_url).netloc.rpartition("@")[2]
    values["REDIS_URL"] = f"redis://user:{quote(secret('REDIS_URL'), safe='')}@{host}/0"
    for name, value in values.items():
        alone.setenv(name, value)
    code = await asyncio.to_thread(cli.main, arguments)
    shown = capfd.readouterr()
    assert code in (1, 2, 3)
    assert leaks(shown.out + shown.err) == []


MALFORMED = [
    ("DATABASE_URL", f"postgresql://moim:{MARK}/x@host/moim"),
    ("DATABASE_URL", f"postgres//moim:{MARK}@host"),
    ("DATABASE_URL", f"postgresql://moim:{MARK}@host:notaport/moim"),
    ("DATABASE_ADMIN_URL", f"{MARK}"),
    ("REDIS_URL", f"redis//:{MARK}@host"),
    ("REDIS_URL", f"http://:{MARK}@host"),
    ("CLOVA_SPEECH_DOMAINS", f"{MARK}"),
    ("CLOVA_SPEECH_DOMAINS", f"https://host/{MARK}|schlüssel-{MARK}"),
    ("LIVEKIT_URL", f"ftp://user:{MARK}@host"),
    ("LLM_BASE_URL", f"htp://user:{MARK}@host/v1"),
    ("STT_BASE_URL", f"user:{MARK}@host"),
    ("EMBED_BASE_URL", f"ftp://u:{MARK}@host"),
    ("MOIM_WEBHOOK_URL", f"ftp://u:{MARK}@host/hook"),
]


@pytest.mark.parametrize(("name", "value"), MALFORMED)
def test_what_cannot_be_read_is_named_and_not_quoted(
    name: str, value: str, alone: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    alone.setenv(name, value)
    code, shown = run(["check", "--only", "disk"], capfd)
    assert leaks(shown) == []
    if code:
        assert name in shown
    with pytest.raises(ConfigError) if code == 2 else pytest.MonkeyPatch.context() as raised:
        Settings.from_env({name: value})
    if code == 2:
        assert leaks("".join(traceback.format_exception(raised.value))) == []


def test_logs_blank_secrets_wherever_they_stand(tmp_path: Path) -> None:
    settings = Settings.from_env(environment(tmp_path))
    stream = io.StringIO()
    telemetry.configure(settings, stream=stream)
    try:
        log = structlog.get_logger("moim.test")
        for name, value in environment(tmp_path).items():
            plain = secret(name) if name in secret_settings() and "DOMAINS" not in name else ""
            log.warning("failed", error=f"cannot reach {value}", parts=[value, {"inner": (value, plain)}])
            log.warning(
                f"in the text {value}", password=plain, api_key=plain, authorization=f"Bearer {plain}"
            )
            logging.getLogger("somebody.else").error("wrong: %s", value)
            try:
                raise ValueError(f"bad dsn {value}")  # noqa: TRY301 - a traceback is wanted
            except ValueError:
                log.exception("raised", cause=SimpleNamespace(url=value))
                logging.getLogger("somebody.else").exception("raised %s", value)
    finally:
        logging.getLogger().handlers[:] = []
        structlog.reset_defaults()
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 5 * len(environment(tmp_path))
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert leaks(stream.getvalue()) == []


@pytest.mark.parametrize("command", ["worker", "dispatcher"])
def test_what_runs_on_says_none_either(command: str, tmp_path: Path) -> None:
    """Some seconds of failing to reach anything, then SIGTERM."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker", command],
            cwd=Path(__file__).parents[2],
            env=keep | environment(tmp_path) | {"STT_ENGINE": "none"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=12)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    assert leaks((tmp_path / "out").read_text(errors="replace")) == []
