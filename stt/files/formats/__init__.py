"""One small reader for each kind of transcript: `fits` tells whether a file is of it, `read` reads it."""
