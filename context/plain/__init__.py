"""The engine without a language model: what is learnt from labels, and used beside the fold.

Each head is a few numbers in a file beside its module, made by `python -m tests.training HEAD`.
"""
