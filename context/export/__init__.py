"""A meeting for others: the document of the contract, minutes for people, subtitles for players."""
