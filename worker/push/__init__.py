"""Transcript push: what was said and answered goes from the record to a webhook, in order, at least once."""
