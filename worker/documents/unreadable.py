"""Why a document cannot be read, as the end of a sentence that begins with its path."""


class Unreadable(Exception):
    """What is wrong, and how to mend it, in half a line."""
