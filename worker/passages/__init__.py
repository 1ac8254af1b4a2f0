"""Passages of meetings and documents with their vectors: cut, embedded, stored and retrieved."""
