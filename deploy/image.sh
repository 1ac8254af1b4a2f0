#!/usr/bin/env bash
# image.sh: the image, built and tried as a user would, by docker, buildah or podman, whichever works here; the
# last two need no daemon. `make release` calls it. Exits 3 where none of them is here.
# buildah, where no registry can be reached, builds upon Debian's own Python, which mmdebstrap fetches: the
# same 3.11 on the same bookworm, so what is tried is the Dockerfile. Such an image is for trying, not to publish.
set -euo pipefail

say() { printf 'image: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Without a daemon, and without rights that a container seldom has.
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot} STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
for tool in docker buildah podman; do
    "$tool" info >/dev/null 2>&1 && break || tool=
done
[ -n "$tool" ] || { say "neither docker nor buildah nor podman works here (Debian: apt-get install buildah mmdebstrap)"; exit 3; }

# A proxy that has a certificate of its own is trusted while building, as outside.
trust=()
[ -z "${SSL_CERT_FILE:-}" ] || trust=(--volume "$SSL_CERT_FILE:/etc/ssl/certs/ca-certificates.crt:ro")

debian_base() {
    command -v mmdebstrap >/dev/null || die "no registry can be reached, and mmdebstrap is not here (Debian: apt-get install mmdebstrap)"
    say "no registry can be reached: a base of Debian's packages"
    local root base
    root=$(mktemp -d)
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$root/base.tar" >&2
    base=$(buildah from scratch)
    buildah add --quiet "$base" "$root/base.tar" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt "$base"
    buildah commit --quiet --rm "$base" moim-base >/dev/null
    rm -rf "$root"
}

pinned=python:$(sed -n 's/^ARG PYTHON=//p' deploy/Dockerfile)
if [ "$tool" = buildah ]; then
    base=docker.io/library/$pinned
    timeout 60 buildah pull --quiet "$base" >/dev/null 2>&1 || { debian_base; base=localhost/moim-base; }
    buildah bud --network host "${trust[@]}" --volume /etc/resolv.conf:/etc/resolv.conf:ro \
        --build-arg "BASE=$base" -f deploy/Dockerfile -t moim . >&2 || die "the image cannot be built"
    made=$(buildah from moim)
    trap 'buildah rm "$made" >/dev/null' EXIT
    inside() { buildah run "$made" -- "$@"; }
else
    "$tool" build -f deploy/Dockerfile -t moim . >&2 || die "the image cannot be built with $tool"
    inside() { "$tool" run --rm --interactive --entrypoint "" moim "$@"; }
fi

say "trying it"
[ "$(inside python -c 'import os; print(os.getuid())')" = 10001 ] || die "it runs as somebody else than 10001"
inside moim --help >/dev/null || die "moim --help fails in it"
printf 'Minji: We decided to ship on Friday.\n/ask When do we ship?\n' | inside moim replay - | grep -q Friday \
    || die "moim replay - does not answer in it"
inside moim check --only disk >&2 || die "its state and cache directories cannot be written"
say "it is good: moim, built by $tool"
