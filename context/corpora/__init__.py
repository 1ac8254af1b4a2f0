"""Corpora: this meeting, earlier meetings and documents, cut into passages of one shape and ranked."""
