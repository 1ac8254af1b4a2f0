"""One holder of one meeting: its lease, its start, its standby, its handing over."""
