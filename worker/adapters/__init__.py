"""Adapters: the ports of `context` and `worker` on Postgres, Redis, LiveKit and models, each in its file.

What a meeting runs on imports none of them; `worker.bootstrap` wires them.
"""
