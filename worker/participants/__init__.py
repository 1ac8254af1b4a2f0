"""The participants of a meeting: who is there, their tracks, their consent, their commands and questions."""
