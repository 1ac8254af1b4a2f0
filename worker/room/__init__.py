"""What a room tells a meeting, and what people in it order."""
