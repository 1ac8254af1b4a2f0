"""Documents that a tenant adds: read, cut into passages, kept, cited by title and page."""
