"""Exports of a meeting: the JSON document, minutes for people, subtitles for players."""
