"""`python -m tests.bench.example_worker`: a worker of LiveKit's own example, `multi-user-transcriber`."""

from __future__ import annotations

from tests.bench.bare_job import accept
from tests.bench.bare_worker import serve
from tests.bench.example_job import AGENT_NAME, entrypoint, prewarm

if __name__ == "__main__":
    serve(AGENT_NAME, entrypoint, accept, setup=prewarm, preload=["tests.bench.example_job"])
