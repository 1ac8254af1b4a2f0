"""The cache of answers: one is given again to a question in the same words or others that ask the same."""
