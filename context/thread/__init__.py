"""The agent's thread: the turns that a meeting's participants exchange with it, and their summaries.

Pure, like all of `context`. `thread.Thread` is the fold that a meeting holds; the functions of seed 001 and
the cases of seed 003 are below it.
"""
