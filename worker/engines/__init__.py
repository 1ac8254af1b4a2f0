"""Makes the configured engines: language models, embedders, speech engines."""
