"""Where a `--data` folder has its labelled meetings: those held back go before those one develops on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from worker.errors import InputError

T = TypeVar("T")
TRAIN: Final = "train"
"""Never measured on, where it isn't asked for."""
_KINDS: Final = (".jsonl.gz", ".jsonl")


def split(data: Path | None, folder: str, names: Sequence[str], others: str) -> Path | None:
    """The first of `names` in `data/folder` or `data` itself, else what fits `others`; None for neither.

    `others` is a pattern of names without their ending, `concat_*`. Raises `InputError` without a folder.
    """
    if data is None:
        raise InputError("--data: this measure needs real meetings; give their folder")
    if not data.is_dir():
        raise InputError(f"--data {data}: no such folder")
    return next(_places(data, folder, names, others), None)


def demanded(data: Path | None, folder: str, names: Sequence[str], others: str) -> Path:
    """What `split` finds; raises `InputError` where there is none."""
    found = split(data, folder, names, others)
    if found is None:
        wanted = " nor ".join(f"{folder}/{name}.jsonl.gz" for name in names)
        raise InputError(f"--data {data}: neither {wanted} in it")
    return found


def name_of(path: Path) -> str:
    """`qmsum/test.jsonl.gz` → `test`."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def rows(path: Path, read: Callable[[Mapping[str, Any], int], T]) -> Iterator[T]:
    """Each line's object and number (from 1), read. Raises `InputError` naming file and line."""
    unpacked = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with unpacked(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield read(json.loads(line), number)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}:{number or 1}: not a labelled meeting ({error!r})") from error


def _places(data: Path, folder: str, names: Sequence[str], others: str) -> Iterator[Path]:
    for name in names:
        for place in (data / folder, data):
            yield from (path for kind in _KINDS if (path := place / f"{name}{kind}").is_file())
    for kind in _KINDS:
        yield from (
            path for path in sorted((data / folder).glob(f"{others}{kind}")) if name_of(path) != TRAIN
        )
