"""Experiments that break Moim on purpose: `python -m tests.chaos NAME`, `make chaos ARGS="NAME"`."""
