"""The agent of a meeting: it summarises, judges topics and answers, with evidence or not at all."""
