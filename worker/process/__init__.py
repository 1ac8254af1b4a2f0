"""The processes of a worker: how they start, how jobs share memory, how they end."""
