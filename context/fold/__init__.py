"""The fold: events in, a meeting's state and effects out; a snapshot brings it back."""
