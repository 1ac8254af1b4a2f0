"""The dispatcher, which finds each open meeting a worker, and what runs beside it."""
