#!/usr/bin/env bash
# release.sh: the wheel and the image, each built and tried as a user would. `make release` calls it.
# The wheel goes into dist/, is installed by pip into a bare venv, and `moim dev` has to come up from there. The
# image is built by docker, buildah or podman, whichever is here; the last two need no daemon.
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

for tool in docker buildah podman; do
    "$tool" info >/dev/null 2>&1 && break || tool=
done
[ -n "$tool" ] || { say "no image: neither docker nor buildah nor podman works here (Debian: apt-get install buildah)"; exit 0; }
case $tool in
    buildah) build=(buildah bud) run=() ;;
    *) build=("$tool" build) run=("$tool" run --rm) ;;
esac
"${build[@]}" -f deploy/Dockerfile -t moim . >&2 || die "the image cannot be built with $tool"
if [ "$tool" = buildah ]; then
    made=$(buildah from moim)
    buildah run "$made" -- moim --help >/dev/null || die "moim --help fails in the image"
    buildah rm "$made" >/dev/null
else
    "${run[@]}" moim --help >/dev/null || die "moim --help fails in the image"
fi
say "the image is good: moim"
