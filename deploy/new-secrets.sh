#!/bin/sh
# new-secrets.sh > deploy/.env: passwords of one's own for compose.yaml, drawn anew at each call.
# Postgres keeps those of its first start.
set -eu
umask 077
# `set -e` does not look into an argument, hence the variable.
secret() { drawn=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n') && printf '%s' "$drawn"; }
# The address through which this machine reaches the outside, where `ip` knows one.
address=$(ip -4 route get 1.1.1.1 2>/dev/null | sed -n 's/.* src \([0-9.]*\).*/\1/p')
cat <<EOF
LIVEKIT_NODE_IP=$address
LIVEKIT_API_KEY=moim$(secret | cut -c1-8)
LIVEKIT_API_SECRET=$(secret)
DB_SUPERUSER_PASSWORD=$(secret)
DB_OWNER_PASSWORD=$(secret)
DB_APP_PASSWORD=$(secret)
REDIS_PASSWORD=$(secret)
MOIM_API_TOKEN=$(secret)
GRAFANA_PASSWORD=$(secret)
EOF
