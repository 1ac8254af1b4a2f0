"""The engine without a language model: answers and summaries made of quotes, entered by `facade` alone.

Each head is a few numbers in a file beside its module, made by `python -m tests.training HEAD`.
"""
