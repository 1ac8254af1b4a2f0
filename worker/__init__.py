"""The running process: adapters, sessions, commands."""
