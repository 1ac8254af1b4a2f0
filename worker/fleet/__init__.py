"""Which worker holds which meeting: the dispatcher, and what it looks after."""
