"""Real servers out of wheels, as our own child processes on loopback: for `moim dev` and the tests."""
