#!/usr/bin/env bash
# setup.sh PYTHON VENV: a virtual environment with the locked dependencies and Moim itself, editable.
# Called by `make setup`. Nothing outside VENV and MOIM_CACHE_DIR is written.
set -euo pipefail

python=$1
venv=$2
say() { printf 'setup: %s\n' "$*" >&2; }

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "$python is no Python 3.11 or newer: install one, or name it: make setup PYTHON=/path/to/python3.11"
    exit 2
fi
if [ ! -x "$venv/bin/python" ]; then
    say "making $venv"
    if ! "$python" -m venv "$venv" >&2; then
        say "$python has no venv module (Debian: apt-get install python3-venv)"
        exit 2
    fi
fi

wanted=$(sed -n 's/^uv==\([^ ]*\).*/\1/p' deploy/uv.txt)
if [ "$("$venv/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$wanted" ]; then
    say "installing uv $wanted"
    "$venv/bin/python" -m pip install --quiet --no-cache-dir --require-hashes -r deploy/uv.txt >&2
fi

say "installing the locked dependencies"
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r deploy/requirements.lock
# The build backend is in the lock: no isolated build environment, nothing unlocked.
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation --editable .

# Python keeps what it compiles, unless a shell says PYTHONDONTWRITEBYTECODE: there every process would
# compile anew, for seconds. So what Moim imports (not all 10,000 files beneath VENV) is compiled here.
say "compiling what Moim imports"
PYTHONDONTWRITEBYTECODE='' "$venv/bin/python" -W ignore - <<'PY'
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages

for package in ("context", "stt", "worker"):
    for module in walk_packages([package], f"{package}."):
        with suppress(Exception):  # whoever needs it says what is missing
            import_module(module.name)
PY
say "done: $venv/bin/moim"
