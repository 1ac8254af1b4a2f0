"""compose.yaml: whole, without a password of ours, and in agreement with what Moim reads and serves."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml

from tests.conftest import open_directory
from tests.deploy.conftest import Run
from tests.deploy.places import BIN, DEPLOY, RULES, read_yaml, setting_names
from worker.adapters.migrations import migrate
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.configuration.settings import Settings
from worker.embedded.livekit_server import VERSION
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.postgres_user import postgres_binaries, unprivileged_account

TEXT = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = read_yaml(DEPLOY / "compose.yaml")
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "moim"}


def secrets() -> dict[str, str]:
    done = subprocess.run([DEPLOY / "new-secrets.sh"], capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def filled(value: str, environ: dict[str, str]) -> str:
    """What compose makes of `${NAME:?…}` and `${NAME:-default}`."""

    def put(found: re.Match[str]) -> str:
        name, default = found[1], found[3]
        return environ.get(name) or default

    return re.sub(r"\$\{(\w+)(:[-?]([^}]*))?\}", put, value)


def test_the_yaml_of_deploy_is_well_kept() -> None:
    files = [path for path in DEPLOY.rglob("*.y*ml") if "helm" not in path.parts]
    assert len(files) > 5
    done = subprocess.run(
        [BIN / "yamllint", "--strict", "-c", DEPLOY / ".yamllint", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(2000)  # it may have to be built, on a busy machine
def test_compose_takes_it(compose_go: Run, tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(filled(TEXT, secrets()), encoding="utf-8")
    done = compose_go(tmp_path / "compose.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    model = yaml.safe_load(done.stdout)
    assert set(model["services"]) == set(SERVICES)
    assert model["services"]["text-worker"]["profiles"] == ["text"], "nobody gets it unasked"
    assert model["services"]["worker"]["stop_grace_period"] == SERVICES["worker"]["stop_grace_period"]
    (tmp_path / "compose.yaml").write_text(
        filled(TEXT, secrets()).replace("stop_grace_period", "stop_grace_time"), encoding="utf-8"
    )
    assert compose_go(tmp_path / "compose.yaml").returncode != 0


def test_whoever_is_waited_for_can_say_when_it_is_there() -> None:
    assert {*SERVICES} >= {
        *("livekit", "postgres", "valkey", "migrate", "worker", "dispatcher", "prometheus", "grafana")
    }
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            waited = SERVICES[other]
            if how["condition"] == "service_healthy":
                assert "test" in waited["healthcheck"], f"{name} waits for {other}"
            else:
                assert how["condition"] == "service_completed_successfully"
                assert waited["restart"] == "no"
    for name in ("worker", "dispatcher", "text-worker"):
        assert SERVICES[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_each_of_ours_is_told_what_it_needs_in_names_that_moim_knows() -> None:
    environ = secrets()
    for name, service in OURS.items():
        told = {key: filled(str(value), environ) for key, value in service["environment"].items()}
        assert set(told) <= setting_names(), name
        settings = Settings.from_env(told)
        settings.require("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "DATABASE_URL", "REDIS_URL")
        assert settings.warnings == ()
        assert ("DATABASE_ADMIN_URL" in told) == (name == "migrate"), "the owner's password is for it alone"


def test_redis_keeps_no_file_in_which_erased_words_would_stay() -> None:
    valkey = SERVICES["valkey"]
    assert "--save '' --appendonly no" in valkey["command"][-1]
    assert (valkey["tmpfs"], "volumes" in valkey) == (["/data"], False)
    assert "valkey" not in COMPOSE["volumes"]


def test_nothing_is_published_beyond_this_machine_but_livekit() -> None:
    """`/metrics` and `/readyz` stand on the dispatcher's port: no proxy of ours publishes it."""
    for name, service in SERVICES.items():
        for port in service.get("ports", ()):
            assert name == "livekit" or port.startswith("127.0.0.1:"), (name, port)


def test_a_worker_is_given_time_to_drain() -> None:
    worker = SERVICES["worker"]
    told = {key: filled(str(value), secrets()) for key, value in worker["environment"].items()}
    grace = re.fullmatch(r"(\d+)m", worker["stop_grace_period"])
    assert grace is not None
    assert int(grace[1]) * 60 >= Settings.from_env(told).process.drain_s + 30


def test_no_secret_has_a_value_of_ours() -> None:
    wanted = {name for name, _, how in re.findall(r"\$\{(\w+)(:([-?])[^}]*)?\}", TEXT) if how != "-"}
    made = secrets()
    assert wanted == set(made), "what compose demands is what new-secrets.sh makes"
    again = secrets()
    for name in made:
        if name != "LIVEKIT_NODE_IP":
            assert made[name] != again[name]
            assert re.fullmatch(r"(moim)?[0-9a-f]{8,}", made[name]), "no escape needed in a URL"
            assert len(made[name]) >= 48 or name == "LIVEKIT_API_KEY"


def test_ours_run_locked_down() -> None:
    for service in OURS.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["init"]


def test_only_rooms_are_open_to_the_network() -> None:
    for name, service in SERVICES.items():
        for port in service.get("ports", []):
            assert name == "livekit" or port.startswith("127.0.0.1:"), f"{name}: {port}"


def test_ports_and_versions_agree() -> None:
    environ = secrets()
    livekit = yaml.safe_load(filled(SERVICES["livekit"]["environment"]["LIVEKIT_CONFIG"], environ))
    assert livekit["keys"] == {environ["LIVEKIT_API_KEY"]: environ["LIVEKIT_API_SECRET"]}
    assert livekit["webhook"]["api_key"] == environ["LIVEKIT_API_KEY"]
    published = {port.partition(":")[0] for port in SERVICES["livekit"]["ports"]}
    rtc = livekit["rtc"]
    assert published == {str(livekit["port"]), str(rtc["tcp_port"]), str(rtc["udp_port"])}
    assert f":v{VERSION}@" in SERVICES["livekit"]["image"]


def test_images_of_others_are_pinned_to_their_bytes() -> None:
    for name, service in SERVICES.items():
        if name not in OURS:
            assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", service["image"]), name
    port = Settings.from_env({}).process.http_port
    scraped = {
        (name, place["port"])
        for job in read_yaml(RULES / "prometheus.yml")["scrape_configs"]
        for place in job["dns_sd_configs"]
        for name in place["names"]
    }
    assert scraped == {(name, port) for name in OURS if name != "migrate"}


def test_what_is_mounted_is_there() -> None:
    for name, service in SERVICES.items():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).exists(), f"{name}: {source}"
            else:
                assert source in COMPOSE["volumes"], f"{name}: {source}"
    for place in (DEPLOY / "grafana" / "provisioning").rglob("*.yaml"):
        assert read_yaml(place)["apiVersion"] == 1


async def test_a_real_postgres_gets_an_owner_who_is_no_superuser_and_takes_the_schema() -> None:
    with open_directory() as directory:
        server = EmbeddedPostgres(directory, durable=False)
        await server.start()
        try:
            await _as_owner_and_app(server, directory)
        finally:
            await server.stop()


async def _as_owner_and_app(server: EmbeddedPostgres, directory: Path) -> None:
    superuser = await asyncpg.connect(server.admin_url.replace("/moim", "/postgres"))
    address = re.fullmatch(r"postgresql://postgres:(\w+)@([\d.]+):(\d+)/moim", server.admin_url)
    assert address is not None
    password, host, port = address.groups()
    try:
        await superuser.execute("DROP DATABASE moim")  # the image's server has none either
        binaries = postgres_binaries(unprivileged_account())
        done = subprocess.run(
            ["bash", DEPLOY / "postgres" / "owner.sh"],
            env={
                "PATH": f"{binaries}:{os.environ['PATH']}",
                "HOME": str(directory),
                "PGHOST": host,
                "PGPORT": port,
                "PGPASSWORD": password,
                "DB_OWNER_PASSWORD": "o'wner",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        owner = f"postgresql://moim_owner:o%27wner@{host}:{port}/moim"
        app = f"postgresql://moim:modest@{host}:{port}/moim"
        assert await migrate(owner, app)
        assert await migrate(owner, app) == [], "again changes nothing"
        mighty = await superuser.fetch("SELECT rolname FROM pg_roles WHERE rolsuper AND rolname LIKE 'moim%'")
        assert mighty == []
    finally:
        await superuser.close()
    pool = PostgresPool(app)
    try:
        assert (await PostgresRegistry(pool).want("회의실")).room == "회의실"
    finally:
        await pool.aclose()
