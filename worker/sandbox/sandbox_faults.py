"""What a call in a child process may come to, other than its result; and the exit codes that say so."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
DECLINED: Final = 10
OUT_OF_MEMORY: Final = 11
FAILED: Final = 12
"""The child's exit codes. What it has written is the result, why it declines, or the fault's type."""
LENGTH_BYTES: Final = 4
"""In front of each piece that a child writes stands its length, in so many bytes."""


class Declined(Exception):
    """The function declines what it was given: the text says why, and reaches the caller word for word."""


class TookTooLong(Exception):
    """The deadline has passed; the child was killed."""


class TookTooMuch(Exception):
    """The function needed more memory than it may have, or its result is larger than it may be."""


class Crashed(Exception):
    """The child ended without a result: the text says how."""
