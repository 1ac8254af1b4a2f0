"""What the steps of an answer know and no vendor does: how much to look up, when to stop, what holds."""
