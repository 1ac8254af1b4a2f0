"""`python -m worker.bench.example_worker`: a worker of LiveKit's own example, `multi-user-transcriber`."""

from __future__ import annotations

from worker.bench.bare_job import accept
from worker.bench.bare_worker import serve
from worker.bench.example_job import AGENT_NAME, entrypoint, prewarm

if __name__ == "__main__":
    serve(AGENT_NAME, entrypoint, accept, setup=prewarm, preload=["worker.bench.example_job"])
