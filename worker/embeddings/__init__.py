"""Texts to vectors: one process per machine that holds the local model, and what speaks to it."""
