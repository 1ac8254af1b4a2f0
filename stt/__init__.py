"""From sound to utterance."""
