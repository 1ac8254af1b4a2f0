"""What `moim …` runs, one command per file."""
