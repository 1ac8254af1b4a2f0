"""The ids of those who ask: a participant's own, or one that is nobody's, where none was authenticated.

A question without a participant (a session of the pages, a guest of a link, a program that gives no name) is
asked by somebody all the same. Its asker's id is how they are shown, and behind that a mark (` ~3f9a02c1`)
which differs per session and which no participant's id ends in. So it is nobody's: no participant is shown
these questions as theirs, and erasing a participant reaches none of them.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

_MARK: Final = re.compile(r" ~[0-9a-f]*\Z")


def nobodys(shown: str, session_id: str = "") -> str:
    """Make the id of an asker who is no participant, and is shown as `shown`, in one session."""
    return f"{shown} ~{blake2b(session_id.encode(), digest_size=4).hexdigest() if session_id else ''}"


def is_nobodys(id_: str) -> bool:
    """Tell whether an asker's id is no participant's."""
    return _MARK.search(id_) is not None


def shown_as(id_: str) -> str:
    """Give how an asker is shown who has no name: by their id, without the mark that makes it nobody's."""
    return _MARK.sub("", id_)
