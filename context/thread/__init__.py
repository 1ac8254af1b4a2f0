"""The agent's thread: a meeting's questions to the agent with its answers, and their summaries.

`thread.Thread` is the part of a meeting's state that the fold changes; the functions of seed 001 are in
`turn`, `summaries` and `writing`, the prompts of seed 003 in `briefing`.
"""
