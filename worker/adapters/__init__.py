"""The outside world, one technology per file; wired by `worker.bootstrap` alone."""
