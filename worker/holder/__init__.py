"""The holder of a meeting: its lease, its start, its standby, its handing over."""
