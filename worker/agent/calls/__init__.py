"""Calls of a language model: retried, within deadlines, read as JSON, used as a verifier."""
