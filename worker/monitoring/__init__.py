"""How Moim is watched: logs, metrics, health."""
