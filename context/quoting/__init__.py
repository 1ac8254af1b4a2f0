"""Answers made of quotes: what there is to quote from, what of it answers a question, and lists of a kind."""
