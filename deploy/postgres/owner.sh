#!/bin/bash
# Runs once, as the superuser of an empty server: the owner of Moim's schema, who may make roles and is no
# superuser. `moim migrate` does the rest as that owner, the app's own modest role included.
set -euo pipefail
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
    --set=password="$DB_OWNER_PASSWORD" <<'SQL'
CREATE ROLE moim_owner LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE moim OWNER moim_owner;
\connect moim
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
SQL
