"""A question as it comes in, and what of the meeting its answer may use."""
