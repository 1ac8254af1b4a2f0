"""Learnt models that read sentences: what a request asks for, which dialogue acts a sentence does,
who owns a task, and which earlier statement a later one revises or repeats.

Each head is a few numbers in a file beside its module, made by `python -m tests.training HEAD`.
"""
