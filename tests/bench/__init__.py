"""Measures that need a browser, or other things of the tests: `python -m tests.bench`."""
