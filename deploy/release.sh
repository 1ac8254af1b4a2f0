#!/usr/bin/env bash
# release.sh: the wheel and the image, each built and tried as a user would. `make release` calls it.
# The wheel goes into dist/, is installed by pip into a bare venv, and `moim dev` has to come up from there.
# The image: deploy/image.sh.
set -euo pipefail

bin=$1
say() { printf 'release: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

rm -rf dist
"$bin/python" -m hatchling build -t wheel -d dist >&2
wheel=$(ls dist/*.whl)
! "$bin/python" -m zipfile -l "$wheel" | grep -E '^(tests|docs|deploy)/' || die "$wheel holds more than the product"

bare=$(mktemp -d)
dev=
stop() { [ -z "$dev" ] || kill -TERM "$dev" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$bare"; }
trap stop EXIT
say "installing $wheel into a bare venv"
"$bin/python" -m venv "$bare/venv"
"$bare/venv/bin/pip" install --quiet "$wheel[embedded,embeddings,offline]" >&2
cd "$bare" # away from the checkout: only what is in the wheel can be imported
venv/bin/moim --help >/dev/null || die "moim --help fails"
printf 'Minji: We decided to ship on Friday.\n/ask When do we ship?\n' | venv/bin/moim replay - | grep -q Friday \
    || die "moim replay - does not answer"
say "starting moim dev from the wheel"
venv/bin/moim dev --env-file "$bare/env" --data "$bare/data" >"$bare/log" 2>&1 &
dev=$!
for _ in $(seq 180); do
    [ -s "$bare/env" ] && break
    kill -0 "$dev" 2>/dev/null || { cat "$bare/log" >&2; die "moim dev ended"; }
    sleep 1
done
[ -s "$bare/env" ] || { cat "$bare/log" >&2; die "moim dev was not up within three minutes"; }
venv/bin/moim --env-file "$bare/env" check --only postgres redis livekit >&2 || die "moim check fails"
kill -TERM "$dev"; wait "$dev" || die "moim dev does not end well"
dev=
cd - >/dev/null
say "the wheel is good: $wheel"

deploy/image.sh || { [ $? = 3 ] && say "no image: see above"; }
