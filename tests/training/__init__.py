"""Training of the learnt heads: `python -m tests.training HEAD [--data FILE]… [--check]`.

The weights go beside the module that uses them, with their scores (`HEAD.json`) beside them. The same rows
give the same weights.
"""
