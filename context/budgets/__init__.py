"""Budgets of context (seed 004): who may bring how much, what is kept when it does not fit, who used what.

An *agent* of the seed is here a *producer*: a named source of blocks of context, such as the transcript, the
topics or the documents. Its class (`VsLevel`: full, enhanced, light) says how much it may bring.
"""
