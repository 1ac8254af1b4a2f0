"""The meeting's side of a room: who is there, their tracks, their consent, their commands and questions."""
