"""The summaries that a language model writes, and what of them may stand."""
