"""What may happen to a meeting (events, on the record), who did it, and what is to be done (effects)."""
