"""Files that people bring on the home page: read in child processes, and kept until they are text."""
