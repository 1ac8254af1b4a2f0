"""LangGraph is loaded once, before any test counts its milliseconds."""

import worker.agent.graph.graph  # noqa: F401
