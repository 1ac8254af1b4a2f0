"""Budgets of context (seed 004): who may bring how much, what is kept when it does not fit, who used what.

An *agent* here is a named producer of blocks of context, with a level: for a meeting topics, transcript,
documents, earlier meetings, thread, profile, and any that a user registers.
"""
