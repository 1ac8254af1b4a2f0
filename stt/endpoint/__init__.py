"""Models behind HTTP endpoints: one client, one reading of what they send, one memory of what they refuse."""
