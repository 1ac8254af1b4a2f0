"""The pictures of the pages in the READMEs: `python -m tests.pictures`."""
