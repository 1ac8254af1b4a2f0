"""How Moim is observed from outside: logs, metrics, health, and a bounded HTTP server for the latter."""
