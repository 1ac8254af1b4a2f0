"""What language models are told: one file per prompt."""
