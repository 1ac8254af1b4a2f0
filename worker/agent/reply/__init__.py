"""A reply on its way out: what may pass of what a model says."""
