"""The running processes: commands, meetings at work, the HTTP API, and adapters of everything outside."""
