"""The HTTP API and the pages for people, which a dispatcher serves beside its probes."""
