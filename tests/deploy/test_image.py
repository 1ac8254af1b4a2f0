"""The image: well made, nobody's root, and with nothing of this machine in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch

import pytest

from tests.deploy.places import BIN, DEPLOY, ROOT, setting_names
from worker.configuration.settings import Settings

DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.timeout(600)
def test_it_is_built_without_a_daemon_and_works() -> None:
    if shutil.which("buildah") is None:
        pytest.skip("no buildah (Debian: apt-get install buildah mmdebstrap)")
    done = subprocess.run([DEPLOY / "image.sh"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def test_hadolint_has_nothing_to_say() -> None:
    done = subprocess.run(
        [BIN / "hadolint", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_what_runs_is_nobody_special() -> None:
    users = re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE)
    assert users == ["10001:10001"], "a number, so that Kubernetes can see that it is not root"
    last_stage = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "USER 10001" in last_stage
    assert not re.findall(r"^COPY (?!--from=build)", last_stage, re.MULTILINE)


def test_port_and_variables_are_moims() -> None:
    port = Settings.from_env({}).process.http_port
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE) == [str(port)]
    assert f"'{port}'" in re.findall(r"HEALTHCHECK.*?\n.*", DOCKERFILE)[0]
    ours = set(re.findall(r"\bMOIM_[A-Z_]+", DOCKERFILE))
    assert ours
    assert ours <= setting_names()


def test_what_it_is_made_from_is_pinned_to_its_bytes() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert set(bases) == {"${BASE}"}
    assert "\nARG BASE=python:${PYTHON}\n" in DOCKERFILE
    assert re.search(r"^ARG PYTHON=3\.\d+-[\w-]+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)


def test_its_extras_exist() -> None:
    extras = re.search(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    assert extras is not None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])


def test_the_context_holds_what_is_copied_and_no_more() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert "*" in lines
    copied = [
        word
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for word in line.split()[:-1]
    ]
    assert sorted(copied) == sorted(allowed)
    for path in copied:
        assert (ROOT / path).exists()
    assert not any(fnmatch(".env", pattern) for pattern in allowed)
