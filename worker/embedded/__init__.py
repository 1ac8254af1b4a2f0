"""Postgres, Valkey and LiveKit as our own child processes on loopback, for `moim dev` and the tests."""
