"""The outside world, a technology per file. What a meeting runs on sees none: `worker.bootstrap` wires it."""
