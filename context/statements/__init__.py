"""Decisions, tasks and open points: what stands, what is wrong with it, who said it."""
