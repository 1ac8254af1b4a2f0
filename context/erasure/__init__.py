"""Erasure: words that people take back, what was made of them, and the meeting without both."""
