"""The settings of a process, and `.env.example`, which names them all."""
