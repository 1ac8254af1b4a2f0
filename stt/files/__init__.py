"""Meetings that come as files: transcripts, sound, or a folder with one track per participant."""
