"""Retrieval: finding the utterances of a meeting that bear on a question."""
