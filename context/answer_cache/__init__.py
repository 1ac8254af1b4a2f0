"""Answers that were given before: for the same words, and for others that ask the same of the same things."""
