"""Documents that a tenant adds: read from files, cut into passages, stored, cited by title and page."""
