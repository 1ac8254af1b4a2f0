"""The people of a meeting: who is there, how they relate, how much of their speech was heard."""
