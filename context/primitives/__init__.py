"""What has no meaning of its own: text in canonical form, moments, vectors, names, fast frozen values."""
