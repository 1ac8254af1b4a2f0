"""The processes of a worker: how they come to be, how light they are, how they end."""
