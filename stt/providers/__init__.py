"""Speech engines: each module recognises the speech in a stretch by another service or model."""
