"""Transcript push: what was said and answered goes to a webhook, from the record, in order, at least once."""
