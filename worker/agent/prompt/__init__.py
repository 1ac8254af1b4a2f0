"""The prompt of an answer, block by block, within its budget."""
