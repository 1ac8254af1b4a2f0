"""Finding again what was said."""
