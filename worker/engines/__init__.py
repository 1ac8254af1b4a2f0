"""Which engine does which work, as configured: models, embeddings, speech."""
