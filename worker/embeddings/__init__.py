"""Embedding of texts: the local model, the one process per machine that holds it, and its clients."""
