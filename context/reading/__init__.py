"""Learnt readings of talk: what a request asks for, what a sentence does, whose a task is, what it replaces.

Each head is a few numbers in a file beside its module, made by `python -m tests.training HEAD`.
"""
