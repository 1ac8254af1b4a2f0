"""Meetings that come as files: a transcript, a sound file, or a folder with one track per participant."""
