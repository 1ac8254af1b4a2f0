"""The topics of a meeting: their segments, where one begins, what it is called."""
