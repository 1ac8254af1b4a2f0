"""Rules of answering that need no vendor: how much to look up, when to stop, what holds."""
