"""How cost grows with meetings: `python -m tests.load NAME`."""
