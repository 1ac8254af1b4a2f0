"""A language model, tried on meetings with gold labels: `python -m tests.bench model`."""
