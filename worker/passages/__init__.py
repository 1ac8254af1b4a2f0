"""Passages of meetings and documents, with their vectors: cut, embedded, kept, found again."""
