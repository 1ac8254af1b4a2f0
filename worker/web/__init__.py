"""The HTTP API: what another backend asks of Moim, beside the probes of a dispatcher."""
